"""tloop-balance-threads: threads take iterations dynamically."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops, terminator_of

LOOP, REGION, REGION_END = "omp.wsloop", "omp.parallel", "omp.terminator"


def ends_region(loop: ir.Operation) -> bool:
    """Whether a loop is the last op of a parallel region: what is in another loop may be followed by the next
    iteration's."""
    if loop.parent.name != REGION or terminator_of(loop.block).name != REGION_END:
        return False
    return bool(loop.block.operations[len(loop.block.operations) - 2] == loop)


@dataclass(frozen=True)
class BalanceThreads(Pass):
    """Give the work-sharing loops of parallel regions the dynamic schedule, where they have none.

    Equal parts make all threads wait for the one whose processor is slower, or busy with something else. A
    loop that ends its region waits for the other threads once, not twice.
    """

    name: ClassVar[str] = "tloop-balance-threads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        loops = collect_ops(op, LOOP)
        for loop in loops:
            if "schedule_kind" not in loop.attributes:
                loop.attributes["schedule_kind"] = ir.Attribute.parse("#omp<schedulekind dynamic>")
            if ends_region(loop):
                loop.attributes["nowait"] = ir.UnitAttr.get()
        return bool(loops)
