"""Rules that combine constants: scalars are computed, chains of offsets and of factors become one."""

from __future__ import annotations

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.constant_operands import keeps_size, reads, sole_use, variable_and_constant
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import (
    constant_array,
    dtype,
    is_constant,
    is_float,
    scalar_constant,
    splat,
)
from mlc.passes.graph.simplify.constant_ranges import (
    FUNCTIONS,
    known_values,
    leaves_range,
    meet_safely,
    stays_normal,
)
from mlc.passes.remarks import report_missed


def on_scalars(op: ir.Operation) -> ir.Value | None:
    """Arithmetic on constants of one element; integers only where nothing is divided."""
    arrays = []
    for operand in op.operands:
        array = constant_array(operand)
        if array is None or array.size != 1:
            return None
        arrays.append(array)
    element_dtype = dtype(op.results[0])
    if op.name in (graph.Div.NAME, graph.Reciprocal.NAME) and element_dtype.kind in "iu":
        return None
    with np.errstate(all="ignore"):
        value = np.asarray(FUNCTIONS[op.name](*arrays), element_dtype)
    return graph.build("constant", [], {"value": value})


def difference_as_sum(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x - c` to `x + (-c)` of floats: one form for offsets."""
    minuend, subtrahend = op.operands
    if not is_float(minuend) or not is_constant(subtrahend) or is_constant(minuend):
        return None
    scalar = splat(subtrahend) if subtrahend.type.rank == 0 else None
    negated = graph.build("neg", [subtrahend]) if scalar is None else scalar_constant(-scalar, minuend)
    return graph.build("add", [minuend, negated], None, graph.Sub(op).result.type)


@rounding
def combine_constants(op: ir.Operation) -> ir.Value | None:
    """(x + a) + b -> x + (a + b) for constants a and b, and the same for mul."""
    found = variable_and_constant(op) if reads(op, op.name) else None
    inner = sole_use(found[0], op.name) if found else None
    parts = variable_and_constant(inner) if inner else None
    if not (found and parts):
        return None
    if not keeps_size(parts[1], found[1]):
        report_missed(op, "combine_constants", "the two constants together would be larger than each")
        return None
    if not meet_safely(op, "combine_constants", op.name, parts[1], found[1]):
        return None
    return graph.build(op.name, [parts[0], graph.build(op.name, [parts[1], found[1]])])


@rounding
def both_chained(op: ir.Operation) -> ir.Value | None:
    """(x + a) + (y + b) -> (x + y) + (a + b) for constants a and b, and the same for mul, where x * y is
    about as large as before: not in f16."""
    inner = [sole_use(operand, op.name) for operand in op.operands]
    if inner[0] is None or inner[1] is None:
        return None
    first, second = variable_and_constant(inner[0]), variable_and_constant(inner[1])
    if not (first and second) or not keeps_size(first[1], second[1]):
        return None
    if not graph.same_type(first[0], second[0]):
        return None
    if op.name == graph.Mul.NAME and not _leaves_product(first[1], second[1]):
        report_missed(op, "both_chained", leaves_range(first[1]))
        return None
    if not meet_safely(op, "both_chained", op.name, first[1], second[1]):
        return None
    variables = graph.build(op.name, [first[0], second[0]])
    return graph.build(op.name, [variables, graph.build(op.name, [first[1], second[1]])])


def _leaves_product(*factors: ir.Value) -> bool:
    """Whether a product of variables is a normal value without these factors, too."""
    element_dtype = dtype(factors[0])
    is_normal = stays_normal(graph.Mul.NAME, None, None, element_dtype)
    return is_normal and all(
        stays_normal(graph.Mul.NAME, None, known_values(factor), element_dtype) for factor in factors
    )


def _from_constant(op: ir.Operation | None) -> tuple[ir.Value, ir.Value] | None:
    """Returns `c` and `x` of `c - x` or `c / x`."""
    if op is None:
        return None
    constant, x = op.operands
    return (constant, x) if is_constant(constant) and not is_constant(x) else None


# The op that undoes another, and is not commutative: sums and differences, products and quotients.
_INVERSE = {graph.Add.NAME: graph.Sub.NAME, graph.Mul.NAME: graph.Div.NAME}
_DIRECT = {inverse: direct for direct, inverse in _INVERSE.items()}


@rounding
def after_inverse(op: ir.Operation) -> ir.Value | None:
    """(a - x) + b -> (a + b) - x, and (a / x) * b -> (a * b) / x, for constants a and b."""
    found = variable_and_constant(op) if reads(op, _INVERSE[op.name]) else None
    parts = _from_constant(sole_use(found[0], _INVERSE[op.name])) if found else None
    if not (found and parts) or not keeps_size(parts[0], found[1]) or not is_float(found[0]):
        return None
    if not meet_safely(op, "after_inverse", op.name, parts[0], found[1]):
        return None
    return graph.build(_INVERSE[op.name], [graph.build(op.name, [parts[0], found[1]]), parts[1]])


@rounding
def inverse_of_direct(op: ir.Operation) -> ir.Value | None:
    """Rewrites `a - (x + b)` to `(a - b) - x`, and `a / (x * b)` to `(a / b) / x`, for constants a and b."""
    found = _from_constant(op) if reads(op, _DIRECT[op.name]) else None
    inner = sole_use(found[1], _DIRECT[op.name]) if found else None
    parts = variable_and_constant(inner) if inner else None
    if not (found and parts) or not keeps_size(found[0], parts[1]) or not is_float(parts[0]):
        return None
    if not meet_safely(op, "inverse_of_direct", op.name, found[0], parts[1]):
        return None
    return graph.build(op.name, [graph.build(op.name, [found[0], parts[1]]), parts[0]])


@rounding
def inverse_of_inverse(op: ir.Operation) -> ir.Value | None:
    """Rewrites `a - (b - x)` to `x + (a - b)`, and `a / (b / x)` to `x * (a / b)`, for constants a and b."""
    found = _from_constant(op) if reads(op, op.name) else None
    parts = _from_constant(sole_use(found[1], op.name)) if found else None
    if not (found and parts) or not keeps_size(found[0], parts[0]) or not is_float(parts[1]):
        return None
    if not meet_safely(op, "inverse_of_inverse", op.name, found[0], parts[0]):
        return None
    return graph.build(_DIRECT[op.name], [parts[1], graph.build(op.name, [found[0], parts[0]])])


def negated_product(op: ir.Operation) -> ir.Value | None:
    """Rewrites `-(x * c)` to `x * (-c)` of floats, for a constant c."""
    inner = sole_use(graph.Neg(op).x, graph.Mul.NAME)
    parts = variable_and_constant(inner) if inner else None
    if parts is None or not is_float(parts[0]):
        return None
    return graph.build("mul", [parts[0], graph.build("neg", [parts[1]])])


def product_of_negated(op: ir.Operation) -> ir.Value | None:
    """(-x) * c -> x * (-c), for a constant c."""
    found = variable_and_constant(op) if reads(op, graph.Neg.NAME) else None
    inner = defining_op(found[0], graph.Neg.NAME) if found else None
    if not found or inner is None:
        return None
    return graph.build("mul", [inner.operands[0], graph.build("neg", [found[1]])])


_CHAINS = (on_scalars, combine_constants, both_chained, after_inverse)
_INVERSES = (on_scalars, inverse_of_direct, inverse_of_inverse)

RULES: Rules = {
    graph.Add.NAME: _CHAINS,
    graph.Mul.NAME: (*_CHAINS, product_of_negated),
    graph.Sub.NAME: (*_INVERSES, difference_as_sum),
    graph.Div.NAME: _INVERSES,
    graph.Neg.NAME: (on_scalars, negated_product),
    **dict.fromkeys((graph.Abs.NAME, graph.Sqrt.NAME, graph.Reciprocal.NAME), (on_scalars,)),
}
