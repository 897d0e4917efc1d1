"""Rules of graph-simplify that recognise what exporters took apart: GELU, SiLU, LayerNorm, RMSNorm."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.values import Number, Rule, constant_and_other, dtype, splat
from mlc.passes.rewriting import defining_op


def _is_number(found: Number, wanted: float, like: ir.Value) -> bool:
    """Whether a constant is a number as far as the element type of `like` can tell."""
    return math.isclose(found, wanted, rel_tol=4e-3 if dtype(like).itemsize < 4 else 1e-5)


@dataclass
class Product:
    """A tree of multiplications as a number times factors."""

    coefficient: float
    factors: list[ir.Value]


# Exporters' products are shallower; squares of squares would have factors without end.
_DEPTH = 6


def _product(value: ir.Value, whole: ir.Value | None = None, depth: int = _DEPTH) -> Product:
    """The factors of a value; `whole` is one factor even where it is a product."""
    op, number = defining_op(value), splat(value)
    if number is not None:
        return Product(number, [])
    if op is None or op.name not in _FACTORED or depth == 0 or (whole is not None and value == whole):
        return Product(1.0, [value])
    a, b = op.operands
    base = _product(a, whole, depth - 1)
    return _FACTORED[op.name](base, _product(b, whole, depth - 1)) or Product(1.0, [value])


def _times(a: Product, b: Product) -> Product:
    return Product(a.coefficient * b.coefficient, a.factors + b.factors)


def _divided(a: Product, b: Product) -> Product | None:
    """a / b for a number b."""
    return None if b.factors or not b.coefficient else Product(a.coefficient / b.coefficient, a.factors)


def _raised(a: Product, b: Product) -> Product | None:
    """a ** b for a small whole number b."""
    if b.factors or b.coefficient not in (2, 3):
        return None
    exponent = int(b.coefficient)
    return Product(a.coefficient**exponent, a.factors * exponent)


_FACTORED = {"graph.mul": _times, "graph.div": _divided, "graph.pow": _raised}


def _one_plus(value: ir.Value) -> ir.Value | None:
    """u of 1 + u."""
    op = defining_op(value, "graph.add")
    found = constant_and_other(op) if op is not None else None
    return found[0] if found and found[1] == 1 else None


def _is_power(value: ir.Value, coefficient: float, x: ir.Value, exponent: int) -> bool:
    """Whether the value is coefficient * x**exponent."""
    product = _product(value, x)
    return product.factors == [x] * exponent and _is_number(product.coefficient, coefficient, x)


def _erf_argument(erf: ir.Operation) -> ir.Value | None:
    """x of erf(x / sqrt(2))."""
    scaled = defining_op(erf.operands[0])
    if scaled is None or scaled.name not in ("graph.mul", "graph.div"):
        return None
    candidates = [operand for operand in scaled.operands if splat(operand) is None]
    found = (x for x in candidates if _is_power(erf.operands[0], math.sqrt(0.5), x, 1))
    return next(found, None)


def _tanh_argument(tanh: ir.Operation) -> ir.Value | None:
    """x of tanh(sqrt(2/pi) * (x + 0.044715 x^3)), or of the same with x outside the bracket."""
    outer = _product(tanh.operands[0])
    if not _is_number(outer.coefficient, math.sqrt(2 / math.pi), tanh.operands[0]):
        return None
    for factor in outer.factors:
        bracket = defining_op(factor, "graph.add")
        for a, b in _both_orders(bracket):
            if outer.factors == [factor] and _is_power(b, 0.044715, a, 3):
                return a
    return _tanh_argument_outside(tanh.operands[0], outer)


def _tanh_argument_outside(value: ir.Value, outer: Product) -> ir.Value | None:
    """x of value = sqrt(2/pi) * x * (1 + 0.044715 x^2)."""
    for bracket in outer.factors:
        squared, x = _one_plus(bracket), _common_factor(value, bracket)
        if squared is not None and x is not None and _is_power(squared, 0.044715, x, 2):
            return x
    return None


def _common_factor(value: ir.Value, bracket: ir.Value) -> ir.Value | None:
    """The one factor of a product next to `bracket`."""
    others = [factor for factor in _product(value).factors if factor != bracket]
    return others[0] if len(others) == 1 else None


def _both_orders(op: ir.Operation | None) -> list[tuple[ir.Value, ir.Value]]:
    """The operands of an op of two in both orders; nothing without an op."""
    if op is None:
        return []
    a, b = op.operands
    return [(a, b), (b, a)]


_GATES = {"graph.erf": (_erf_argument, "none"), "graph.tanh": (_tanh_argument, "tanh")}


def gelu(op: ir.Operation) -> ir.Value | None:
    """0.5 * x * (1 + erf(x / sqrt(2))), and the approximation with tanh, in any order."""
    for factor in _product(op.results[0]).factors:
        inner = _one_plus(factor)
        gate = defining_op(inner) if inner is not None else None
        if gate is None or gate.name not in _GATES:
            continue
        argument, approximate = _GATES[gate.name]
        x = argument(gate)
        if x is not None and _is_half_times(op.results[0], x, factor):
            return graph.build("gelu", [x], {"approximate": approximate})
    return None


def _is_half_times(value: ir.Value, x: ir.Value, gate: ir.Value) -> bool:
    """Whether the value is 0.5 * x * gate."""
    product = _product(value, x)
    factors = product.factors
    return product.coefficient == 0.5 and len(factors) == 2 and x in factors and gate in factors


def silu(op: ir.Operation) -> ir.Value | None:
    """x * sigmoid(x)."""
    for x, other in _both_orders(op):
        gate = defining_op(other, "graph.sigmoid")
        if gate is not None and gate.operands[0] == x:
            return graph.build("silu", [x])
    return None


@dataclass
class Centred:
    """A value minus its mean over axes."""

    x: ir.Value
    axes: list[int]


def _mean(value: ir.Value) -> tuple[ir.Value, list[int]] | None:
    """What a mean that keeps its dims is over."""
    op = defining_op(value, "graph.reduce_mean")
    if op is None or not graph.attribute(op, "keepdims"):
        return None
    return op.operands[0], sorted(graph.attribute(op, "axes"))


def _centred(value: ir.Value) -> Centred | None:
    op = defining_op(value, "graph.sub")
    found = _mean(op.operands[1]) if op is not None else None
    return (
        Centred(op.operands[0], found[1]) if op is not None and found and found[0] == op.operands[0] else None
    )


def _root_mean_square(value: ir.Value) -> tuple[ir.Value, list[int], Number] | None:
    """x, the axes and epsilon of sqrt(mean(x^2) + epsilon)'s argument."""
    op = defining_op(value, "graph.add")
    found = constant_and_other(op) if op is not None else None
    mean = _mean(found[0]) if found else None
    squares = defining_op(mean[0]) if mean else None
    if not (squares and mean and found):
        return None
    if squares.name == "graph.pow":
        squared = splat(squares.operands[1]) == 2
    else:
        squared = squares.name == "graph.mul" and squares.operands[0] == squares.operands[1]
    return (squares.operands[0], mean[1], found[1]) if squared else None


def _under_root(value: ir.Value, inverse: bool) -> ir.Value | None:
    """y of sqrt(y), or of 1 / sqrt(y)."""
    op = defining_op(value)
    if op is None:
        return None
    if not inverse:
        return op.operands[0] if op.name == "graph.sqrt" else None
    if op.name == "graph.rsqrt":
        return op.operands[0]
    if op.name == "graph.reciprocal":
        return _under_root(op.operands[0], inverse=False)
    if op.name == "graph.div" and splat(op.operands[0]) == 1:
        return _under_root(op.operands[1], inverse=False)
    return None


def _normalised(op: ir.Operation, numerator: ir.Value, under_root: ir.Value | None) -> ir.Value | None:
    """layer_norm or rms_norm for numerator / sqrt(under_root)."""
    found = _root_mean_square(under_root) if under_root is not None else None
    if found is None or numerator.type != op.results[0].type:
        return None
    base, axes, epsilon = found
    attributes = {"axes": axes, "epsilon": epsilon}
    top, bottom = _centred(numerator), _centred(base)
    if top and bottom and top.axes == axes and top == bottom:
        return graph.build("layer_norm", [top.x], attributes)
    return graph.build("rms_norm", [base], attributes) if base == numerator else None


def normalisation_by_product(op: ir.Operation) -> ir.Value | None:
    """(x - mean) * rsqrt(variance + epsilon), and without the mean."""
    for numerator, scale in _both_orders(op):
        result = _normalised(op, numerator, _under_root(scale, inverse=True))
        if result is not None:
            return result
    return None


def normalisation_by_quotient(op: ir.Operation) -> ir.Value | None:
    """(x - mean) / sqrt(variance + epsilon), and without the mean."""
    numerator, divisor = op.operands
    return _normalised(op, numerator, _under_root(divisor, inverse=False))


RULES: dict[str, tuple[Rule, ...]] = {
    "graph.mul": (gelu, silu, normalisation_by_product),
    "graph.div": (normalisation_by_quotient,),
}
