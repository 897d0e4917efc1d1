"""get_loops, annotate and unroll: handles to loops, and what needs no rebuilding."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.schedule.common.loops import SEQUENTIAL, Loop, enclosing_loops, sequential
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import HANDLE, match


def get_loops(op: ir.Operation, state: ScheduleState) -> None:
    wanted = len(op.results)
    tags = [state.new_loop(result) for result in op.results]
    for block in state.targets(op.operands[0]):
        loops = enclosing_loops(block)
        if len(loops) != wanted:
            names = ", ".join(Loop(each).name for each in loops if each.name in SEQUENTIAL)
            raise StepError(
                f"the block stands in {len(loops)} loops ({names}), but there are {wanted} handles"
            )
        for tag, loop in zip(tags, loops, strict=True):
            loop.attributes[tag] = ir.UnitAttr.get()


def annotate(op: ir.Operation, state: ScheduleState) -> None:
    key = op.attributes["key"].value
    for target in state.targets(op.operands[0]):
        target.attributes[key] = op.attributes["value"]


def unroll(op: ir.Operation, state: ScheduleState) -> None:
    """Upstream unrolls by a factor; all of a loop is as many copies as it has iterations."""
    factor, tag = op.attributes["factor"].value, state.loop_tag(op.operands[0])
    loops = [sequential(target) for target in state.targets(op.operands[0])]
    for loop in loops:
        if loop.trips is None and (factor == 0 or len(list(loop.bound("upper")[0].results)) > 1):
            raise StepError(f"the number of iterations of loop {loop.name} is not constant")
    counts = {factor or loop.trips for loop in loops}
    if len(counts) != 1:
        raise StepError(f"the copies of loop {loops[0].name} have different numbers of iterations")
    state.run(match("l", tag), f"transform.loop.unroll %l {{factor = {counts.pop()}}} : {HANDLE}")
