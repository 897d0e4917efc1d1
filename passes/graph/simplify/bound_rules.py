"""Rules that join bounds: clamp, relu, min and max with constants."""

from __future__ import annotations

from math import copysign, inf, isnan

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.bounds import Bounds, bounds_cross, bounds_of
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import Scalar, both_orders, has_result_type, is_float, splat


def _within(scalar: Scalar | None, bounds: Bounds) -> Scalar | None:
    """A bound as the op that follows it leaves it; None is no bound on its side."""
    low, high = bounds
    if scalar is not None and low is not None and low > scalar:
        scalar = low
    return high if scalar is not None and high is not None and high < scalar else scalar


def _is_zero(bound: Scalar | None) -> bool:
    """Whether it is relu's bound; -0.0 is not."""
    return bound == 0 and copysign(1, bound) > 0


def _clamp(x: ir.Value, low: Scalar | None, high: Scalar | None) -> ir.Value:
    if high is None and _is_zero(low):
        return graph.build("relu", [x])
    return graph.build("clamp", [x], {"min": low, "max": high})


def clamp_without_bounds(op: ir.Operation) -> ir.Value | None:
    """Bounds that bound nothing."""
    low, high = bounds_of(op)
    return graph.Clamp(op).x if low in (None, -inf) and high in (None, inf) else None


def clamp_as_relu(op: ir.Operation) -> ir.Value | None:
    """A lower bound of 0 and no upper bound."""
    low, high = bounds_of(op)
    return graph.build("relu", [graph.Clamp(op).x]) if _is_zero(low) and high in (None, inf) else None


def clamp_of_clamp(op: ir.Operation) -> ir.Value | None:
    """Merges clamp and relu of clamp and relu into one with the bounds of both."""
    inner = defining_op(op.operands[0])
    if inner is None or inner.name not in (graph.Clamp.NAME, graph.Relu.NAME):
        return None
    first, second = bounds_of(inner), bounds_of(op)
    if any(bound is not None and isnan(bound) for bound in (*first, *second)) or bounds_cross(first):
        return None
    low = second[0] if first[0] is None else _within(first[0], second)
    high = second[1] if first[1] is None else _within(first[1], second)
    return _clamp(graph.Unary(inner).x, low, high)


def _constant_and_operand(op: ir.Operation) -> tuple[ir.Value, Scalar] | None:
    """Returns the operand of the result's type and the constant that the other operand is, else None."""
    for x, constant in both_orders(op):
        scalar = splat(constant)
        # An attribute holds integers up to 64 bits with a sign.
        if scalar is not None and has_result_type(op, x) and (is_float(x) or abs(scalar) < 2**63):
            return x, scalar
    return None


def _bound(op: ir.Operation, x: ir.Value, scalar: Scalar) -> ir.Value:
    return _clamp(x, scalar, None) if op.name == graph.Max.NAME else _clamp(x, None, scalar)


def constant_as_bound(op: ir.Operation) -> ir.Value | None:
    """max(x, c) and min(x, c) -> clamp; not with a float zero, of which clamp keeps either sign."""
    found = _constant_and_operand(op)
    if found is None or isnan(found[1]) or (found[1] == 0 and is_float(found[0])):
        return None
    return _bound(op, *found)


@rounding
def zero_as_bound(op: ir.Operation) -> ir.Value | None:
    """max(x, 0.0) -> relu(x), which leaves -0.0 as it is; min(x, 0.0) -> clamp."""
    found = _constant_and_operand(op)
    return _bound(op, *found) if found and found[1] == 0 else None


# Those that find clamps.
CLAMPS: Rules = {
    **dict.fromkeys((graph.Clamp.NAME, graph.Relu.NAME), (clamp_of_clamp,)),
    **dict.fromkeys((graph.Max.NAME, graph.Min.NAME), (constant_as_bound, zero_as_bound)),
}

RULES: Rules = {
    **CLAMPS,
    graph.Clamp.NAME: (clamp_without_bounds, clamp_of_clamp, clamp_as_relu),
}
