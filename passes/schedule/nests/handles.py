"""The primitives get_loops, annotate and unroll, which rebuild no nests."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import tloop
from mlc.passes.schedule.common.loops import SEQUENTIAL, Loop, enclosing_loops, sequential
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import HANDLE, match


def get_loops(op: ir.Operation, state: ScheduleState) -> None:
    """Tags the loops around a block."""
    wanted = len(op.results)
    tags = [state.new_loop(result) for result in op.results]
    for block in state.targets(tloop.GetLoops(op).block):
        loops = enclosing_loops(block)
        if len(loops) != wanted:
            names = ", ".join(Loop(loop).name for loop in loops if loop.name in SEQUENTIAL)
            raise StepError(
                f"the block stands in {len(loops)} loops ({names}), but there are {wanted} handles"
            )
        for tag, loop in zip(tags, loops, strict=True):
            loop.attributes[tag] = ir.UnitAttr.get()


def annotate(op: ir.Operation, state: ScheduleState) -> None:
    """Sets the attribute of the targets."""
    step = tloop.Annotate(op)
    for target in state.targets(step.target):
        target.attributes[step.key] = step.value


def unroll(op: ir.Operation, state: ScheduleState) -> None:
    """Unrolls by a factor through upstream's transform; a full unrolling is one by the trip count."""
    step = tloop.Unroll(op)
    factor, tag = step.factor, state.loop_tag(step.loop)
    loops = [sequential(target) for target in state.targets(step.loop)]
    for loop in loops:
        if loop.trips is None and (factor == 0 or len(list(loop.bound("upper")[0].results)) > 1):
            raise StepError(f"the number of iterations of loop {loop.name} is not constant")
    counts = {factor or loop.trips for loop in loops}
    if len(counts) != 1:
        raise StepError(f"the copies of loop {loops[0].name} have different numbers of iterations")
    state.run(match("l", tag), f"transform.loop.unroll %l {{factor = {counts.pop()}}} : {HANDLE}")
