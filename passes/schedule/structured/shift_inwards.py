"""The primitive shift_inwards: the last tile of a loop is full, and begins within the one before it."""

from __future__ import annotations

from mlc.bindings import affine, arith, ir, linalg, scf, tensor
from mlc.dialects import tloop
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.common.linalg_builders import affine_map, dims
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import apply_patterns
from mlc.passes.schedule.structured.switched_sizes import switch_sizes


def shift_inwards(op: ir.Operation, state: ScheduleState) -> None:
    """Gives every tile of the loop its step as the size."""
    handle = tloop.ShiftInwards(op).loop
    state.loop_tag(handle)
    for loop in state.targets(handle):
        _shift(scf.For(loop))
    state.run(apply_patterns("canonicalization", "linalg.tiling_canonicalization"))


def _shift(loop: scf.For) -> None:
    lower, upper, step = map(constant_value, (loop.lower_bound, loop.upper_bound, loop.step))
    if lower != 0 or step is None or (upper is not None and step > upper):
        raise StepError(f"a loop from {lower} to {upper} has no full tile of {step}")
    if any(_accumulates(op) for op in collect_ops(loop.operation, linalg.Generic.NAME)):
        raise StepError("the loop adds to its result: elements in two tiles would count twice")
    if upper is None:
        _shift_open(loop, step)
        return
    dim, index = dims(1)[0], loop.induction_variable
    rest = affine_map(1, [upper - dim, ir.AffineExpr.get_constant(step)])
    minima = map(affine.AffineMin, collect_ops(loop.operation, affine.AffineMin.NAME))
    sizes = [minimum.operation for minimum in minima if minimum.map == rest and minimum.operands[0] == index]
    with ir.InsertionPoint.at_block_begin(loop.entry_block), loop.operation.location:
        last = affine_map(1, [dim, ir.AffineExpr.get_constant(upper - step)])
        start = affine.AffineMinOp(last, [index])
        full = index_constant(step)
    for size in sizes:
        size.result.replace_all_uses_with(full)
        size.erase()
    index.replace_all_uses_except(start.result, [start.operation])


def _shift_open(loop: scf.For, step: int) -> None:
    """Makes all tiles full where the dynamic extent is at least one. Smaller extents have tiles of a quarter,
    or of a point."""
    end, sizes = loop.upper_bound, [step, *([step // 4] if step > 4 else []), 1]
    with ir.InsertionPoint(loop.operation), loop.operation.location:
        size = index_constant(1)
        for points in reversed(sizes[:-1]):
            full = index_constant(points)
            fits = arith.cmpi(arith.CmpIPredicate.uge, end, full)
            size = arith.select(fits, full, size)
        tiles, last = arith.ceildivui(end, size), arith.subi(end, size)

    def bounds(tile: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Builds the first point and the size of a tile."""
        return arith.minui(arith.muli(tile, size), last), size

    switch_sizes(loop, tiles, sizes, bounds)


def _accumulates(computation: ir.Operation) -> bool:
    """Whether the computation combines its result with what a loop carries."""
    block = computation.regions[0].blocks[0]
    read = any(block.arguments[len(block.arguments) - 1].uses)
    return read and _is_carried(computation.operands[len(computation.operands) - 1])


def _is_carried(value: ir.Value) -> bool:
    """Whether the value is part of one that a loop carries from iteration to iteration."""
    while (part := tensor.ExtractSlice.defining(value)) is not None:
        value = part.source
    return isinstance(value.owner, ir.Block)
