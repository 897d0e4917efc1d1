"""Loads or compiles the model of a command, with progress."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.session import CommandSession

if TYPE_CHECKING:
    from mlc.codegen.pool import JobRunner
    from mlc.compiler import Options
    from mlc.runtime import Executable


def show_log(session: CommandSession) -> None:
    """Prints warnings of the compiler's parts (the cache, say) to stderr in the form of mlc's messages."""

    class Handler(logging.Handler):
        """Passes records to the session, each message once."""

        def __init__(self) -> None:
            super().__init__()
            self._shown: set[str] = set()

        def emit(self, record: logging.LogRecord) -> None:
            """Prints a record."""
            message = record.getMessage()
            if message not in self._shown:
                self._shown.add(message)
                session.warn(message)

    logger = logging.getLogger("mlc")
    logger.handlers = [Handler()]
    logger.propagate = False


def is_compiled(path: str) -> bool:
    """Whether `path` is an executable file rather than a model. Raises OSError."""
    with open(path, "rb") as file:
        return file.read(4) == b"PK\x03\x04"


def check_is_model(path: str) -> None:
    """Raises ToolError for an executable file or an archive, OSError for one that cannot be read."""
    if is_compiled(path):
        if Path(path).suffix == ".npz":
            raise ToolError(f"{path} holds arrays; give a model (.onnx or .mlir)")
        raise ToolError(f"{path} is compiled already; give the model that it came from")


def load_or_compile(
    path: str,
    flags: CompileFlags,
    session: CommandSession,
    threads: int | None,
    pool: JobRunner | None = None,
    check: Callable[[Options], None] | None = None,
) -> Executable:
    """Loads the executable of a .mlcx file, or compiles a model, with the workers of `pool` if given, after
    `check`, which raises an error for options that the command does not take."""
    show_log(session)
    if is_compiled(path):
        from mlc.runtime import load
        from mlc.tools.mlc.size_options import check_names

        executable = load(path, threads=threads)
        check_names(executable, flags)
        return executable
    with session.progress() as progress:
        options = flags.options(progress, pool)
        if check is not None:
            check(options)
        from mlc.compiler import compile_program

        return compile_program(path, options).executable(threads)


def call(executable: Executable, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Runs the model; inputs that do not fit are a ToolError."""
    try:
        return executable.run(inputs)
    except (TypeError, ValueError) as error:
        raise ToolError(str(error)) from error


def onnx_model(path: str, model: str | None) -> Path:
    """Returns the ONNX file to compare with: `model` if given, else `path`. Raises ToolError."""
    chosen = model or path
    if model is None and (is_compiled(path) or Path(path).suffix in (".mlir", ".mlirbc")):
        raise ToolError(f"{path} is no ONNX model to compare with; name the one it came from with --model")
    return Path(chosen)
