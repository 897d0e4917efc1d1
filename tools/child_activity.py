"""The current step of a guarded child process, and the clock of that step."""

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
    """The child's current step, in memory shared with the parent."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _MEMORY)
        # In memory, so that no file remains however the processes end.
        self._reproducer = os.fdopen(os.memfd_create("mlc"), "w+b", buffering=0)

    def begin(self, step: str) -> None:
        """Begins `step`, such as "in.mlir:1:1: error: pass 'cse'", and starts its clock."""
        name = step.encode()[: _MEMORY - _HEADER.size]
        self._memory[: _HEADER.size + len(name)] = _HEADER.pack(False, time.monotonic(), len(name)) + name

    def finish(self) -> None:
        """Records that the child is done, and will end with the status that it chose."""
        self._memory[: _HEADER.size] = _HEADER.pack(True, 0.0, 0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Stops the clock inside the `with` block: the child waits for others, say a reader of its output."""
        finished, began, length = _HEADER.unpack_from(self._memory)
        _HEADER.pack_into(self._memory, 0, finished, 0.0, length)
        try:
            yield
        finally:
            _HEADER.pack_into(self._memory, 0, finished, time.monotonic() if began else 0.0, length)

    def leave(self, reproducer: bytes) -> None:
        """Stores what the parent is to keep if the child dies; nothing is kept if it does not fit."""
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
        """The start of the last step on the monotonic clock; 0 if none began, or while the child waits."""
        return float(_HEADER.unpack_from(self._memory)[1])

    @property
    def reproducer(self) -> bytes:
        """The reproducer that `leave` stored last."""
        self._reproducer.seek(0)
        return self._reproducer.read()


# The child's own activity, for code that is not passed it; None in other processes.
current: Activity | None = None


def waiting() -> AbstractContextManager[None]:
    """Returns `Activity.waiting` of the child's own activity, or a context without effect elsewhere."""
    return current.waiting() if current else nullcontext()
