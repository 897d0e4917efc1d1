"""host-order-launches: independent launches of the host functions in the order that needs least memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass, PassError
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.graph.shapes.dynamic_sizes import is_dynamic
from mlc.passes.host.memory.ordering import smallest_order
from mlc.passes.host.plan_memory import overwritable_operands
from mlc.passes.remarks import report_applied, report_missed


def reorder(function: ir.Operation, ops: list[ir.Operation]) -> None:
    """Reorders the ops of the function's block; the terminator is last."""
    terminator = ops[-1]
    for op in ops[:-1]:
        op.move_before(terminator)


@dataclass(frozen=True)
class OrderLaunches(Pass):
    """Order the launches of `@main` and `@prepare` so that the least memory is live at once.

    It tries two heuristics: the op that frees most memory first, and depth first from the results. The
    present order stays unless one of them needs less memory, and if sizes are dynamic, kernels are not
    formed, or ops have bodies.
    """

    name: ClassVar[str] = "host-order-launches"

    def run(self, op: ir.Operation) -> None:
        in_place = overwritable_operands(op)
        for function in host_functions(op):
            if collect_ops(function, graph.CONTROL_OPS):
                report_missed(function, "order launches", "there is control flow")
                continue
            if is_dynamic(function):
                report_missed(function, "order launches", "their sizes are dynamic")
                continue
            try:
                name, ops, before, after = smallest_order(function, in_place)
            except PassError as failure:
                report_missed(function, "order launches", failure.message)
                continue
            if after < before:
                reorder(function, ops)
                report_applied(function, f"order {name}", f"peak {before} -> {after} bytes")
