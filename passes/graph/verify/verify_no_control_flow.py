"""graph-verify-no-control-flow: a program is a list of launches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on


def control_flow(root: ir.Operation) -> Iterator[tuple[str, ir.Location]]:
    """Every op of control flow inside `root`, every call of the runtime and every check, as a message and a
    location."""
    for op in collect_ops(root, graph.CONTROL_OPS):
        reason = "its course is only known when the program runs, and GPUs run a list of launches"
        yield f"'{op.name}' op cannot be part of a kernel or of a GPU's program: {reason}", op.location
    for op in collect_ops(root, graph.CallRuntime.NAME):
        reason = "only processors compute with strings and sequences"
        yield f"'{op.name}' op cannot be part of a GPU's program: {reason}", op.location
    for op in collect_ops(root, graph.Check.NAME):
        reason = "data that are wrong end a call, and GPUs run a list of launches"
        yield f"'{op.name}' op cannot be part of a GPU's program: {reason}", op.location


@dataclass(frozen=True)
class VerifyNoControlFlow(Pass):
    """Check that no `graph.if`, `graph.loop`, `graph.call_runtime` and `graph.check` is left, for GPUs: the
    plan of a GPU's program is a list of launches. Processors run control flow and checks, and call the
    runtime, in their host program.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "graph-verify-no-control-flow"

    def run(self, op: ir.Operation) -> None:
        fail_on(control_flow(op))
