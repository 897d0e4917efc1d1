"""get_loops, annotate and unroll: handles to loops, and what needs no rebuilding."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.tloop.loop_steps.loops import SEQUENTIAL, Loop, enclosing_loops, sequential
from mlc.passes.tloop.schedule_state import ScheduleState, StepError
from mlc.passes.tloop.transform_script import HANDLE, match


def get_loops(op: ir.Operation, state: ScheduleState) -> None:
    wanted = len(op.results)
    tags = [state.new_loop(each) for each in op.results]
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
    trips = {sequential(each).trips for each in state.targets(op.operands[0])}
    if factor == 0 and (len(trips) != 1 or None in trips):
        name = sequential(state.targets(op.operands[0])[0]).name
        raise StepError(f"the number of iterations of loop {name} is not constant")
    count = factor or trips.pop()
    state.run(match("l", tag), f"transform.loop.unroll %l {{factor = {count}}} : {HANDLE}")
