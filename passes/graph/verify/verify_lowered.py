"""graph-verify-lowered: kernels have left the graph level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import func, ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.verification import fail_on
from mlc.passes.graph.verify.verify_no_control_flow import control_flow


def leftovers(kernel: ir.Operation) -> Iterator[tuple[str, ir.Location]]:
    """Every graph op of `kernel`, as a message and a location."""
    name = kernel.attributes["sym_name"].value
    yield from control_flow(kernel)
    for op in collect_ops(kernel):
        if op.name.startswith("graph.") and op.name not in (*graph.CONTROL_OPS, graph.Yield.NAME):
            yield f"kernel @{name} still holds '{op.name}': run graph-to-linalg first", op.location


@dataclass(frozen=True)
class VerifyLowered(Pass):
    """Check that kernels hold no graph op any more. Reports every violation; changes nothing."""

    name: ClassVar[str] = "graph-verify-lowered"

    def run(self, op: ir.Operation) -> None:
        kernels = filter(is_kernel, collect_ops(op, func.Func.NAME))
        fail_on(violation for kernel in kernels for violation in leftovers(kernel))
