"""Diagnostics as plain data: what MLIR emits, captured with location, message and notes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.errors import Error
from mlc.threads import ThreadStack


@dataclass(frozen=True)
class Diagnostic:
    """One diagnostic. `severity` is "error", "warning", "remark" or "note"."""

    severity: str
    message: str
    location: ir.Location | None
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        lines = [f"{describe(self.location)}: {self.severity}: {self.message}"]
        return "\n".join([*lines, *(str(note) for note in self.notes)])


class DiagnosticsError(Error):
    """A call into MLIR failed; holds the diagnostics that it emitted."""

    def __init__(self, summary: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.summary = summary
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in diagnostics) or summary)


# What the `with` blocks of `capture_diagnostics` do with a diagnostic, innermost last.
_collectors: ThreadStack[Callable[[Diagnostic], None]] = ThreadStack()


def emit_diagnostic(diagnostic: Diagnostic) -> None:
    """Emits a diagnostic of any severity, as C++ does; the bindings can only emit errors.

    The innermost `capture_diagnostics` gets it; without one it is printed on stderr.
    """
    if _collectors.items:
        _collectors.items[-1](diagnostic)
    else:
        print(diagnostic, file=sys.stderr)


@contextmanager
def capture_diagnostics(
    context: ir.Context, listener: Callable[[Diagnostic], None] | None = None
) -> Iterator[list[Diagnostic]]:
    """Collects every diagnostic emitted inside the `with` block; nothing reaches stderr or outer handlers.

    `listener`, when given, also sees each one as it is emitted. Without `emit_error_diagnostics` the
    bindings hide errors from handlers and put them into the exception without their order, hence the
    switch.
    """
    captured: list[Diagnostic] = []

    def collect(diagnostic: Diagnostic) -> None:
        captured.append(diagnostic)
        if listener is not None:
            listener(diagnostic)

    def handle(emitted: ir.Diagnostic) -> bool:
        collect(_copy(emitted))
        return True

    before = context.emit_error_diagnostics
    context.emit_error_diagnostics = True
    handler = context.attach_diagnostic_handler(handle)
    _collectors.items.append(collect)
    try:
        yield captured
    finally:
        _collectors.items.remove(collect)
        handler.detach()
        context.emit_error_diagnostics = before


def position(location: ir.Location | None) -> tuple[str, int, int] | None:
    """The first `(file, line, column)` inside `location`, as MLIR's own diagnostics choose it, or None."""
    if isinstance(location, ir.FileLineColLoc):
        return location.filename, location.start_line, location.start_col
    if isinstance(location, ir.NameLoc):
        return position(location.child_loc)
    if isinstance(location, ir.CallSiteLoc):
        return position(location.callee) or position(location.caller)
    if isinstance(location, ir.FusedLoc):
        return next((found for found in map(position, location.locations) if found), None)
    return None


def describe(location: ir.Location | None) -> str:
    """`file:line:column`, or the name of a named location (an ONNX node, say), or `unknown location`."""
    where = position(location)
    if where:
        return ":".join(str(part) for part in where)
    if isinstance(location, ir.NameLoc):
        return f'"{location.name_str}"'
    return "unknown location"


def _copy(emitted: ir.Diagnostic) -> Diagnostic:
    notes = tuple(_copy(note) for note in emitted.notes)
    return Diagnostic(emitted.severity.name.lower(), _message(emitted), emitted.location, notes)


def _message(emitted: ir.Diagnostic) -> str:
    try:
        return emitted.message
    except RuntimeError:  # it quotes damaged input, say bytecode
        return "invalid input (the message about it is not UTF-8)"
