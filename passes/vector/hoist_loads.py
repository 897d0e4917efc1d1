"""tloop-hoist-loads: numbers that a loop reads from one place again and again are read in front of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import affine, arith, func, ir, memref, scf, vector
from mlc.passes.base import Pass
from mlc.passes.common.kernel_functions import IN_PLACE, is_kernel
from mlc.passes.common.rewriting import collect_ops

# What may stand in a loop besides reads and writes whose buffers are known.
PURE = (
    "arith.",
    "math.",
    scf.For.NAME,
    scf.If.NAME,
    scf.Yield.NAME,
    affine.AffineApply.NAME,
    affine.AffineMin.NAME,
    affine.AffineMax.NAME,
    "index.",
)
# Each vector op that is no write.
READS = (memref.Load.NAME, vector.Load.NAME, vector.TransferRead.NAME)
# The operand that names the buffer written.
WRITES = {memref.Store.NAME: 1, vector.Store.NAME: 1, vector.TransferWrite.NAME: 1}
# Ops that give another view of their first operand.
VIEWS = (
    memref.SubView.NAME,
    memref.ReinterpretCast.NAME,
    memref.CollapseShape.NAME,
    memref.ExpandShape.NAME,
    memref.Cast.NAME,
)
ALLOCATIONS = (memref.Alloc.NAME, memref.Alloca.NAME, memref.GetGlobal.NAME)


def hoist(loop: ir.Operation) -> None:
    """Moves the loads of `loop` whose place is the same in each iteration in front of it, if nothing in the
    loop can write there and the loop surely runs."""
    written = _buffers_written(loop)
    if written is None or not _surely_runs(loop):
        return
    for load in [op.operation for op in loop.regions[0].blocks[0] if memref.Load.isa(op)]:
        outside = all(_is_outside(value, loop) for value in load.operands)
        if outside and not any(_may_overlap(buffer_of(load.operands[0]), each) for each in written):
            load.move_before(loop)


def buffer_of(value: ir.Value) -> ir.Value:
    """The argument or the allocation that `value` is a view of."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    return value


def _buffers_written(loop: ir.Operation) -> list[ir.Value] | None:
    """The buffers that the loop writes to; None where it has ops that may write anywhere."""
    written = []
    for op in _nested(loop):
        if op.name in WRITES:
            written.append(buffer_of(op.operands[WRITES[op.name]]))
        elif not op.name.startswith(PURE) and op.name not in READS and not _is_vector_arithmetic(op):
            return None
    return written


def _nested(loop: ir.Operation) -> Iterator[ir.Operation]:
    for region in loop.regions:
        for block in region:
            for op in block:
                yield op.operation
                yield from _nested(op.operation)


def _is_vector_arithmetic(op: ir.Operation) -> bool:
    """Whether a vector op has no buffer among its operands."""
    return op.name.startswith("vector.") and not any(isinstance(v.type, ir.MemRefType) for v in op.operands)


def _surely_runs(loop: ir.Operation) -> bool:
    """Whether the bounds are constants that leave an iteration."""
    bounds = [value.owner for value in list(loop.operands)[:2]]
    if any(isinstance(bound, ir.Block) or bound.operation.name != arith.Constant.NAME for bound in bounds):
        return False
    lower, upper = (bound.operation.attributes["value"].value for bound in bounds)
    return bool(lower < upper)


def _is_outside(value: ir.Value, loop: ir.Operation) -> bool:
    """Whether `value` is defined outside `loop`."""
    owner = value.owner
    op = owner.owner if isinstance(owner, ir.Block) else owner.operation
    while op is not None and op.name != func.Func.NAME:
        if op.operation == loop:
            return False
        op = op.operation.parent
    return True


def _may_overlap(one: ir.Value, other: ir.Value) -> bool:
    """Whether two buffers may share memory. Kernels get arguments that do not, but for those which they may
    write over; allocations and constants are apart from all else."""
    return bool(one == other) or not (_is_apart(one) and _is_apart(other))


def _is_apart(buffer: ir.Value) -> bool:
    if not isinstance(buffer.owner, ir.Block):
        return buffer.owner.operation.name in ALLOCATIONS
    argument, kernel = ir.BlockArgument(buffer), buffer.owner.owner.operation
    return is_kernel(kernel) and argument.arg_number not in list(kernel.attributes.get(IN_PLACE, []))


@dataclass(frozen=True)
class HoistLoads(Pass):
    """Load a number in front of a loop that reads it from the same place in each iteration.

    A lookup reads its position for each element of a row: behind a store, LLVM would read it again each time,
    and could not take the row as vectors. The loop must have constant bounds and an iteration; whatever it
    writes must be a buffer of its own, as arguments of kernels are, but for those in `tloop.in_place`.
    """

    name: ClassVar[str] = "tloop-hoist-loads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        for loop in reversed(collect_ops(op, scf.For.NAME)):
            hoist(loop)
