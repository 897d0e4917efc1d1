"""What cannot be written as C++, and where."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError


class UnsupportedError(Exception):
    """A type or an attribute without a spelling in C++; whoever prints the op adds its location."""


def error_at(op: ir.Operation, message: str) -> DiagnosticsError:
    """An error at the location of `op`."""
    return DiagnosticsError(message, [Diagnostic("error", message, op.location)])


def op_error(op: ir.Operation, message: str, *, named: bool = True) -> DiagnosticsError:
    """An error of `op`, which a note shows; with its name in front if `named`."""
    text = op.get_asm(print_generic_op_form=True, use_local_scope=True, assume_verified=True)
    separator = "\n" if "\n" in text else ""
    note = Diagnostic("note", f"see current operation: {separator}{text}", op.location)
    message = f"'{op.name}' op {message}" if named else message
    return DiagnosticsError(message, [Diagnostic("error", message, op.location, (note,))])
