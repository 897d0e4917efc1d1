"""The output file of `mlc compile`."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import click

from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.session import CommandSession

SUFFIXES = {
    "mlcx": ".mlcx",
    "llvm-ir": ".ll",
    "asm": ".s",
    "obj": ".o",
    "shared-lib": ".so",
    "mlir": ".mlir",
}
_TEXTS = ("llvm-ir", "asm", "mlir")


def output_path(model: str, output: str | None, emit: str, session: CommandSession) -> str:
    """Returns the file to write; raises before the compilation if it cannot be written."""
    if output is None:
        name = Path(model).stem
        output = f"lib{name}.so" if emit == "shared-lib" else f"{name}{SUFFIXES[emit]}"
    if output == "-":
        if emit not in _TEXTS:
            raise click.UsageError(f"--emit={emit} cannot be written to the standard output")
        if session.json:
            raise click.UsageError("--json and -o - both want the standard output")
        return output
    path = Path(output)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), output)
    if not stat.S_ISDIR(path.parent.stat().st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path.parent))
    if emit not in _TEXTS and path.exists() and not path.is_file():
        raise ToolError(f"{output} is no regular file; --emit={emit} cannot replace it")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), output)
    if os.path.exists(model) and path.exists() and path.samefile(model):
        raise ToolError(f"{output} is the model itself; choose another output with -o")
    return output
