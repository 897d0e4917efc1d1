"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from mlc.runtime.errors import ExecutableError


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Opens a new file that replaces `path` when the block ends without an exception; otherwise it is
    removed.

    The file is in the same folder until then and its data reaches the disk before the replacement.
    An OSError, also one of the block, becomes an ExecutableError with path and cause.
    """
    target = os.fspath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise ExecutableError(f"{target}: cannot write: it is no regular file, and would be replaced by one")
    temporary = None
    try:
        # Not tempfile's, which only the owner may read: the mask of the process applies to this one.
        name = os.path.join(os.path.dirname(target), f".mlc-{secrets.token_hex(8)}")
        with open(name, "x+b") as file:
            temporary = name
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError):
            raise ExecutableError(f"{target}: cannot write: {error.strerror or error}") from error
        raise
