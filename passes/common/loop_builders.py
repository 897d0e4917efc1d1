"""Loops on tensors that carry their results, for rules whose iterations come one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlc.bindings import ir, scf
from mlc.passes.common.linalg_builders import index_value

Carried = list[ir.Value]
Body = Callable[[ir.Value, Carried], Sequence[ir.Value]]
Indices = Mapping[int, ir.Value]


def loop(
    extent: int | ir.Value,
    carried: Sequence[ir.Value],
    body: Body,
    first: int | ir.Value = 0,
    step: int = 1,
) -> Carried:
    """What `body(index, carried)` makes of `carried`, for the indices from `first` on, below `extent`."""
    begin, end = (each if isinstance(each, ir.Value) else index_value(each) for each in (first, extent))
    op = scf.ForOp(begin, end, index_value(step), list(carried))
    with ir.InsertionPoint(op.body):
        scf.YieldOp(body(op.induction_variable, list(op.inner_iter_args)))
    return list(op.results)


def nest(
    extents: Mapping[int, int], carried: Sequence[ir.Value], body: Callable[[Indices, Carried], Carried]
) -> Carried:
    """`loop`s over the dims in `extents`, outermost first, around `body(places by dim, carried)`."""

    def inner(order: list[int], places: Indices, values: Carried) -> Carried:
        if not order:
            return body(places, values)
        dim, *rest = order
        return loop(extents[dim], values, lambda at, each: inner(rest, {**places, dim: at}, each))

    return inner(list(extents), {}, list(carried))


def conditional(condition: ir.Value, carried: Sequence[ir.Value], body: Callable[[], Carried]) -> Carried:
    """What `body()` makes where the condition holds, else `carried`."""
    op = scf.IfOp(condition, [value.type for value in carried], has_else=True)
    with ir.InsertionPoint(op.then_block):
        scf.YieldOp(body())
    with ir.InsertionPoint(op.else_block):
        scf.YieldOp(list(carried))
    return list(op.results)
