"""Rules of graph-recognize-idioms for activations: SiLU, Mish, softplus, hard sigmoid and swish."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.bounds import bounds_of
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.terms import is_number, plus_number, product_of
from mlc.passes.graph.common.values import both_orders, dtype, is_float, splat

# Beyond it softplus(x) is x up to f32's rounding; PyTorch's threshold is 20.
_SOFTPLUS_IS_LINEAR = 16


@rounding
def silu(op: ir.Operation) -> ir.Value | None:
    """x * sigmoid(x)."""
    for x, other in both_orders(op):
        gate = defining_op(other, "graph.sigmoid")
        if gate is not None and gate.operands[0] == x:
            return graph.build("silu", [x])
    return None


@rounding
def quick_gelu(op: ir.Operation) -> ir.Value | None:
    """x * sigmoid(1.702 x)."""
    for x, other in both_orders(op):
        gate = defining_op(other, "graph.sigmoid")
        scaled = product_of(gate.operands[0], x) if gate is not None else None
        if scaled and scaled.factors == [x] and is_number(scaled.coefficient, 1.702, x):
            return graph.build("gelu", [x], {"approximate": "sigmoid"})
    return None


@rounding
def softplus(op: ir.Operation) -> ir.Value | None:
    """log(1 + e^x). Where e^x overflows the logarithm is infinite, and softplus x."""
    found = plus_number(op.operands[0])
    power = defining_op(found[0], "graph.exp") if found and found[1] == 1 else None
    return graph.build("softplus", [power.operands[0]]) if power is not None else None


@rounding
def thresholded_softplus(op: ir.Operation) -> ir.Value | None:
    """softplus(x), but x where it is larger than a number by which the two are equal."""
    condition, linear, curve = op.operands
    greater, inner = defining_op(condition, "graph.greater"), defining_op(curve, "graph.softplus")
    if greater is None or inner is None or not dtype(curve).itemsize <= 4:
        return None
    threshold = splat(greater.operands[1])
    same = greater.operands[0] == linear == inner.operands[0]
    return curve if same and threshold is not None and threshold >= _SOFTPLUS_IS_LINEAR else None


@rounding
def mish(op: ir.Operation) -> ir.Value | None:
    """x * tanh(softplus(x))."""
    for x, other in both_orders(op):
        gate = defining_op(other, "graph.tanh")
        inner = defining_op(gate.operands[0], "graph.softplus") if gate is not None else None
        if inner is not None and inner.operands[0] == x:
            return graph.build("mish", [x])
    return None


def _clamped_line(value: ir.Value) -> ir.Value | None:
    """x of min(max(x + 3, 0), 6)."""
    op = defining_op(value, "graph.clamp")
    if op is None or not is_float(value) or bounds_of(op) != (0, 6):
        return None
    found = plus_number(op.operands[0])
    return found[0] if found and found[1] == 3 else None


@rounding
def hard_gate(op: ir.Operation) -> ir.Value | None:
    """clamp(x + 3, 0, 6) / 6 as hard sigmoid, and x times that as hard swish."""
    product = product_of(op.results[0])
    lines = [(factor, _clamped_line(factor)) for factor in product.factors[:2]]
    for factor, x in lines:
        if x is None or not is_number(product.coefficient, 1 / 6, x):
            continue
        if product.factors == [factor]:
            return graph.build("hard_sigmoid", [x], {"alpha": 1 / 6, "beta": 0.5})
        if len(lines) == 2 and x in product.factors and len(product_of(op.results[0], x).factors) == 2:
            return graph.build("hard_swish", [x])
    return None


@rounding
def hard_swish(op: ir.Operation) -> ir.Value | None:
    """x * hard_sigmoid(x) with a slope of 1/6 and an offset of 1/2."""
    for x, other in both_orders(op):
        gate = defining_op(other, "graph.hard_sigmoid")
        if gate is None or gate.operands[0] != x:
            continue
        if is_number(graph.attribute(gate, "alpha"), 1 / 6, x) and graph.attribute(gate, "beta") == 0.5:
            return graph.build("hard_swish", [x])
    return None


RULES: Rules = {
    "graph.mul": (silu, quick_gelu, mish, hard_swish, hard_gate),
    "graph.div": (hard_gate,),
    "graph.log": (softplus,),
    "graph.where": (thresholded_softplus,),
}
