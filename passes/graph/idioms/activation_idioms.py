"""Rules of graph-recognize-idioms for activations: SiLU, Mish, softplus, hard sigmoid and swish.

Rules of graph-recognize-idioms for GELU by erf and by tanh, in the forms that exporters write.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.bounds import bounds_of
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.terms import (
    Product,
    is_power,
    is_scalar_constant,
    plus_constant,
    product_of,
)
from mlc.passes.graph.common.values import both_orders, dtype, is_float, splat
from mlc.passes.remarks import listening, report_missed


@dataclass
class Gate:
    """A factor c * (1 + g) of a product, g an erf or tanh."""

    factor: ir.Value
    coefficient: float
    op: ir.Operation


def _erf_argument(erf: ir.Operation) -> ir.Value | None:
    """Returns `x` where the value is `erf(x / sqrt(2))`."""
    scaled = defining_op(graph.Erf(erf).x)
    if scaled is None or scaled.name not in (graph.Mul.NAME, graph.Div.NAME):
        return None
    candidates = [operand for operand in scaled.operands if splat(operand) is None]
    found = (x for x in candidates if is_power(graph.Erf(erf).x, math.sqrt(0.5), x, 1))
    return next(found, None)


def _tanh_argument(tanh: ir.Operation) -> ir.Value | None:
    """Returns `x` where the value is `tanh(sqrt(2/pi) * (x + 0.044715 x^3))`, or the same with `x` factored
    out."""
    outer = product_of(graph.Tanh(tanh).x)
    if not is_scalar_constant(outer.coefficient, math.sqrt(2 / math.pi), graph.Tanh(tanh).x):
        return None
    for factor in outer.factors:
        bracket = defining_op(factor, graph.Add.NAME)
        for a, b in both_orders(bracket):
            if outer.factors == [factor] and is_power(b, 0.044715, a, 3):
                return a
    return _tanh_argument_outside(outer)


def _tanh_argument_outside(outer: Product) -> ir.Value | None:
    """Returns `x` where the value is `sqrt(2/pi) * x * (1 + 0.044715 x^2)`."""
    for bracket in outer.factors:
        others = [factor for factor in outer.factors if factor != bracket]
        inner = plus_constant(bracket)
        if inner and inner[1] == 1 and len(others) == 1 and is_power(inner[0], 0.044715, others[0], 2):
            return others[0]
    return None


_GATES = {graph.Erf.NAME: (_erf_argument, "none"), graph.Tanh.NAME: (_tanh_argument, "tanh")}


def _gate(factor: ir.Value) -> Gate | None:
    """The gate that a factor is: 1 + g, or c + c * g."""
    found = plus_constant(factor)
    if not found or not found[1]:
        return None
    inner = product_of(found[0])
    op = defining_op(inner.factors[0]) if len(inner.factors) == 1 else None
    if op is None or op.name not in _GATES or not is_scalar_constant(inner.coefficient, found[1], factor):
        return None
    return Gate(factor, found[1], op)


def _is_half_times(value: ir.Value, x: ir.Value, gate: Gate) -> bool:
    """Whether the value is 0.5 * x * (1 + g)."""
    product = product_of(value, x)
    factors = product.factors
    halved = is_scalar_constant(product.coefficient * gate.coefficient, 0.5, x)
    return halved and len(factors) == 2 and x in factors and gate.factor in factors


@rounding
def gelu(op: ir.Operation) -> ir.Value | None:
    """0.5 * x * (1 + erf(x / sqrt(2))), and the approximation with tanh, in any order."""
    binary = graph.Binary(op)
    product = product_of(binary.result)
    for gate in filter(None, map(_gate, product.factors)):
        argument, approximate = _GATES[gate.op.name]
        x = argument(gate.op)
        if x is None:
            _report_constant(op, product, gate)
        elif _is_half_times(binary.result, x, gate):
            if has_one_use(gate.op.results[0]):
                return graph.build("gelu", [x], {"approximate": approximate})
            report_missed(op, "gelu", f"the result of {gate.op.name.removeprefix('graph.')} has another use")
    return None


def _report_constant(op: ir.Operation, product: Product, gate: Gate) -> None:
    """Reports that `0.5 * x * (1 + erf(c * x))` has another `c`."""
    if not listening() or gate.op.name != graph.Erf.NAME or product.coefficient * gate.coefficient != 0.5:
        return
    inner = product_of(gate.op.operands[0])
    if len(inner.factors) == 1 and inner.factors[0] in product.factors:
        report_missed(
            op, "gelu", f"the factor in erf is {inner.coefficient:.6g} instead of {math.sqrt(0.5):.6g}"
        )


# Beyond it softplus(x) is x up to f32's rounding; PyTorch's threshold is 20.
_SOFTPLUS_IS_LINEAR = 16


@rounding
def silu(op: ir.Operation) -> ir.Value | None:
    """Replaces `x * sigmoid(x)`."""
    for x, other in both_orders(op):
        gate = graph.Sigmoid.defining(other)
        if gate is not None and gate.x == x:
            return graph.build("silu", [x])
    return None


@rounding
def quick_gelu(op: ir.Operation) -> ir.Value | None:
    """Replaces `x * sigmoid(1.702 x)`."""
    for x, other in both_orders(op):
        gate = graph.Sigmoid.defining(other)
        scaled = product_of(gate.x, x) if gate is not None else None
        if scaled and scaled.factors == [x] and is_scalar_constant(scaled.coefficient, 1.702, x):
            return graph.build("gelu", [x], {"approximate": "sigmoid"})
    return None


@rounding
def softplus(op: ir.Operation) -> ir.Value | None:
    """log(1 + e^x). Where e^x overflows the logarithm is infinite, and softplus x."""
    found = plus_constant(op.operands[0])
    power = defining_op(found[0], graph.Exp.NAME) if found and found[1] == 1 else None
    return graph.build("softplus", [power.operands[0]]) if power is not None else None


@rounding
def thresholded_softplus(op: ir.Operation) -> ir.Value | None:
    """Replaces `softplus(x)`, but `x` above a threshold from which the two are equal."""
    condition, linear, curve = op.operands
    greater, inner = defining_op(condition, graph.Greater.NAME), defining_op(curve, graph.Softplus.NAME)
    if greater is None or inner is None or not dtype(curve).itemsize <= 4:
        return None
    threshold = splat(greater.operands[1])
    same = greater.operands[0] == linear == inner.operands[0]
    return curve if same and threshold is not None and threshold >= _SOFTPLUS_IS_LINEAR else None


@rounding
def mish(op: ir.Operation) -> ir.Value | None:
    """Replaces `x * tanh(softplus(x))`."""
    for x, other in both_orders(op):
        gate = graph.Tanh.defining(other)
        inner = defining_op(gate.x, graph.Softplus.NAME) if gate is not None else None
        if inner is not None and inner.operands[0] == x:
            return graph.build("mish", [x])
    return None


def _clamped_line(value: ir.Value) -> ir.Value | None:
    """Returns `x` where the value is `min(max(x + 3, 0), 6)`."""
    op = defining_op(value, graph.Clamp.NAME)
    if op is None or not is_float(value) or bounds_of(op) != (0, 6):
        return None
    found = plus_constant(graph.Clamp(op).x)
    return found[0] if found and found[1] == 3 else None


@rounding
def hard_gate(op: ir.Operation) -> ir.Value | None:
    """clamp(x + 3, 0, 6) / 6 as hard sigmoid, and x times that as hard swish."""
    binary = graph.Binary(op)
    product = product_of(binary.result)
    lines = [(factor, _clamped_line(factor)) for factor in product.factors[:2]]
    for factor, x in lines:
        if x is None or not is_scalar_constant(product.coefficient, 1 / 6, x):
            continue
        if product.factors == [factor]:
            return graph.build("hard_sigmoid", [x], {"alpha": 1 / 6, "beta": 0.5})
        if len(lines) == 2 and x in product.factors and len(product_of(binary.result, x).factors) == 2:
            return graph.build("hard_swish", [x])
    return None


@rounding
def hard_swish(op: ir.Operation) -> ir.Value | None:
    """Replaces `x * hard_sigmoid(x)` with a slope of 1/6 and an offset of 1/2."""
    for x, other in both_orders(op):
        gate = graph.HardSigmoid.defining(other)
        if gate is None or gate.x != x:
            continue
        if is_scalar_constant(gate.alpha, 1 / 6, x) and gate.beta == 0.5:
            return graph.build("hard_swish", [x])
    return None


RULES: Rules = {
    graph.Mul.NAME: (gelu, silu, quick_gelu, mish, hard_swish, hard_gate),
    graph.Div.NAME: (gelu, hard_gate),
    graph.Log.NAME: (softplus,),
    graph.Where.NAME: (thresholded_softplus,),
}
