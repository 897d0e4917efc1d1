"""tloop-hoist-loads: scalar loads with a loop-invariant address move before the loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import affine, func, ir, memref, scf, vector
from mlc.passes.base import Pass
from mlc.passes.common.constants import constant_value
from mlc.passes.common.kernel_functions import IN_PLACE, is_kernel
from mlc.passes.common.rewriting import collect_ops

# Ops that a loop may have besides reads and writes whose buffers are known.
PURE = (
    "arith.",
    "math.",
    scf.For.NAME,
    scf.If.NAME,
    scf.While.NAME,
    scf.Condition.NAME,
    scf.Yield.NAME,
    affine.AffineApply.NAME,
    affine.AffineMin.NAME,
    affine.AffineMax.NAME,
    "index.",
)
# The ops that read memory.
READS = (memref.Load.NAME, vector.Load.NAME, vector.TransferRead.NAME)
# The position of the operand that is the written buffer.
WRITES = {memref.Store.NAME: 1, vector.Store.NAME: 1, vector.TransferWrite.NAME: 1}
# Ops whose result is another view of their first operand.
VIEWS = (
    memref.SubView.NAME,
    memref.ReinterpretCast.NAME,
    memref.CollapseShape.NAME,
    memref.ExpandShape.NAME,
    memref.Cast.NAME,
)
ALLOCATIONS = (memref.Alloc.NAME, memref.Alloca.NAME, memref.GetGlobal.NAME)


def hoist(loop: ir.Operation) -> None:
    """Moves the loads of the `scf.for` with a loop-invariant address before it, if the loop provably has an
    iteration and nothing in it can write to the loaded element."""
    if not _has_iteration(scf.For(loop)):
        return
    loads = [op.operation for op in loop.regions[0].blocks[0] if memref.Load.isa(op)]
    invariant = [load for load in loads if all(is_outside(value, loop) for value in load.operands)]
    written = buffers_written(loop) if invariant else None
    if written is None:
        return
    for load in invariant:
        source = buffer_of(memref.Load(load).memref)
        if not any(may_overlap(source, buffer) for buffer in written):
            load.move_before(loop)


def buffer_of(value: ir.Value) -> ir.Value:
    """Returns the argument or the allocation that `value` is a view of."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    return value


def buffers_written(loop: ir.Operation) -> list[ir.Value] | None:
    """Returns the buffers that the loop writes to; None if it has ops that may write anywhere."""
    written = []
    for op in collect_ops(loop):
        if op.name in WRITES:
            written.append(buffer_of(op.operands[WRITES[op.name]]))
        elif not op.name.startswith(PURE) and op.name not in READS and not _is_vector_arithmetic(op):
            return None
    return written


def _is_vector_arithmetic(op: ir.Operation) -> bool:
    """Whether a vector op has no buffer among its operands."""
    return op.name.startswith("vector.") and not any(isinstance(v.type, ir.MemRefType) for v in op.operands)


def _has_iteration(loop: scf.For) -> bool:
    """Whether the bounds are constants that leave an iteration."""
    lower, upper = constant_value(loop.lower_bound), constant_value(loop.upper_bound)
    return lower is not None and upper is not None and lower < upper


def is_outside(value: ir.Value, loop: ir.Operation) -> bool:
    """Whether `value` is defined outside `loop`."""
    owner = value.owner
    op = owner.owner if isinstance(owner, ir.Block) else owner.operation
    while op is not None and op.name != func.Func.NAME:
        if op.operation == loop:
            return False
        op = op.operation.parent
    return True


def may_overlap(one: ir.Value, other: ir.Value) -> bool:
    """Whether two buffers may share memory. Arguments of kernels do not, but for those that they may
    overwrite; allocations and constants alias nothing."""
    return bool(one == other) or not (_is_distinct(one) and _is_distinct(other))


def _is_distinct(buffer: ir.Value) -> bool:
    if not isinstance(buffer.owner, ir.Block):
        return buffer.owner.operation.name in ALLOCATIONS
    argument, kernel = ir.BlockArgument(buffer), buffer.owner.owner.operation
    return is_kernel(kernel) and argument.arg_number not in list(kernel.attributes.get(IN_PLACE, []))


@dataclass(frozen=True)
class HoistLoads(Pass):
    """Move scalar loads with a loop-invariant address before the loop.

    A lookup reads its index for each element of a row: after a store, LLVM would read it again each time, and
    could not vectorise the row. The loop must have constant bounds and an iteration; the buffers that it
    writes must alias no others, as arguments of kernels do, but for those in `tloop.in_place`.
    """

    name: ClassVar[str] = "tloop-hoist-loads"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        for loop in reversed(collect_ops(op, scf.For.NAME)):
            hoist(loop)
