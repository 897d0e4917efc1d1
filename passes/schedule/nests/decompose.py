"""The primitive decompose_reduction over memory: a block gets a separate nest before the loop."""

from __future__ import annotations

from mlc.bindings import affine, ir, memref
from mlc.dialects import tloop
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.loops import SEQUENTIAL, Loop, enclosing_loops, is_inside
from mlc.passes.schedule.common.state import LOOP_TAG, ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import STORES, Access, accesses
from mlc.passes.schedule.nests.dependence import NestAccesses
from mlc.passes.schedule.nests.statements import expression_of, single, store_of


def decompose_reduction(op: ir.Operation, state: ScheduleState) -> None:
    """Moves the block out of the loop."""
    step = tloop.DecomposeReduction(op)
    tag = state.tag(step.block)
    state.name(step.moved, tag)
    move_out(store_of(step.block, state), single(step.loop, state), tag)


def move_out(store: ir.Operation, loop: ir.Operation, tag: str) -> None:
    """Clones the nest before itself; the clone keeps the block only, the nest all else."""
    if not is_inside(store, loop) or loop.name not in SEQUENTIAL:
        raise StepError("the block does not stand in the loop, or the loop is parallel")
    _check_order(store, loop)
    with ir.InsertionPoint(loop):
        front = loop.clone().operation
    for copy in [front, *collect_ops(front, SEQUENTIAL)]:
        for name in [name for name in copy.attributes if name.startswith(LOOP_TAG)]:
            del copy.attributes[name]
    name, _, value = tag.partition(" = ")
    for op in collect_ops(front, STORES):
        if name not in op.attributes or str(op.attributes[name]) != value:
            op.erase()
    store.erase()
    for root in (front, loop):
        drop_unused(root)


def _check_order(store: ir.Operation, loop: ir.Operation) -> None:
    """Checks that no other access of the loop must come before the block, which will come first."""
    everything = accesses(loop)
    ops = [*expression_of(store), store]
    mine = [access for access in everything if any(access.op == op for op in ops)]
    for position, first in enumerate(everything):
        if any(first.op == op for op in ops):
            continue
        for second in mine:
            earlier = position < [access.op == second.op for access in everything].index(True)
            if _conflict(first, second, loop, earlier):
                raise StepError(
                    f"loop {Loop(loop).name} carries a dependence between {first.text} and {second.text}"
                )


def _conflict(first: Access, second: Access, loop: ir.Operation, earlier: bool) -> bool:
    """Whether `first` touches, before `second` does, what one of them writes; `earlier`: whether it comes
    first in one iteration of the loops around both."""
    same = first.buffer is None or second.buffer is None or first.buffer == second.buffer
    if not same or not (first.writes or second.writes):
        return False
    around = [loop, *(outer for outer in enclosing_loops(second.op) if is_inside(outer, loop))]
    nest = NestAccesses([Loop(outer) for outer in around if is_inside(first.op, outer)])
    count = len(nest.loops)
    orders = [["="] * at + ["<"] + ["*"] * (count - at - 1) for at in range(count)]
    return any(
        nest.may_meet(first, second, order) for order in (*orders, *([["="] * count] if earlier else []))
    )


def drop_unused(root: ir.Operation) -> None:
    """Erases loads and arithmetic that nothing uses, and loops without statements."""
    changed = True
    while changed:
        changed = False
        for op in collect_ops(root):
            if op.name in SEQUENTIAL and not op.results and not Loop(op).statements:
                op.erase()
                changed = True
                break
            unused = op.results and not any(True for result in op.results for _ in result.uses)
            if unused and (op.name.partition(".")[0] in ("arith", "math") or op.name in _DROPPED):
                op.erase()
                changed = True
                break


_DROPPED = (affine.AffineLoad.NAME, memref.Load.NAME, affine.AffineApply.NAME, affine.AffineMin.NAME)
