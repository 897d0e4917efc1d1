"""Building a perfect nest anew, with its loops in another order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mlc.bindings import ir
from mlc.passes.schedule.common.loops import Loop, is_defined_outside
from mlc.passes.schedule.nests.building import (
    Bound,
    build_loop,
    end_loop,
    extra_attributes,
    replace_loop,
    take_over,
)


def rebuild_nest(nest: Sequence[Loop], order: Sequence[int]) -> None:
    """Replaces the nest by one whose loop `i` is the old loop `order[i]`. Bounds must stay defined."""
    made: list[Loop] = []
    indices: dict[ir.Value, ir.Value] = {}
    point, inits = ir.InsertionPoint(nest[0].op), nest[0].inits
    for place in order:
        old = nest[place]
        with point, old.op.location:
            lower, upper = (_moved_bound(old, which, nest[0], indices) for which in ("lower", "upper"))
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


def _moved_bound(loop: Loop, which: str, root: Loop, indices: dict[ir.Value, ir.Value]) -> Bound:
    """A bound of the loop in terms of the new indices; index arithmetic inside the old nest is done again."""
    bound, operands = loop.bound(which)
    return Bound(list(bound.results), [_moved(each, root, indices) for each in operands])


def _moved(value: ir.Value, root: Loop, indices: dict[ir.Value, ir.Value]) -> ir.Value:
    if value in indices:
        return indices[value]
    owner = value.owner
    if isinstance(owner, ir.Block) or is_defined_outside(value, root.op):
        return value
    operands = [_moved(each, root, indices) for each in owner.operands]
    copy = owner.operation.clone()
    for position, operand in enumerate(operands):
        copy.operation.operands[position] = operand
    return copy.operation.results[0]
