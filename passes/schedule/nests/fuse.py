"""The primitive fuse: a perfect nest of loops becomes one loop."""

from __future__ import annotations

from mlc.bindings import address, affine, ir
from mlc.dialects import tloop
from mlc.passes.schedule.common.loops import NAME, Loop, enclosing_loops
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.building import Bound, build_loop, kept_attributes, replace_loop, take_over
from mlc.passes.schedule.nests.perfect_nest import inner_loop, nests_of


def fuse(op: ir.Operation, state: ScheduleState) -> None:
    """Fuses pairs, from the inside."""
    step = tloop.Fuse(op)
    tag = state.new_loop(step.fused)
    for nest in nests_of([state.targets(handle) for handle in step.loops]):
        loop = nest[-1]
        for outer in reversed(nest[:-1]):
            loop = fuse_two(outer, loop)
        loop.op.attributes[tag] = ir.UnitAttr.get()


def fuse_two(outer: Loop, expected: Loop) -> Loop:
    """Fuses `outer` and the loop inside it, which must be `expected`."""
    if not any(address(loop) == address(outer.op) for loop in enclosing_loops(expected.op)):
        raise StepError(f"loop {expected.name} is not inside loop {outer.name}")
    inner = inner_loop(outer)
    if address(inner.op) != address(expected.op):
        raise StepError(f"loop {inner.name} stands between loops {outer.name} and {expected.name}")
    for loop in (outer, inner):
        if loop.trips is None:
            raise StepError(f"the number of iterations of loop {loop.name} is not constant")
    assert outer.trips is not None and inner.trips is not None
    kept = kept_attributes(outer.op) | kept_attributes(inner.op)
    if NAME in outer.op.attributes and NAME in inner.op.attributes:
        kept[NAME] = ir.StringAttr.get(f"{outer.name}*{inner.name}")
    with ir.InsertionPoint(outer.op), outer.op.location:
        end = Bound.constant(outer.trips * inner.trips)
        fused = build_loop(outer.op.name, Bound.constant(0), end, 1, outer.inits, kept)
    _index_by(fused, outer, inner)
    take_over(inner, fused)
    replace_loop(outer, list(fused.op.results))
    return fused


def _index_by(fused: Loop, outer: Loop, inner: Loop) -> None:
    """Replaces the old indices by the quotient and the remainder of the new one."""
    dim, trips = ir.AffineExpr.get_dim(0), inner.trips
    parts = (
        (outer, ir.AffineExpr.get_floor_div(dim, trips)),
        (inner, ir.AffineExpr.get_mod(dim, trips)),
    )
    with ir.InsertionPoint(fused.body), fused.op.location:
        for loop, part in parts:
            index = ir.AffineMap.get(1, 0, [part * loop.step + loop.lower])
            loop.iv.replace_all_uses_with(affine.AffineApplyOp(index, [fused.iv]).result)
