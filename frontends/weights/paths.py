"""Opening the files that a model names, without letting the model leave its folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

from mlc.frontends.errors import ModelError


def check_relative(location: str) -> str:
    """Returns `location` normalised (POSIX separators).

    Raises `ModelError` if it is not a plain relative path.
    """
    if not location:
        raise ModelError("the file name is empty")
    if "\0" in location:
        raise ModelError(f"the file name {location!r} holds a NUL character")
    windows = PureWindowsPath(location)
    if PurePosixPath(location).is_absolute() or windows.drive or windows.root:
        raise ModelError(f"'{location}' is an absolute path; only paths below the model's folder are read")
    if ".." in windows.parts:
        raise ModelError(f"'{location}' leaves the model's folder ('..')")
    return str(PurePosixPath(location))


def resolve_inside(folder: Path, location: str) -> Path:
    """Returns the real path of `location` below `folder`; symlinks may not lead out of it.

    Raises `ModelError`.
    """
    root = folder.resolve()
    path = root / check_relative(location)
    try:
        resolved = path.resolve(strict=True)
    except FileNotFoundError:
        raise ModelError(f"'{location}' does not exist in {root}") from None
    except (OSError, RuntimeError) as error:
        raise ModelError(f"'{location}' cannot be opened: {_reason(error)}") from None
    if not resolved.is_relative_to(root):
        raise ModelError(
            f"'{location}' is a symbolic link that leads out of the model's folder (to {resolved})"
        )
    return resolved


def open_regular(path: Path, shown: str | None = None) -> int:
    """Opens a regular file read-only and returns its descriptor; never blocks on a pipe.

    `shown` is the file's name in messages. Raises `ModelError`.
    """
    name = shown or str(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        raise ModelError(f"'{name}' cannot be opened: {_reason(error)}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ModelError(f"'{name}' is not a regular file")
    return descriptor


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
