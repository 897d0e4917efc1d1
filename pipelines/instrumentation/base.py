"""The protocol between the driver and the observers of a pipeline run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic
from mlc.passes.base import PassError
from mlc.pipelines.plan import PassPlan, PassStep


class Instrumentation:
    """An observer of pipeline runs; the methods of this base do nothing. `op` is the op on which the pass
    runs."""

    def enter(self, plan: PassPlan, op: ir.Operation) -> None:
        """Is called before the items of `plan`, the whole pipeline or a nested one, run on `op`."""

    def leave(self, plan: PassPlan, op: ir.Operation) -> None:
        """Is called after the items of `plan` ran, or one failed. A pass may have replaced ops inside
        `op`."""

    def before(self, step: PassStep, op: ir.Operation) -> None:
        """Is called before a pass."""

    def after(self, step: PassStep, op: ir.Operation) -> None:
        """Is called after a pass that succeeded; the IR is valid."""

    def on_unchanged(self, step: PassStep, op: ir.Operation) -> None:
        """Is called instead of `after` if the pass reports that it changed nothing."""
        self.after(step, op)

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        """Is called after a pass that failed, or left invalid IR."""

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        """Is called for each diagnostic, of the pass or of verification."""


@dataclass
class Instrumentations(Instrumentation):
    """Several instrumentations as one; calls at the end are in reverse order, so that they nest."""

    parts: Sequence[Instrumentation] = ()

    def enter(self, plan: PassPlan, op: ir.Operation) -> None:
        for part in self.parts:
            part.enter(plan, op)

    def leave(self, plan: PassPlan, op: ir.Operation) -> None:
        for part in reversed(self.parts):
            part.leave(plan, op)

    def before(self, step: PassStep, op: ir.Operation) -> None:
        for part in self.parts:
            part.before(step, op)

    def after(self, step: PassStep, op: ir.Operation) -> None:
        for part in reversed(self.parts):
            part.after(step, op)

    def on_unchanged(self, step: PassStep, op: ir.Operation) -> None:
        for part in reversed(self.parts):
            part.on_unchanged(step, op)

    def on_failure(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        for part in reversed(self.parts):
            part.on_failure(step, op, error)

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        for part in self.parts:
            part.diagnostic(diagnostic)


def symbol_name(op: ir.Operation) -> str | None:
    """Returns the name of an op that is a symbol, else None."""
    name = op.attributes.get("sym_name")
    # `value` raises for bytes that are not UTF-8; unregistered ops may have any attribute sym_name.
    return name.value_bytes.decode(errors="backslashreplace") if isinstance(name, ir.StringAttr) else None


def describe_op(op: ir.Operation) -> str:
    """Returns the op as IR dumps and failures name it: `'func.func' operation: @f`."""
    symbol = symbol_name(op)
    return f"'{op.name}' operation{f': @{symbol}' if symbol is not None else ''}"
