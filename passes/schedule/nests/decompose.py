"""decompose_reduction over memory: a block gets a nest of its own in front of the loop."""

from __future__ import annotations

from mlc.bindings import affine, ir, memref
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.schedule.common.loops import SEQUENTIAL, Loop, enclosing_loops, is_inside
from mlc.passes.schedule.common.state import LOOP_TAG, ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import STORES, Access, accesses
from mlc.passes.schedule.nests.dependence import NestAccesses
from mlc.passes.schedule.nests.statements import expression_of, single, store_of


def decompose_reduction(op: ir.Operation, state: ScheduleState) -> None:
    block, loop = op.operands
    tag = state.tag(block)
    state.name(op.results[0], tag)
    move_out(store_of(block, state), single(loop, state), tag)


def move_out(store: ir.Operation, loop: ir.Operation, tag: str) -> None:
    """Copies the nest in front of itself; the copy keeps the block only, the nest all else."""
    if not is_inside(store, loop) or loop.name not in SEQUENTIAL:
        raise StepError("the block does not stand in the loop, or the loop is parallel")
    _check_order(store, loop)
    with ir.InsertionPoint(loop):
        front = loop.clone().operation
    for each in [front, *collect_ops(front, SEQUENTIAL)]:
        for name in [name for name in each.attributes if name.startswith(LOOP_TAG)]:
            del each.attributes[name]
    name, _, value = tag.partition(" = ")
    for op in collect_ops(front, STORES):
        if name not in op.attributes or str(op.attributes[name]) != value:
            op.erase()
    store.erase()
    for root in (front, loop):
        drop_unused(root)


def _check_order(store: ir.Operation, loop: ir.Operation) -> None:
    """All of the block comes before all else in the loop: nothing else may have to come before it."""
    everything = accesses(loop)
    ops = [*expression_of(store), store]
    mine = [each for each in everything if any(each.op == op for op in ops)]
    for number, first in enumerate(everything):
        if any(first.op == op for op in ops):
            continue
        for second in mine:
            earlier = number < [each.op == second.op for each in everything].index(True)
            if _conflict(first, second, loop, earlier):
                raise StepError(
                    f"loop {Loop(loop).name} carries a dependence between {first.text} and {second.text}"
                )


def _conflict(first: Access, second: Access, loop: ir.Operation, earlier: bool) -> bool:
    """Whether `first` touches, before `second` does, what one of them writes; `earlier` says whether it comes
    first in one iteration of the loops around both."""
    same = first.buffer is None or second.buffer is None or first.buffer == second.buffer
    if not same or not (first.writes or second.writes):
        return False
    around = [loop, *(each for each in enclosing_loops(second.op) if is_inside(each, loop))]
    nest = NestAccesses([Loop(each) for each in around if is_inside(first.op, each)])
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
