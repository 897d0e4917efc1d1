"""A content-addressed cache on disk, sound under concurrent processes and under `kill -9` at any moment.

Layout of the root: `entries/<2 digits>/<key>`, `temporary/` for files being written, `pruned` whose time is
that of the last check of the size, and `prune.lock`. An entry is a magic number, a checksum over key and
value, and the value. Pruning deletes the least recently used entries and dead temporary files.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from mlc.codegen.version import compiler_version

_STALE_SECONDS = 3600.0  # no write takes an hour: its process is dead

_LOOK_SECONDS = 60.0  # another process's check of the size is valid for this long

_KEEP = 0.9  # share of the bound that pruning leaves, so that it does not run for every entry


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
        self._since_look: int | None = None  # bytes written since this process's last check, None: never

    def add_written(self, size: int) -> None:
        """Counts `size` bytes written, and prunes when due. Never fails."""
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
        """Deletes stale temporary files, and old entries until the rest fits; nothing if another process
        does.

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
    """Yields the files of `folder`, without those that vanish meanwhile."""
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


FORMAT = 1
DEFAULT_SIZE = 2 << 30
_MAGIC = b"mlcache%d" % FORMAT
_CHECKSUM_BYTES = 16
_HEADER_BYTES = len(_MAGIC) + _CHECKSUM_BYTES

_warn = logging.getLogger("mlc.codegen.cache").warning


def default_root() -> Path:
    """Returns `$MLC_CACHE_DIR`, or `mlc` in `$XDG_CACHE_HOME` or in `~/.cache`; for a user without a home, as
    in a container with any user id, a path that cannot be written."""
    if chosen := os.environ.get("MLC_CACHE_DIR"):
        return Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "mlc"
    home = os.path.expanduser("~")
    return Path(os.devnull if home == "~" else home) / ".cache" / "mlc"


def default_size(warn: Callable[[str], None] = _warn) -> int:
    """Returns `$MLC_CACHE_SIZE` in bytes (suffixes K, M, G), or 2 GiB."""
    text = os.environ.get("MLC_CACHE_SIZE", "").strip()
    if not text:
        return DEFAULT_SIZE
    scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1].upper())
    digits = text[:-1] if scale else text
    if not digits.isdecimal():
        warn(f"MLC_CACHE_SIZE={text} is no size (examples: 500M, 2G, 1000000); using 2G")
        return DEFAULT_SIZE
    return int(digits) * (scale or 1)


class Cache:
    """A store of bytes under keys made by `key`.

    It never fails: an entry that cannot be read is a miss, one that cannot be written is not stored, with one
    warning through `warn` for each cache object. `size` is the bound in bytes, beyond which the least
    recently used entries are evicted."""

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        size: int | None = None,
        version: str | None = None,
        warn: Callable[[str], None] = _warn,
    ) -> None:
        self.root = Path(root) if root is not None else default_root()
        self.size = size if size is not None else default_size(warn)
        self._version = version if version is not None else compiler_version()
        self._warn: Callable[[str], None] | None = warn
        self._pruner = Pruner(self.root, self.size)

    def key(self, *parts: str | bytes) -> str:
        """Returns the key for `parts`, in order, and this version of the compiler: 40 hexadecimal digits."""
        digest = hashlib.blake2b(digest_size=20)
        for part in (str(FORMAT), self._version, *parts):
            data = part.encode() if isinstance(part, str) else part
            digest.update(f"{type(part).__name__} {len(data)}:".encode())
            digest.update(data)
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """Returns the value of `key`, or None. Counts as a use; a damaged entry is deleted."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        value = data[_HEADER_BYTES:]
        sound = data[:_HEADER_BYTES] == _header(key, value)
        with contextlib.suppress(OSError):
            os.utime(path) if sound else path.unlink()
        return value if sound else None

    def put(self, key: str, value: bytes) -> None:
        """Stores `value`. A value larger than a quarter of the bound is not kept."""
        if len(value) > self.size // 4:
            return
        try:
            self._write(self._path(key), _header(key, value), value)
        except OSError as error:
            cause = error.strerror or error
            self._warn_once(f"the compile cache {self.root} cannot be written, going on without: {cause}")
            return
        self._pruner.add_written(len(value) + _HEADER_BYTES)

    def _path(self, key: str) -> Path:
        return self.root / "entries" / key[:2] / key

    def _write(self, path: Path, *parts: bytes) -> None:
        """Writes a file that appears complete or not at all.

        There is no fsync: after a power failure a file may hold other bytes, which the checksum finds.
        """
        temporary = self.root / "temporary" / f"{os.getpid()}-{secrets.token_hex(8)}"
        for folder in (self.root, temporary.parent, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # private: entries are code that we run
        try:
            with open(temporary, "xb") as file:
                file.writelines(parts)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _warn_once(self, message: str) -> None:
        warn, self._warn = self._warn, None
        if warn:
            warn(message)


def _header(key: str, value: bytes) -> bytes:
    """Returns the header of a file. Its checksum includes the key: a file under a wrong name is damaged."""
    digest = hashlib.blake2b(key.encode() + b"\0", digest_size=_CHECKSUM_BYTES)
    digest.update(value)
    return _MAGIC + digest.digest()
