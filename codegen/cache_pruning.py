"""Keeps a disk cache within its size: deletes the least recently used entries and dead temporary files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_STALE_SECONDS = 3600.0  # no write takes an hour: its process is dead
_LOOK_SECONDS = 60.0  # another process's look at the size counts for this long
_KEEP = 0.9  # share of the bound that pruning leaves, so that it need not come back for every entry


class _Entry(NamedTuple):
    used: float
    size: int
    path: str


class Pruner:
    """Prunes `root` when a process begins to write there, and after every 1/32 of `bound` bytes it writes.

    Any number of processes may do so at once: one prunes at a time, and a reader that loses an entry to it
    has a miss. The cache exceeds its bound by about 1/32 for each process that is writing.
    """

    def __init__(self, root: Path, bound: int) -> None:
        self._root = root
        self._bound = bound
        self._lock = threading.Lock()
        self._since_look: int | None = None  # bytes written since this process last looked, None: never

    def written(self, size: int) -> None:
        """Take note of `size` bytes written, and prune where due. Never fails."""
        with self._lock:
            first = self._since_look is None
            self._since_look = (self._since_look or 0) + size
            due = self._since_look >= self._bound // 32 or (first and self._look_is_old())
            if due:
                self._since_look = 0
        if due:
            with contextlib.suppress(OSError):
                self.prune()

    def prune(self) -> None:
        """Delete stale temporary files, and old entries until the rest fits; nothing if another process does.

        Raises OSError when the root cannot be written.
        """
        with open(self._root / "prune.lock", "wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kernel drops it with the process
            except BlockingIOError:
                return
            (self._root / "pruned").touch()
            self._sweep()
            self._shrink()

    def _look_is_old(self) -> bool:
        try:
            return abs(time.time() - (self._root / "pruned").stat().st_mtime) > _LOOK_SECONDS
        except OSError:
            return True

    def _sweep(self) -> None:
        limit = time.time() - _STALE_SECONDS
        for entry in _files(self._root / "temporary"):
            if entry.used < limit:
                _delete(entry)

    def _shrink(self) -> None:
        entries = [entry for folder in _folders(self._root / "entries") for entry in _files(folder)]
        total = sum(entry.size for entry in entries)
        if total <= self._bound:
            return
        for entry in sorted(entries):
            if total <= self._bound * _KEEP:
                return
            _delete(entry)
            total -= entry.size


def _folders(folder: Path) -> list[Path]:
    try:
        return [Path(item.path) for item in os.scandir(folder) if item.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _files(folder: Path) -> Iterator[_Entry]:
    """The files of `folder`; those that vanish meanwhile are left out."""
    try:
        items = list(os.scandir(folder))
    except OSError:
        return
    for item in items:
        with contextlib.suppress(OSError):
            status = item.stat(follow_symlinks=False)
            yield _Entry(status.st_mtime, status.st_size, item.path)


def _delete(entry: _Entry) -> None:
    with contextlib.suppress(OSError):
        os.unlink(entry.path)
