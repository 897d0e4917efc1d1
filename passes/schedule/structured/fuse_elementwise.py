"""tloop-fuse-elementwise: chains of elementwise computations become one, unless a schedule names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, func, ir, linalg, run_upstream
from mlc.passes.base import Pass, option
from mlc.passes.common.computation import Computation, dims_read
from mlc.passes.common.kernel_functions import is_kernel, schedules
from mlc.passes.common.rewriting import collect_ops

# Operations that are cheap, and the most of them that cost no more than the load and the store that they
# save.
CHEAP = (arith.AddF.NAME, arith.SubF.NAME, arith.MulF.NAME)
MOST_CHEAP = 2
# Conversions to more bits.
WIDENING = (arith.ExtF.NAME, arith.ExtSI.NAME, arith.ExtUI.NAME)


def convert_apart(kernel: ir.Operation) -> None:
    """Clones conversions of arguments to more bits for each reader, with which they can be fused."""
    for op in collect_ops(kernel, linalg.Generic.NAME):
        body = [inner.operation.name for inner in op.regions[0].blocks[0]]
        converts = len(body) == 2 and body[0] in WIDENING
        if converts and isinstance(op.operands[0], ir.BlockArgument):
            _clone_for_uses(op)


def recompute(kernel: ir.Operation) -> None:
    """Rematerialises cheap computations on arguments in each reader, if one is a reduction."""
    for op in reversed(collect_ops(kernel, linalg.Generic.NAME)):
        readers = [use.owner.operation for use in Computation(op).result.uses]
        once = len(readers) > 1 and all(_reads_once(reader, op) for reader in readers)
        if once and _is_cheap(op) and any(Computation(reader).reductions for reader in readers):
            _clone_for_uses(op)


def _reads_once(reader: ir.Operation, op: ir.Operation) -> bool:
    """Whether `reader` reads each element that `op` computes once, unlike a matrix product."""
    return linalg.Generic.isa(reader) and Computation(reader).work == Computation(op).work


def _clone_for_uses(op: ir.Operation) -> None:
    """Clones `op` for each use but the first."""
    for use in list(op.result.uses)[1:]:
        reader, position = use.owner.operation, use.operand_number
        reader.operands[position] = op.clone(ir.InsertionPoint(reader)).operation.result


def _is_cheap(op: ir.Operation) -> bool:
    """Whether a point costs a few additions and multiplications of elements of arguments; values that are the
    same for a row do not count, loops compute them once."""
    computation, block = Computation(op), op.regions[0].blocks[0]
    points = set()
    for value, argument, indexing_map in zip(op.operands, block.arguments, computation.maps, strict=True):
        if value != computation.init and len(dims_read(indexing_map)) == len(computation.extents):
            if not isinstance(value.owner, ir.Block):
                return False
            points.add(argument)
    cost = 0
    for inner in [inner.operation for inner in block.operations][:-1]:
        if points.intersection(inner.operands):
            points.update(inner.results)
            cost += 1 if inner.name in CHEAP else MOST_CHEAP + 1
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
        for kernel in filter(is_kernel, [child.operation for child in op.regions[0].blocks[0]]):
            if func.Func(kernel).sym_name not in scheduled:
                if self.convert_apart:
                    convert_apart(kernel)
                if self.recompute:
                    recompute(kernel)
                run_upstream("func.func(linalg-fuse-elementwise-ops)", kernel)
