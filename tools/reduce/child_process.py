"""Runs work on IR in a child process, so that a crash or a hang in the bindings costs one candidate only."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TypeVar

Result = TypeVar("Result")
_BLOCK = 1 << 16


def run_isolated(work: Callable[[], Result], limit: float = 30.0) -> Result | None:
    """Returns the result of `work` in a forked child; None if it raises, crashes or exceeds the limit."""
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
    if not answer:
        return None
    modules, result = pickle.loads(answer)
    # Modules that one child loaded, above all the Python side of dialects, are loaded for the next ones.
    for name in modules:
        with suppress(ImportError):
            import_module(name)
    found: Result = result
    return found


def _work(work: Callable[[], Result], writer: int) -> None:
    """Runs the child, without stderr: the messages of IR that does not verify would only confuse."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        before = set(sys.modules)
        result = work()
        answer = pickle.dumps(([name for name in sys.modules if name not in before], result))
        with os.fdopen(writer, "wb") as file:
            # By the length the parent recognises an incomplete answer.
            file.write(len(answer).to_bytes(8, "little") + answer)
    finally:
        os._exit(0)


def _read(reader: int, deadline: float) -> bytes:
    """Returns the answer, or nothing if it is incomplete at the deadline."""
    data = b""
    while (left := deadline - time.monotonic()) > 0 and select.select([reader], [], [], left)[0]:
        block = os.read(reader, _BLOCK)
        if not block:
            break
        data += block
    return data[8:] if len(data) == 8 + int.from_bytes(data[:8], "little") else b""
