"""The protocol between the driver and what watches a pipeline run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.bindings.diagnostics import Diagnostic
from mlc.passes.base import PassError
from mlc.pipelines.plan import PassPlan, PassStep


class Instrumentation:
    """Called by the driver; the methods of this base do nothing. `op` is the op on which the pass runs."""

    def enter(self, plan: PassPlan, op: ir.Operation) -> None:
        """The items of `plan` are about to run on `op`: the whole pipeline, or one nested in it."""

    def leave(self, plan: PassPlan, op: ir.Operation) -> None:
        """The items of `plan` ran, or one of them failed. A pass may have replaced what is inside `op`."""

    def before(self, step: PassStep, op: ir.Operation) -> None:
        """The pass is about to run."""

    def after(self, step: PassStep, op: ir.Operation) -> None:
        """The pass succeeded, and what it left is valid."""

    def unchanged(self, step: PassStep, op: ir.Operation) -> None:
        """The pass succeeded, and says that it changed nothing; called instead of `after`."""
        self.after(step, op)

    def failed(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        """The pass failed, or what it left is invalid."""

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        """A diagnostic was emitted, by the pass or by verification."""


@dataclass
class Instrumentations(Instrumentation):
    """Several as one: what begins in order, what ends in reverse, so that they nest."""

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

    def unchanged(self, step: PassStep, op: ir.Operation) -> None:
        for part in reversed(self.parts):
            part.unchanged(step, op)

    def failed(self, step: PassStep, op: ir.Operation, error: PassError) -> None:
        for part in reversed(self.parts):
            part.failed(step, op, error)

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        for part in self.parts:
            part.diagnostic(diagnostic)


def symbol_name(op: ir.Operation) -> str | None:
    """The name of an op that is a symbol."""
    name = op.attributes.get("sym_name")
    # `value` raises for bytes that are not UTF-8; unregistered ops may call anything sym_name.
    return name.value_bytes.decode(errors="backslashreplace") if isinstance(name, ir.StringAttr) else None


def describe_op(op: ir.Operation) -> str:
    """`'func.func' operation: @f`, as IR dumps and failures name an op."""
    symbol = symbol_name(op)
    return f"'{op.name}' operation{f': @{symbol}' if symbol is not None else ''}"
