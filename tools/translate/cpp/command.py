"""`--mlir-to-cpp`: modules of the emitc dialect to C++."""

from __future__ import annotations

from mlc import dialects
from mlc.bindings import DiagnosticsError, parse_module
from mlc.tools.command_line import CommandLine
from mlc.tools.sources import read_input, write_output
from mlc.tools.translate.cpp.emitter import translate
from mlc.tools.translate.errors import TranslationError


def to_cpp(line: CommandLine, path: str) -> None:
    """Writes C++. Raises `TranslationError` for what has no spelling in C++."""
    name, raw = read_input(path)
    try:
        module = parse_module(raw.decode(errors="replace"), dialects.create_context(), name)
    except DiagnosticsError as error:
        raise TranslationError(str(error)) from error
    write_output(line.value("o", "-"), translate(module.operation))
