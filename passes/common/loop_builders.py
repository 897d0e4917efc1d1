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
    """Builds an `scf.for` over the indices in [first, extent) whose carried values are the results of
    `body(index, carried)`."""
    begin, end = (bound if isinstance(bound, ir.Value) else index_value(bound) for bound in (first, extent))
    op = scf.ForOp(begin, end, index_value(step), list(carried))
    with ir.InsertionPoint(op.body):
        scf.YieldOp(body(op.induction_variable, list(op.inner_iter_args)))
    return list(op.results)


def nest(
    extents: Mapping[int, int], carried: Sequence[ir.Value], body: Callable[[Indices, Carried], Carried]
) -> Carried:
    """Builds `loop`s over the dims in `extents`, outermost first, around `body(indices by dim, carried)`."""

    def inner(order: list[int], indices: Indices, values: Carried) -> Carried:
        if not order:
            return body(indices, values)
        dim, *rest = order
        return loop(extents[dim], values, lambda index, inits: inner(rest, {**indices, dim: index}, inits))

    return inner(list(extents), {}, list(carried))


def conditional(condition: ir.Value, carried: Sequence[ir.Value], body: Callable[[], Carried]) -> Carried:
    """Builds an `scf.if`: the results of `body()` if the condition holds, else `carried`."""
    op = scf.IfOp(condition, [value.type for value in carried], has_else=True)
    with ir.InsertionPoint(op.then_block):
        scf.YieldOp(body())
    with ir.InsertionPoint(op.else_block):
        scf.YieldOp(list(carried))
    return list(op.results)
