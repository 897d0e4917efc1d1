"""tloop-balance-threads: threads take iterations dynamically."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops

LOOP = "omp.wsloop"


def is_last(op: ir.Operation) -> bool:
    """Whether only the block's terminator follows."""
    return bool(op.block.operations[len(op.block.operations) - 2] == op)


@dataclass(frozen=True)
class BalanceThreads(Pass):
    """Give the work-sharing loops of parallel regions the dynamic schedule, where they have none.

    Equal parts make all threads wait for the one whose processor is slower, or busy with something else. A
    loop that ends its region waits for the other threads once, not twice.
    """

    name: ClassVar[str] = "tloop-balance-threads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        for loop in collect_ops(op, LOOP):
            if "schedule_kind" not in loop.attributes:
                loop.attributes["schedule_kind"] = ir.Attribute.parse("#omp<schedulekind dynamic>")
            if is_last(loop):
                loop.attributes["nowait"] = ir.UnitAttr.get()
