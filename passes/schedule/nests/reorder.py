"""The primitive reorder: a perfect nest is rebuilt with its loops in another order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from mlc.bindings import address, ir
from mlc.dialects import tloop
from mlc.passes.schedule.common.loops import Loop, enclosing_loops, is_defined_outside, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.building import (
    Bound,
    build_loop,
    end_loop,
    extra_attributes,
    replace_loop,
    take_over,
)
from mlc.passes.schedule.nests.dependence import NestAccesses
from mlc.passes.schedule.nests.perfect_nest import nest_between, nests_of


def rebuild_nest(nest: Sequence[Loop], order: Sequence[int]) -> None:
    """Replaces the nest by one whose loop `i` is the old loop `order[i]`. Bounds must stay defined."""
    made: list[Loop] = []
    indices: dict[ir.Value, ir.Value] = {}
    point, inits = ir.InsertionPoint(nest[0].op), nest[0].inits
    for position in order:
        old = nest[position]
        with point, old.op.location:
            lower, upper = (_rebuild_bound(old, which, nest[0], indices) for which in ("lower", "upper"))
            new = build_loop(old.op.name, lower, upper, old.step or 1, inits, extra_attributes(old.op))
        indices[old.iv] = new.iv
        made.append(new)
        point, inits = ir.InsertionPoint(new.body), new.carried
    for old_index, new_index in indices.items():
        old_index.replace_all_uses_with(new_index)
    take_over(nest[-1], made[-1])
    for outer, inner in pairwise(made):
        end_loop(outer, list(inner.op.results))
    replace_loop(nest[0], list(made[0].op.results))


def _rebuild_bound(loop: Loop, which: str, root: Loop, indices: dict[ir.Value, ir.Value]) -> Bound:
    """Returns a bound of the loop in terms of the new indices; clones index arithmetic of the old nest."""
    bound, operands = loop.bound(which)
    return Bound(list(bound.results), [_rebuild_index(operand, root, indices) for operand in operands])


def _rebuild_index(value: ir.Value, root: Loop, indices: dict[ir.Value, ir.Value]) -> ir.Value:
    if value in indices:
        return indices[value]
    owner = value.owner
    if isinstance(owner, ir.Block) or is_defined_outside(value, root.op):
        return value
    operands = [_rebuild_index(operand, root, indices) for operand in owner.operands]
    copy = owner.operation.clone()
    for position, operand in enumerate(operands):
        copy.operation.operands[position] = operand
    return copy.operation.result


def reorder(op: ir.Operation, state: ScheduleState) -> None:
    """Reorders the loops of every nest."""
    for wanted in nests_of([state.targets(handle) for handle in tloop.Reorder(op).loops]):
        reorder_nest(wanted)


def reorder_nest(wanted: Sequence[Loop]) -> None:
    """Brings the loops into the order of `wanted`. Raises StepError if they are no perfect nest, or if a
    dependence forbids it."""
    by_depth = sorted(wanted, key=lambda loop: len(enclosing_loops(loop.op)))
    for outer, inner in pairwise(by_depth):
        if not is_inside(inner.op, outer.op):
            raise StepError(f"loop {inner.name} is not inside loop {outer.name}")
    nest = nest_between(by_depth[0], by_depth[-1])
    order = list(range(len(nest)))
    for old, loop in zip(by_depth, wanted, strict=True):
        order[_depth(old, nest)] = _depth(loop, nest)
    if order == list(range(len(nest))):
        return
    _check_bounds(nest, order)
    _check_dependences(nest, order)
    rebuild_nest(nest, order)


def _depth(loop: Loop, nest: Sequence[Loop]) -> int:
    return [address(other.op) == address(loop.op) for other in nest].index(True)


def _check_bounds(nest: Sequence[Loop], order: Sequence[int]) -> None:
    """Checks that a loop whose bounds depend on another one stays inside it."""
    loops = [nest[position] for position in order]
    for depth, loop in enumerate(loops):
        operands = [value for which in ("lower", "upper") for value in loop.bound(which)[1]]
        for other in loops[depth + 1 :]:
            if any(depends_on(value, other) for value in operands):
                mine = f"the bounds of loop {loop.name}"
                raise StepError(f"{mine} depend on loop {other.name}, which would be inside")


def depends_on(value: ir.Value, loop: Loop) -> bool:
    """Whether index arithmetic computes `value` from the loop's index."""
    if value == loop.iv:
        return True
    owner = value.owner
    return not isinstance(owner, ir.Block) and any(depends_on(operand, loop) for operand in owner.operands)


def _check_dependences(nest: Sequence[Loop], order: Sequence[int]) -> None:
    """Checks that no dependent pair of accesses changes its order."""
    for value in nest[0].carried:
        if not isinstance(value.type, ir.RankedTensorType):
            raise StepError(f"loop {nest[0].name} carries a {value.type} from one iteration to the next")
    found = NestAccesses(nest)
    for directions in product("<=>", repeat=len(nest)):
        moved = [directions[position] for position in order]
        if _sign(directions) != "<" or _sign(moved) != ">":
            continue
        dependence = found.find(directions, sums=True)
        if dependence is not None:
            carrier = nest[[direction != "=" for direction in directions].index(True)]
            raise StepError(f"loop {carrier.name} carries a dependence {dependence}")


def _sign(directions: Sequence[str]) -> str:
    return next((direction for direction in directions if direction != "="), "=")
