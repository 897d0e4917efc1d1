"""graph-verify-no-control-flow: nothing is left that only `graph-optimize` understands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.rewriting import collect_ops
from mlc.passes.violations import fail_on


@dataclass(frozen=True)
class VerifyNoControlFlow(Pass):
    """Check that no `graph.if` and no `graph.loop` is left: kernels and host programs are straight lines yet.

    Reports every violation; changes nothing.
    """

    name: ClassVar[str] = "graph-verify-no-control-flow"

    def run(self, op: ir.Operation) -> None:
        fail_on(
            (
                f"'{each.name}' op is not compiled yet: only control flow whose course constants tell, which "
                "graph-optimize removes, can be lowered",
                each.location,
            )
            for each in collect_ops(op, graph.CONTROL_OPS)
        )
