"""Matchers for the rules that recognise idioms: products of factors, sums with a constant, reductions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import ml_dtypes

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import FLOAT
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.values import Scalar, constant_and_other, dtype, splat


def is_scalar_constant(found: Scalar, wanted: float, like: ir.Value) -> bool:
    """Whether a constant equals `wanted` in the precision of the element type of `like`: within two steps of
    its significand, since products of constants are rounded, too."""
    step = ml_dtypes.finfo(dtype(like)).eps  # type: ignore[no-untyped-call]  # NumPy's knows no bfloat16
    return math.isclose(found, wanted, rel_tol=2 * float(step))


@dataclass
class Product:
    """A tree of multiplications as a constant times factors."""

    coefficient: float
    factors: list[ir.Value]


# Exporters' products are shallower; squares of squares would have factors without end.
_DEPTH = 6


def product_of(value: ir.Value, whole: ir.Value | None = None, depth: int = _DEPTH) -> Product:
    """The factors of a value; `whole` is one factor even where it is a product."""
    op, scalar = defining_op(value), splat(value)
    if scalar is not None:
        return Product(scalar, [])
    if op is None or op.name not in _FACTORED or depth == 0 or (whole is not None and value == whole):
        return Product(1.0, [value])
    a, b = op.operands
    base = product_of(a, whole, depth - 1)
    return _FACTORED[op.name](base, product_of(b, whole, depth - 1)) or Product(1.0, [value])


def _times(a: Product, b: Product) -> Product:
    return Product(a.coefficient * b.coefficient, a.factors + b.factors)


def _divide(a: Product, b: Product) -> Product | None:
    """Returns `a / b` for a constant `b`, else None."""
    return None if b.factors or not b.coefficient else Product(a.coefficient / b.coefficient, a.factors)


def _raise_to(a: Product, b: Product) -> Product | None:
    """Returns `a ** b` for a constant `b` of 2 or 3, else None."""
    if b.factors or b.coefficient not in (2, 3):
        return None
    exponent = int(b.coefficient)
    return Product(a.coefficient**exponent, a.factors * exponent)


_FACTORED = {graph.Mul.NAME: _times, graph.Div.NAME: _divide, graph.Pow.NAME: _raise_to}


def is_power(value: ir.Value, coefficient: float, x: ir.Value, exponent: int) -> bool:
    """Whether the value is coefficient * x**exponent."""
    product = product_of(value, x)
    return product.factors == [x] * exponent and is_scalar_constant(product.coefficient, coefficient, x)


def plus_constant(value: ir.Value) -> tuple[ir.Value, Scalar] | None:
    """Returns `u` and `c` where the value is `u + c` with a constant `c`, else None."""
    op = defining_op(value, graph.Add.NAME)
    return constant_and_other(op) if op is not None else None


def operand_of_negation(value: ir.Value) -> ir.Value | None:
    """Returns `x` where the value is `-x` or `x * -1`, else None."""
    op = defining_op(value)
    if op is None or op.name not in (graph.Neg.NAME, graph.Mul.NAME):
        return None
    if op.name == graph.Neg.NAME:
        return graph.Neg(op).x
    found = constant_and_other(op)
    return found[0] if found and found[1] == -1 else None


def _is_computed(value: ir.Value) -> bool:
    return FLOAT.admits(str(graph.element_type(value)))


def without_casts(value: ir.Value) -> ir.Value:
    """Returns the value before casts between floating-point types that arithmetic supports."""
    op = defining_op(value, graph.Cast.NAME)
    while op is not None and _is_computed(value) and _is_computed(op.operands[0]):
        value = op.operands[0]
        op = defining_op(value, graph.Cast.NAME)
    return value


def like_type(value: ir.Value, element: ir.Type) -> ir.Value:
    """The value with elements of a type, by a cast where it needs one."""
    if graph.element_type(value) == element:
        return value
    return graph.build("cast", [value], result_type=ir.RankedTensorType.get(value.type.shape, element))


def reduction_of(value: ir.Value, name: str) -> tuple[ir.Value, list[int]] | None:
    """Returns the operand and the sorted axes of a reduction `name` whose result keeps the axes as dims of 1,
    else None."""
    op = defining_op(value)
    if op is not None and op.name in (graph.Reshape.NAME, graph.Unsqueeze.NAME):
        return _restored_reduction_of(op, name)
    if op is None or op.name != name or not graph.attribute(op, "keepdims"):
        return None
    return op.operands[0], sorted(graph.attribute(op, "axes"))


def _restored_reduction_of(view: ir.Operation, name: str) -> tuple[ir.Value, list[int]] | None:
    """The same of a reduction that drops its axes, before a view that puts them back."""
    op = defining_op(view.operands[0], name)
    if op is None or graph.attribute(op, "keepdims"):
        return None
    x, axes = op.operands[0], sorted(graph.attribute(op, "axes"))
    kept = [1 if axis in axes else dim for axis, dim in enumerate(graph.shape_of(x))]
    return (x, axes) if None not in kept and kept == graph.shape_of(view.results[0]) else None
