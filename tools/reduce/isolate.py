"""Work on IR in a child process, so that a crash or a hang in the bindings costs one candidate only."""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
_BLOCK = 1 << 16


def isolated(work: Callable[[], Result], limit: float = 30.0) -> Result | None:
    """What `work` returns in a forked child; None if it raises, crashes or takes over `limit` seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _work(work, writer)
    os.close(writer)
    try:
        answer = _read(reader, time.monotonic() + limit)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


def _work(work: Callable[[], Result], writer: int) -> None:
    """Never returns; the messages of IR that does not verify would only confuse."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        answer = pickle.dumps(work())
        with os.fdopen(writer, "wb") as file:
            # The length tells a whole answer from a part.
            file.write(len(answer).to_bytes(8, "little") + answer)
    finally:
        os._exit(0)


def _read(reader: int, deadline: float) -> bytes:
    """The answer, or nothing if it does not come whole and in time."""
    data = b""
    while (left := deadline - time.monotonic()) > 0 and select.select([reader], [], [], left)[0]:
        block = os.read(reader, _BLOCK)
        if not block:
            break
        data += block
    return data[8:] if len(data) == 8 + int.from_bytes(data[:8], "little") else b""
