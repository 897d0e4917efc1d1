"""Rules of graph-recognize-idioms for GELU by erf and by tanh, in the forms that exporters write."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.terms import (
    Product,
    is_number,
    is_power,
    plus_number,
    product_of,
)
from mlc.passes.graph.common.values import both_orders, splat
from mlc.passes.remarks import listening, missed


@dataclass
class Gate:
    """A factor c * (1 + g) of a product, g an erf or tanh."""

    factor: ir.Value
    coefficient: float
    op: ir.Operation


def _erf_argument(erf: ir.Operation) -> ir.Value | None:
    """x of erf(x / sqrt(2))."""
    scaled = defining_op(erf.operands[0])
    if scaled is None or scaled.name not in ("graph.mul", "graph.div"):
        return None
    candidates = [operand for operand in scaled.operands if splat(operand) is None]
    found = (x for x in candidates if is_power(erf.operands[0], math.sqrt(0.5), x, 1))
    return next(found, None)


def _tanh_argument(tanh: ir.Operation) -> ir.Value | None:
    """x of tanh(sqrt(2/pi) * (x + 0.044715 x^3)), or of the same with x outside the bracket."""
    outer = product_of(tanh.operands[0])
    if not is_number(outer.coefficient, math.sqrt(2 / math.pi), tanh.operands[0]):
        return None
    for factor in outer.factors:
        bracket = defining_op(factor, "graph.add")
        for a, b in both_orders(bracket):
            if outer.factors == [factor] and is_power(b, 0.044715, a, 3):
                return a
    return _tanh_argument_outside(outer)


def _tanh_argument_outside(outer: Product) -> ir.Value | None:
    """x of sqrt(2/pi) * x * (1 + 0.044715 x^2)."""
    for bracket in outer.factors:
        others = [factor for factor in outer.factors if factor != bracket]
        inner = plus_number(bracket)
        if inner and inner[1] == 1 and len(others) == 1 and is_power(inner[0], 0.044715, others[0], 2):
            return others[0]
    return None


_GATES = {"graph.erf": (_erf_argument, "none"), "graph.tanh": (_tanh_argument, "tanh")}


def _gate(factor: ir.Value) -> Gate | None:
    """The gate that a factor is: 1 + g, or c + c * g."""
    found = plus_number(factor)
    if not found or not found[1]:
        return None
    inner = product_of(found[0])
    op = defining_op(inner.factors[0]) if len(inner.factors) == 1 else None
    if op is None or op.name not in _GATES or not is_number(inner.coefficient, found[1], factor):
        return None
    return Gate(factor, found[1], op)


def _is_half_times(value: ir.Value, x: ir.Value, gate: Gate) -> bool:
    """Whether the value is 0.5 * x * (1 + g)."""
    product = product_of(value, x)
    factors = product.factors
    halved = is_number(product.coefficient * gate.coefficient, 0.5, x)
    return halved and len(factors) == 2 and x in factors and gate.factor in factors


@rounding
def gelu(op: ir.Operation) -> ir.Value | None:
    """0.5 * x * (1 + erf(x / sqrt(2))), and the approximation with tanh, in any order."""
    product = product_of(op.results[0])
    for gate in filter(None, map(_gate, product.factors)):
        argument, approximate = _GATES[gate.op.name]
        x = argument(gate.op)
        if x is None:
            _report_constant(op, product, gate)
        elif _is_half_times(op.results[0], x, gate):
            if has_one_use(gate.op.results[0]):
                return graph.build("gelu", [x], {"approximate": approximate})
            missed(op, "gelu", f"the result of {gate.op.name.removeprefix('graph.')} has another use")
    return None


def _report_constant(op: ir.Operation, product: Product, gate: Gate) -> None:
    """Says that 0.5 * x * (1 + erf(c * x)) has a c of its own."""
    if not listening() or gate.op.name != "graph.erf" or product.coefficient * gate.coefficient != 0.5:
        return
    inner = product_of(gate.op.operands[0])
    if len(inner.factors) == 1 and inner.factors[0] in product.factors:
        missed(op, "gelu", f"the factor in erf is {inner.coefficient:.6g} instead of {math.sqrt(0.5):.6g}")


RULES: Rules = {"graph.mul": (gelu,), "graph.div": (gelu,)}
