"""A content-addressed cache on disk, sound under concurrent processes and under `kill -9` at any moment.

Layout of the root: `entries/<2 digits>/<key>`, `temporary/` for files being written, `pruned` whose time is
that of the last look at the size, and `prune.lock`. An entry is a magic number, a checksum over key and
value, and the value.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from mlc.codegen.cache_pruning import Pruner
from mlc.codegen.version import compiler_version

FORMAT = 1
DEFAULT_SIZE = 2 << 30
_MAGIC = b"mlcache%d" % FORMAT
_CHECKSUM_BYTES = 16
_HEADER_BYTES = len(_MAGIC) + _CHECKSUM_BYTES

_warn = logging.getLogger("mlc.codegen.cache").warning


def default_root() -> Path:
    """$MLC_CACHE_DIR, or `mlc` in $XDG_CACHE_HOME or in ~/.cache."""
    if chosen := os.environ.get("MLC_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "mlc"


def default_size(warn: Callable[[str], None] = _warn) -> int:
    """$MLC_CACHE_SIZE in bytes (suffixes K, M, G), or 2 GiB."""
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

    It never fails: what cannot be read is a miss, what cannot be written is not stored, with one warning
    through `warn` for each cache object. `size` is the bound in bytes, beyond which the least recently used
    entries go.
    """

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
        """The key for `parts`, in order, under this version of the compiler: 40 hexadecimal digits."""
        digest = hashlib.blake2b(digest_size=20)
        for part in (str(FORMAT), self._version, *parts):
            data = part.encode() if isinstance(part, str) else part
            digest.update(f"{type(part).__name__} {len(data)}:".encode())
            digest.update(data)
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """The value of `key`, or None. Counts as a use; a damaged entry is deleted."""
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
        """Store `value`. A value larger than a quarter of the bound is not kept."""
        if len(value) > self.size // 4:
            return
        try:
            self._write(self._path(key), _header(key, value), value)
        except OSError as error:
            self._warn_once(f"the compile cache {self.root} cannot be written, going on without: {error}")
            return
        self._pruner.written(len(value) + _HEADER_BYTES)

    def _path(self, key: str) -> Path:
        return self.root / "entries" / key[:2] / key

    def _write(self, path: Path, *parts: bytes) -> None:
        """Write a file that others see whole or not at all.

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
    """What precedes `value` in its file. The key is in the checksum: a file under a wrong name is damaged."""
    digest = hashlib.blake2b(key.encode() + b"\0", digest_size=_CHECKSUM_BYTES)
    digest.update(value)
    return _MAGIC + digest.digest()
