"""Writes output files: atomically where that is possible, and directly elsewhere."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from pathlib import Path

_MOST_LINKS = 40
_DESCRIPTOR = re.compile(r"/proc/(\d+)/fd/(\d+)")


def write_file(path: str | Path, data: str | bytes) -> None:
    """Writes `data` to `path`; a regular file, or the target of a link, is replaced atomically and keeps its
    mode.

    Devices, pipes and open descriptors (`/dev/stdout`, `/proc/self/fd/3`) are written to and never replaced.
    Raises `OSError` that names `path`.
    """
    raw = data.encode() if isinstance(data, str) else data
    try:
        _write(_without_links(os.fspath(path)), raw)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _without_links(path: str) -> str:
    """Resolves the links in `path`; stops at those of open descriptors, which name no files."""
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        path = os.path.join(os.path.realpath(folder), name) if name else path
        if not os.path.islink(path) or path.startswith("/proc/"):
            return path
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _write(target: str, raw: bytes) -> None:
    open_file = _DESCRIPTOR.fullmatch(target)
    if open_file and int(open_file[1]) == os.getpid():
        # The descriptor itself, whose file offset is shared with the program that opened it.
        with os.fdopen(os.dup(int(open_file[2])), "wb") as file:
            file.write(raw)
    elif target.startswith("/proc/") or (os.path.exists(target) and not os.path.isfile(target)):
        Path(target).write_bytes(raw)
    else:
        _replace(target, raw)


def _replace(target: str, raw: bytes) -> None:
    """Replaces a file atomically. Raises `OSError`, also for a file that may not be written."""
    existing = os.path.exists(target)
    if existing and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    folder, name = os.path.split(target)
    if not name or not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    mode = stat.S_IMODE(os.stat(target).st_mode) if existing else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".mlc-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
