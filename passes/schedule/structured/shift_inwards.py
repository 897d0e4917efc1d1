"""`shift_inwards` of loops over tiles: the last tile is whole, and begins within the one before it."""

from __future__ import annotations

from mlc.bindings import affine, ir, linalg, tensor
from mlc.passes.common.constants import constant_value, index_constant
from mlc.passes.common.linalg_builders import affine_map, dims
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import apply_patterns


def shift_inwards(op: ir.Operation, state: ScheduleState) -> None:
    """Every tile of the loop gets the loop's step as its size."""
    state.loop_tag(op.operands[0])
    for loop in state.targets(op.operands[0]):
        _shift(loop)
    state.run(apply_patterns("canonicalization", "linalg.tiling_canonicalization"))


def _shift(loop: ir.Operation) -> None:
    lower, upper, step = map(constant_value, list(loop.operands)[:3])
    if lower != 0 or upper is None or step is None or step > upper:
        raise StepError(f"a loop from {lower} to {upper} has no whole tile of {step}")
    body = loop.regions[0].blocks[0]
    if any(_reads_what_it_writes(op) for op in collect_ops(loop, linalg.Generic.NAME)):
        raise StepError("the loop adds to its result: elements in two tiles would count twice")
    place, index = dims(1)[0], body.arguments[0]
    rest = affine_map(1, [upper - place, ir.AffineExpr.get_constant(step)])
    sizes = [
        op
        for op in collect_ops(loop, affine.AffineMin.NAME)
        if affine.AffineMin(op).map == rest and op.operands[0] == index
    ]
    with ir.InsertionPoint.at_block_begin(body), loop.location:
        last = affine_map(1, [place, ir.AffineExpr.get_constant(upper - step)])
        start = affine.AffineMinOp(last, [index])
        whole = index_constant(step)
    for size in sizes:
        size.results[0].replace_all_uses_with(whole)
        size.erase()
    index.replace_all_uses_except(start.result, [start.operation])


def _reads_what_it_writes(computation: ir.Operation) -> bool:
    """Whether the computation combines its result with what a loop carries."""
    block = computation.regions[0].blocks[0]
    read = any(block.arguments[len(block.arguments) - 1].uses)
    return read and _is_carried(computation.operands[len(computation.operands) - 1])


def _is_carried(value: ir.Value) -> bool:
    """Whether the value is part of one that a loop carries from iteration to iteration."""
    while not isinstance(value.owner, ir.Block) and value.owner.name == tensor.ExtractSlice.NAME:
        value = value.owner.operands[0]
    return isinstance(value.owner, ir.Block)
