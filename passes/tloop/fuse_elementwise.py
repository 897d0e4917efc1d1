"""tloop-fuse-elementwise: chains of elementwise computations become one, unless a schedule names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, run_upstream
from mlc.passes.base import Pass, option
from mlc.passes.rewriting import collect_ops
from mlc.passes.tloop.kernel_functions import is_kernel, schedules


def convert_apart(kernel: ir.Operation) -> None:
    """Gives each reader of a conversion of an argument to more bits one of its own, that it can take in."""
    for op in collect_ops(kernel, "linalg.generic"):
        body = [each.operation.name for each in op.regions[0].blocks[0]]
        if body != ["arith.extf", "linalg.yield"] or not isinstance(op.operands[0], ir.BlockArgument):
            continue
        for use in list(op.results[0].uses)[1:]:
            reader, position = use.owner.operation, use.operand_number
            reader.operands[position] = op.clone(ir.InsertionPoint(reader)).operation.results[0]


@dataclass(frozen=True)
class FuseElementwise(Pass):
    """Runs upstream's linalg-fuse-elementwise-ops on kernels without a schedule.

    A schedule that comes with its kernel names the computations as they were written.
    """

    name: ClassVar[str] = "tloop-fuse-elementwise"
    exactness: ClassVar[str] = "rounding"

    convert_apart: bool = option(
        False, help="have each computation convert what it reads of an argument of fewer bits itself"
    )

    def run(self, op: ir.Operation) -> None:
        scheduled = schedules(op)
        for kernel in [each.operation for each in op.regions[0].blocks[0] if is_kernel(each.operation)]:
            if kernel.attributes["sym_name"].value not in scheduled:
                if self.convert_apart:
                    convert_apart(kernel)
                run_upstream("func.func(linalg-fuse-elementwise-ops)", kernel)
