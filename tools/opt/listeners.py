"""What watches a chunk of input on its way through mlc-opt, besides printing and timing."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from mlc.bindings import ir, parent_op
from mlc.bindings.diagnostics import Diagnostic
from mlc.passes.base import PassFailure
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.plan import Step
from mlc.pipelines.reproducer import reproducer_text
from mlc.tools.diagnostics import DiagnosticPrinter
from mlc.tools.expected import ExpectedDiagnostics
from mlc.tools.guard import Activity
from mlc.tools.sources import Source, write_output

# The bindings add this note to every error on an op; mlir-opt's flags can turn it off.
_OP_NOTE = "see current operation: "

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


class Listener(Instrumentation):
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


@dataclass
class LocalReproducer(Instrumentation):
    """Keeps a reproducer of the pass that runs alone: in a file if it fails, for the parent if it crashes."""

    path: str
    verify_each: bool
    activity: Activity
    _text: str = ""

    def before(self, step: Step, op: ir.Operation) -> None:
        nest, root = step.text, op
        while (parent := parent_op(root)) is not None:
            nest, root = f"{root.name}({nest})", parent
        self._text = reproducer_text(root, f"{root.name}({nest})", self.verify_each)
        self.activity.leave(self._text.encode())

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        write_output(self.path, self._text)
