"""Rules of graph-recognize-idioms for softmax and its logarithm."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.exactness import approximate, rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.terms import reduction_of
from mlc.passes.graph.common.values import both_orders


def _exponential_sum(value: ir.Value) -> tuple[ir.Operation, int] | None:
    """The exponential of sum(e^y) over one axis, and the axis."""
    found = reduction_of(value, graph.ReduceSum.NAME)
    power = defining_op(found[0], graph.Exp.NAME) if found and len(found[1]) == 1 else None
    return (power, found[1][0]) if power is not None and found else None


def _without_maximum(value: ir.Value, axis: int) -> ir.Value | None:
    """Returns `x` of `x - max(x)` over an axis."""
    op = graph.Sub.defining(value)
    found = reduction_of(op.b, graph.ReduceMax.NAME) if op is not None else None
    return found[0] if op is not None and found == (op.a, [axis]) else None


def _quotient(op: ir.Operation) -> tuple[ir.Operation, int] | None:
    """The exponential e and its axis where the op is e / sum(e), or e * (1 / sum(e))."""
    if op.name == graph.Div.NAME:
        pairs = [(graph.Div(op).a, graph.Div(op).b)]
    else:
        inverse = [(a, defining_op(b, graph.Reciprocal.NAME)) for a, b in both_orders(op)]
        pairs = [(a, b.operands[0]) for a, b in inverse if b is not None]
    for power, total in pairs:
        found = _exponential_sum(total)
        if found is not None and found[0].results[0] == power:
            return found
    return None


@rounding
def softmax(op: ir.Operation) -> ir.Value | None:
    """Replaces `e / sum(e)` over an axis, with `e = exp(x - max(x))`."""
    found = _quotient(op)
    x = _without_maximum(found[0].operands[0], found[1]) if found else None
    return graph.build("softmax", [x], {"axis": found[1]}) if found and x is not None else None


@approximate
def unshifted_softmax(op: ir.Operation) -> ir.Value | None:
    """Replaces `e / sum(e)` with `e = exp(x)`, whose overflow softmax does not have."""
    found = _quotient(op)
    return graph.build("softmax", [found[0].operands[0]], {"axis": found[1]}) if found else None


@rounding
def logarithm_of_softmax(op: ir.Operation) -> ir.Value | None:
    """log(softmax(x)). Where softmax underflows the logarithm is infinite, and log_softmax right."""
    inner = graph.Softmax.defining(graph.Log(op).x)
    if inner is None:
        return None
    return graph.build("log_softmax", [inner.x], {"axis": inner.axis})


@rounding
def minus_logarithm_of_sum(op: ir.Operation) -> ir.Value | None:
    """Replaces `x - log(sum(e^x))`: as one reduction, or with `x - max(x)` for `x`."""
    x, logarithm = op.operands
    found = reduction_of(logarithm, graph.ReduceLogSumExp.NAME)
    if found and found[0] == x and len(found[1]) == 1:
        return graph.build("log_softmax", [x], {"axis": found[1][0]})
    total = graph.Log.defining(logarithm)
    power = _exponential_sum(total.x) if total is not None else None
    if power is None or power[0].operands[0] != x:
        return None
    base = _without_maximum(x, power[1])
    return None if base is None else graph.build("log_softmax", [base], {"axis": power[1]})


RULES: Rules = {
    graph.Div.NAME: (softmax, unshifted_softmax),
    graph.Mul.NAME: (softmax, unshifted_softmax),
    graph.Log.NAME: (logarithm_of_softmax,),
    graph.Sub.NAME: (minus_logarithm_of_sum,),
}
