"""What becomes of diagnostics: they are printed, filtered, or compared with what is expected."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from mlc.bindings.diagnostics import Diagnostic
from mlc.pipelines.instrumentation import Instrumentation
from mlc.tools.command_line import CommandLine
from mlc.tools.diagnostics import DiagnosticPrinter
from mlc.tools.expected_diagnostics import ExpectedDiagnostics
from mlc.tools.sources import Source

# The bindings add this note to every error on an op; mlir-opt's flags can turn it off.
_OP_NOTE = "see current operation: "

_LEVELS = ("all", "only-expected")
# From the gravest to the least.
SEVERITIES = ("error", "warning", "remark", "note")


@dataclass(frozen=True)
class DiagnosticOptions:
    """What is done with diagnostics. `expected` is the level of --verify-diagnostics, or None.

    `color` is for terminals.
    """

    expected: str | None = None
    notes: bool = True
    op_notes: bool = True
    severities: tuple[str, ...] = SEVERITIES
    color: bool = False

    def filter(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """`diagnostic` without the notes that are not wanted; None if it is not wanted itself."""
        if diagnostic.severity not in self.severities:
            return None
        notes = [note for note in diagnostic.notes if self.op_notes or not note.message.startswith(_OP_NOTE)]
        return replace(diagnostic, notes=tuple(notes) if self.notes else ())


class Reporter(Instrumentation):
    """Hands diagnostics of parser and passes to the printer, or to the expectations."""

    def __init__(self, source: Source, options: DiagnosticOptions) -> None:
        self.options = options
        self.printer = DiagnosticPrinter(sys.stderr, source, color=options.color)
        self.expected = None
        if options.expected is not None:
            only = options.expected == "only-expected"
            self.expected = ExpectedDiagnostics(source, self.printer, only_expected=only)

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        if self.expected:
            self.expected.see(diagnostic)
        elif wanted := self.options.filter(diagnostic):
            self.printer.show(wanted)


def expected_level(line: CommandLine) -> str | None:
    """The level of --verify-diagnostics, None if it was not given. Raises `UsageError`."""
    return line.choice("verify-diagnostics", _LEVELS) if line.given("verify-diagnostics") else None
