"""Keeps the reproducer of mlc-opt when its child process dies."""

from __future__ import annotations

import os
import tempfile

from mlc.tools.guard import Death
from mlc.tools.sources import BYTECODE_MAGIC, write_output


def keep_reproducer(death: Death, path: str = "") -> str:
    """Writes the child's reproducer to `path`, or to a new temporary file, and returns the file's name.

    The name is empty if the child left no reproducer. Raises `OSError`.
    """
    if not death.reproducer:
        return ""
    if not path:
        suffix = ".mlirbc" if death.reproducer.startswith(BYTECODE_MAGIC) else ".mlir"
        handle, path = tempfile.mkstemp(prefix="mlc-opt-crash-", suffix=suffix)
        os.close(handle)
    write_output(path, death.reproducer)
    return path
