"""What a guarded child process does now, and the clock of that step."""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

_HEADER = struct.Struct("<?dI")  # has the child finished; when the step began, in seconds; bytes of its name
_MEMORY = 4096


class Activity:
    """What the child does now, in memory shared with the parent."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _MEMORY)
        # In memory, so that nothing is left behind however the processes end.
        self._reproducer = os.fdopen(os.memfd_create("mlc"), "w+b", buffering=0)

    def begin(self, step: str) -> None:
        """The child begins `step`, such as "in.mlir:1:1: error: pass 'cse'"; starts its clock."""
        name = step.encode()[: _MEMORY - _HEADER.size]
        self._memory[: _HEADER.size + len(name)] = _HEADER.pack(False, time.monotonic(), len(name)) + name

    def finish(self) -> None:
        """The child is done, and will end with the status that it chose."""
        self._memory[: _HEADER.size] = _HEADER.pack(True, 0.0, 0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Inside the `with` block the child waits for others, say for a reader of its output; no clock."""
        finished, began, length = _HEADER.unpack_from(self._memory)
        _HEADER.pack_into(self._memory, 0, finished, 0.0, length)
        try:
            yield
        finally:
            _HEADER.pack_into(self._memory, 0, finished, time.monotonic() if began else 0.0, length)

    def leave(self, reproducer: bytes) -> None:
        """What the parent is to keep if the child dies; nothing is kept where there is no room for it."""
        self._reproducer.seek(0)
        self._reproducer.truncate()
        left = memoryview(reproducer)
        try:
            while left:
                left = left[self._reproducer.write(left) :]
        except OSError:
            self._reproducer.truncate(0)

    @property
    def finished(self) -> bool:
        """Whether `finish` was called."""
        return bool(_HEADER.unpack_from(self._memory)[0])

    @property
    def step(self) -> str:
        """The text of the last `begin`."""
        length = _HEADER.unpack_from(self._memory)[2]
        return self._memory[_HEADER.size : _HEADER.size + length].decode(errors="replace")

    @property
    def began(self) -> float:
        """When the last step began, on the monotonic clock; 0 if none did, or while the child waits."""
        return float(_HEADER.unpack_from(self._memory)[1])

    @property
    def reproducer(self) -> bytes:
        """What was left last."""
        self._reproducer.seek(0)
        return self._reproducer.read()


# The child's own activity, for code that the activity is not handed to; None in other processes.
current: Activity | None = None


def waiting() -> AbstractContextManager[None]:
    """`Activity.waiting` of the child's own activity; nothing elsewhere."""
    return current.waiting() if current else nullcontext()
