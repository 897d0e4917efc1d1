"""`--mlir-to-cpp`: modules of the emitc dialect to C or C++."""

from __future__ import annotations

from mlc.bindings import DiagnosticsError, ir
from mlc.bindings.parsing import Listener
from mlc.tools.command_line import CommandLine
from mlc.tools.translate.cpp.emitter import translate
from mlc.tools.translate.cpp.strings import text_bytes
from mlc.tools.translate.process import Translate


def to_cpp(line: CommandLine) -> Translate:
    """C++ text; the flags are those of mlir-translate."""
    at_top, file_id = line.switch("declare-variables-at-top"), line.value("file-id")

    def translation(op: ir.Operation, listener: Listener) -> bytes:
        try:
            return text_bytes(translate(op, declare_variables_at_top=at_top, file_id=file_id))
        except DiagnosticsError as error:
            for diagnostic in error.diagnostics:
                listener(diagnostic)
            raise

    return translation
