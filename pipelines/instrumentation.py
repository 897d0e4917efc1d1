"""What watches a pipeline run: the protocol, IR printing and timing."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from mlc.bindings import ir, outermost_op
from mlc.bindings.diagnostics import Diagnostic
from mlc.passes.base import PassFailure
from mlc.pipelines.plan import Step


class Instrumentation:
    """Called by the driver; the methods of this base do nothing. `op` is the op on which the pass runs."""

    def before(self, step: Step, op: ir.Operation) -> None:
        """The pass is about to run."""

    def after(self, step: Step, op: ir.Operation) -> None:
        """The pass succeeded, and what it left is valid."""

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        """The pass failed, or what it left is invalid."""

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        """A diagnostic was emitted, by the pass or by verification."""


@dataclass
class Instrumentations(Instrumentation):
    """Several as one: `before` in order, the others in reverse, so that they nest."""

    parts: Sequence[Instrumentation] = ()

    def before(self, step: Step, op: ir.Operation) -> None:
        for part in self.parts:
            part.before(step, op)

    def after(self, step: Step, op: ir.Operation) -> None:
        for part in reversed(self.parts):
            part.after(step, op)

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        for part in reversed(self.parts):
            part.failed(step, op, error)

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        for part in self.parts:
            part.diagnostic(diagnostic)


@dataclass
class IRPrinting(Instrumentation):
    """Prints IR before and after the passes named in `before_passes` and `after_passes`, as mlir-opt does.

    `printer` turns an op into text (printer flags are the caller's).
    """

    stream: TextIO
    printer: Callable[[ir.Operation], str]
    before_passes: Container[str] = ()
    after_passes: Container[str] = ()
    after_failure: bool = False
    only_changes: bool = False
    module_scope: bool = False
    _texts: list[str] = field(default_factory=list)

    def before(self, step: Step, op: ir.Operation) -> None:
        if self.only_changes:
            self._texts.append(self.printer(op))
        if step.name in self.before_passes:
            self._print("Before", step, op)

    def after(self, step: Step, op: ir.Operation) -> None:
        unchanged = self.only_changes and self._texts.pop() == self.printer(op)
        if step.name in self.after_passes and not unchanged:
            self._print("After", step, op)

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        if self.only_changes:
            self._texts.pop()
        if self.after_failure or step.name in self.after_passes:
            self._print("After", step, op, " Failed")

    def _print(self, when: str, step: Step, op: ir.Operation, suffix: str = "") -> None:
        scope = f" ({describe_op(op)})" if self.module_scope else ""
        shown = outermost_op(op) if self.module_scope else op
        header = f"// -----// IR Dump {when} {step.title}{suffix}: {step.text}{scope} //----- //"
        self.stream.write(f"{header}\n{self.printer(shown)}\n\n")
        self.stream.flush()


class _All:
    def __contains__(self, name: object) -> bool:
        return True


# For `before_passes` and `after_passes`.
ALL_PASSES: Container[str] = _All()


@dataclass
class Timing(Instrumentation):
    """Wall time and number of runs per pass, in the order in which passes first ran. Seconds."""

    seconds: dict[str, float] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)
    _starts: list[float] = field(default_factory=list)

    def before(self, step: Step, op: ir.Operation) -> None:
        self._starts.append(time.perf_counter())

    def after(self, step: Step, op: ir.Operation) -> None:
        self.seconds[step.name] = self.seconds.get(step.name, 0.0) + time.perf_counter() - self._starts.pop()
        self.runs[step.name] = self.runs.get(step.name, 0) + 1

    def failed(self, step: Step, op: ir.Operation, error: PassFailure) -> None:
        self.after(step, op)


def describe_op(op: ir.Operation) -> str:
    """`'func.func' operation: @f`, as IR dumps and failures name an op."""
    attributes = op.attributes
    symbol = f": @{ir.StringAttr(attributes['sym_name']).value}" if "sym_name" in attributes else ""
    return f"'{op.name}' operation{symbol}"
