"""tloop-fuse-elementwise: chains of elementwise computations become one, unless a schedule names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, linalg, run_upstream
from mlc.passes.base import Pass, option
from mlc.passes.common.computation import Computation, dims_read
from mlc.passes.common.kernel_functions import is_kernel, schedules
from mlc.passes.common.rewriting import collect_ops

# Operations that cost no more than the load and the store that they save, and how many of them are no more.
CHEAP = (arith.AddF.NAME, arith.SubF.NAME, arith.MulF.NAME)
MOST_CHEAP = 2
# Conversions to more bits.
WIDENING = (arith.ExtF.NAME, arith.ExtSI.NAME, arith.ExtUI.NAME)


def convert_apart(kernel: ir.Operation) -> None:
    """Gives each reader of a conversion of an argument to more bits one of its own, that it can take in."""
    for op in collect_ops(kernel, linalg.Generic.NAME):
        body = [each.operation.name for each in op.regions[0].blocks[0]]
        converts = len(body) == 2 and body[0] in WIDENING
        if converts and isinstance(op.operands[0], ir.BlockArgument):
            _give_each_its_own(op)


def recompute(kernel: ir.Operation) -> None:
    """Gives each reader of a cheap computation on arguments that a reduction reads too one of its own."""
    for op in reversed(collect_ops(kernel, linalg.Generic.NAME)):
        uses = list(op.results[0].uses)
        readers = [use.owner.operation for use in uses]
        if len(uses) > 1 and all(_reads_once(reader, op) for reader in readers) and _is_cheap(op):
            reduces = any(Computation(reader).reductions for reader in readers)
            if reduces:
                _give_each_its_own(op)


def _reads_once(reader: ir.Operation, op: ir.Operation) -> bool:
    """Whether `reader` takes each number that `op` computes once, unlike a product."""
    return linalg.Generic.isa(reader) and Computation(reader).work == Computation(op).work


def _give_each_its_own(op: ir.Operation) -> None:
    """A copy of `op` for each use but the first."""
    for use in list(op.results[0].uses)[1:]:
        reader, position = use.owner.operation, use.operand_number
        reader.operands[position] = op.clone(ir.InsertionPoint(reader)).operation.results[0]


def _is_cheap(op: ir.Operation) -> bool:
    """Whether a point costs a few additions and multiplications of numbers of arguments; what is the same for
    a whole row does not count, loops compute it once."""
    computation, block = Computation(op), op.regions[0].blocks[0]
    points = set()
    for value, argument, places in zip(op.operands, block.arguments, computation.maps, strict=True):
        if value != computation.init and len(dims_read(places)) == len(computation.extents):
            if not isinstance(value.owner, ir.Block):
                return False
            points.add(argument)
    cost = 0
    for each in list(block.operations)[:-1]:
        if points.intersection(each.operation.operands):
            points.update(each.operation.results)
            cost += 1 if each.operation.name in CHEAP else MOST_CHEAP + 1
    return not computation.reductions and cost <= MOST_CHEAP


@dataclass(frozen=True)
class FuseElementwise(Pass):
    """Runs upstream's linalg-fuse-elementwise-ops on kernels without a schedule.

    A schedule that comes with its kernel names the computations as they were written. With `recompute` a
    normalisation reads its row again rather than store the row less its mean.
    """

    name: ClassVar[str] = "tloop-fuse-elementwise"
    exactness: ClassVar[str] = "rounding"

    convert_apart: bool = option(
        False, help="have each computation convert what it reads of an argument of fewer bits itself"
    )
    recompute: bool = option(
        False,
        help="have a reduction and what follows it each compute the few operations that both begin with",
    )

    def run(self, op: ir.Operation) -> None:
        scheduled = schedules(op)
        for kernel in [each.operation for each in op.regions[0].blocks[0] if is_kernel(each.operation)]:
            if kernel.attributes["sym_name"].value not in scheduled:
                if self.convert_apart:
                    convert_apart(kernel)
                if self.recompute:
                    recompute(kernel)
                run_upstream("func.func(linalg-fuse-elementwise-ops)", kernel)
