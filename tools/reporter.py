"""Prints diagnostics, filters them, or compares them with the expected ones."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from mlc.bindings.diagnostics import Diagnostic
from mlc.pipelines.instrumentation import Instrumentation
from mlc.tools.command_line import CommandLine
from mlc.tools.diagnostics import DiagnosticPrinter
from mlc.tools.expected_diagnostics import ExpectedDiagnostics
from mlc.tools.sources import InputSource

# The bindings add this note to every error on an op; mlir-opt's flags can turn it off.
_OP_NOTE = "see current operation: "

_LEVELS = ("all", "only-expected")
# From the most severe to the least.
SEVERITIES = ("error", "warning", "remark", "note")


@dataclass(frozen=True)
class DiagnosticOptions:
    """Options for diagnostics. `expected` is the level of --verify-diagnostics, or None.

    `color` is for terminals.
    """

    expected: str | None = None
    notes: bool = True
    op_notes: bool = True
    severities: tuple[str, ...] = SEVERITIES
    color: bool = False

    def filter(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """Returns `diagnostic` without filtered notes; None if it is filtered itself."""
        if diagnostic.severity not in self.severities:
            return None
        notes = [note for note in diagnostic.notes if self.op_notes or not note.message.startswith(_OP_NOTE)]
        return replace(diagnostic, notes=tuple(notes) if self.notes else ())


class Reporter(Instrumentation):
    """Passes diagnostics of parser and passes to the printer, or to the expectations."""

    def __init__(self, source: InputSource, options: DiagnosticOptions) -> None:
        self.options = options
        self.printer = DiagnosticPrinter(sys.stderr, source, color=options.color)
        self.expected = None
        if options.expected is not None:
            only = options.expected == "only-expected"
            self.expected = ExpectedDiagnostics(source, self.printer, only_expected=only)

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        """Prints a diagnostic, or matches it with the expectations."""
        if self.expected:
            self.expected.see(diagnostic)
        elif wanted := self.options.filter(diagnostic):
            self.printer.show(wanted)


def diagnostic_options(line: CommandLine) -> DiagnosticOptions:
    """Returns the options that the flags give; a tool has a subset of the flags. Raises `UsageError`."""
    errors_only = line.switch("error-diagnostics-only")
    given = line.is_given("verify-diagnostics")
    return DiagnosticOptions(
        expected=line.choice("verify-diagnostics", _LEVELS) if given else None,
        notes=not (errors_only or line.switch("mlir-disable-diagnostic-notes")),
        op_notes=line.switch("mlir-print-op-on-diagnostic", default=True),
        severities=SEVERITIES[:1] if errors_only else _severities(line),
        color=line.switch("color", default=sys.stderr.isatty()),
    )


def _severities(line: CommandLine) -> tuple[str, ...]:
    """Returns the severities of a level of mlir-opt, given by name or index."""
    levels = ("errors", "warnings", "remarks")
    chosen = line.choice("mlir-diagnostic-verbosity-level", (*levels, "0", "1", "2"), default="remarks")
    level = int(chosen) if chosen.isdigit() else levels.index(chosen)
    return SEVERITIES if level == len(levels) - 1 else SEVERITIES[: level + 1]
