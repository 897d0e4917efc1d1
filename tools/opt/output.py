"""Writes IR as mlc-opt's output, text or bytecode, and checks that reading it again gives the same IR."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from mlc.bindings import DiagnosticsError, ir
from mlc.bindings.diagnostics import Diagnostic, capture_diagnostics
from mlc.bindings.parsing import parse_bytecode, parse_operation
from mlc.tools.command_line import UsageError
from mlc.tools.parsing import InputOptions, make_context


class RoundtripError(Exception):
    """Raised for IR that does not survive printing and parsing; `diagnostic` describes the difference."""

    def __init__(self, message: str, op: ir.Operation) -> None:
        self.diagnostic = Diagnostic("error", f"'{op.name}' op {message}", op.location)
        super().__init__(message)


@dataclass(frozen=True)
class OutputOptions:
    """The form of the result: text by `printer`, or bytecode of a version (None is the newest)."""

    printer: Callable[[ir.Operation], str]
    bytecode: bool = False
    bytecode_version: int | None = None


def serialize(op: ir.Operation, options: OutputOptions) -> bytes:
    """Returns the output for `op`. Raises `UsageError` for a bytecode version that cannot be written."""
    if options.bytecode:
        return to_bytecode(op, options.bytecode_version)
    return f"{options.printer(op)}\n".encode()


def to_bytecode(op: ir.Operation, version: int | None = None) -> bytes:
    """Returns the bytecode of `op`, in the given version of the format or the newest. Raises `UsageError`."""
    buffer = io.BytesIO()
    with capture_diagnostics(op.context):
        try:
            op.write_bytecode(buffer, desired_version=version)
        except (ValueError, ir.MLIRError) as error:
            raise UsageError(f"bytecode version {version} cannot be written") from error
    return buffer.getvalue()


def verify_roundtrip(op: ir.Operation, options: InputOptions) -> None:
    """Prints and parses `op`, as text and as bytecode, and compares. Raises `RoundtripError`."""
    reference = _generic(op)
    text = op.get_asm()
    for form, raw in (("textual", text.encode()), ("bytecode", to_bytecode(op))):
        # A separate context, since resources would get other names in this one.
        context = make_context(options, raw, lambda diagnostic: None)
        try:
            if form == "bytecode":
                again: ir.Module | ir.OpView = parse_bytecode(raw, context)
            else:
                again = parse_operation(text, context)
        except DiagnosticsError as error:
            reason = error.diagnostics[0].message if error.diagnostics else error.summary
            raise RoundtripError(
                f"failed to parse {form} content back, cannot verify round-trip: {reason}", op
            ) from error
        result = _generic(again.operation)
        if result != reference:
            message = f"{form} roundTrip testing roundtripped module differs from reference:"
            shown = f"<<<<<<Reference\n{reference}\n=====\n{result}\n>>>>>roundtripped"
            raise RoundtripError(f"{message}\n{shown}", op)


def _generic(op: ir.Operation) -> str:
    # Without locations: custom forms do not print those of all block arguments.
    return op.get_asm(print_generic_op_form=True)
