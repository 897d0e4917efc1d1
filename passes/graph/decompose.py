"""graph-decompose: ops that later passes want in simpler form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.graph.values import (
    Number,
    dtype,
    is_constant,
    is_float,
    on_ranked,
    replacing,
    scalar_constant,
    splat,
)
from mlc.passes.rewriting import apply_patterns, defining_op


def _per_channel(vector: ir.Value, rank: int) -> ir.Value:
    """A vector of one entry per channel, as `[C, 1, ...]` that broadcasts against `[N, C, ...]`."""
    (channels,) = graph.shape_of(vector)
    shape = [-1 if channels is None else channels] + [1] * (rank - 2)
    return graph.build("reshape", [vector], {"shape": shape})


def _with_elements(value: ir.Value, element: ir.Type) -> ir.Value:
    if graph.element_type(value) == element:
        return value
    return graph.build("cast", [value], result_type=ir.RankedTensorType.get(value.type.shape, element))


def batch_norm(op: ir.Operation) -> ir.Value:
    """x * (scale / sqrt(variance + epsilon)) + (bias - mean * that), statistics in their own precision."""
    x, *parameters = op.operands
    exact = graph.element_type(op.operands[4])
    scale, bias, mean, variance = (_with_elements(value, exact) for value in parameters)
    epsilon = scalar_constant(graph.attribute(op, "epsilon"), variance)
    deviation = graph.build("sqrt", [graph.build("add", [variance, epsilon])])
    factor = graph.build("div", [scale, deviation])
    shift = graph.build("sub", [bias, graph.build("mul", [mean, factor])])
    factor, shift = (
        _per_channel(_with_elements(value, graph.element_type(x)), x.type.rank) for value in (factor, shift)
    )
    return graph.build("add", [graph.build("mul", [x, factor]), shift], result_type=op.results[0].type)


def _square(x: ir.Value) -> ir.Value:
    return graph.build("mul", [x, x])


# Exponent -> what to compute of the base. Roots need floats, which fractional exponents imply.
_POWERS: dict[Number | None, Callable[[ir.Value], ir.Value]] = {
    1: lambda x: x,
    2: _square,
    3: lambda x: graph.build("mul", [_square(x), x]),
    0.5: lambda x: graph.build("sqrt", [x]),
    -0.5: lambda x: graph.build("rsqrt", [x]),
}


def power(op: ir.Operation) -> ir.Value | None:
    """Small constant exponents without `pow`."""
    base, exponent = op.operands
    rewrite = _POWERS.get(splat(exponent))
    # An exponent that makes the result larger than the base would be lost.
    return rewrite(base) if rewrite and base.type == op.results[0].type else None


def division(op: ir.Operation) -> ir.Value | None:
    """Division by a number: a multiplication by its reciprocal, where that is an ordinary number."""
    dividend, divisor = op.operands
    number = splat(divisor)
    if not number or not is_float(dividend) or dividend.type != op.results[0].type:
        return None
    with np.errstate(all="ignore"):
        reciprocal = dtype(dividend).type(1 / number)
    if not np.isfinite(reciprocal) or abs(reciprocal) < np.finfo(np.float16).tiny:
        return None
    return graph.build("mul", [dividend, scalar_constant(reciprocal, dividend)])


def subtraction(op: ir.Operation) -> ir.Value | None:
    """Subtraction of a constant: an addition, which folds with others."""
    minuend, subtrahend = op.operands
    if not is_float(minuend) or not is_constant(subtrahend) or is_constant(minuend):
        return None
    number = splat(subtrahend) if subtrahend.type.rank == 0 else None
    negated = graph.build("neg", [subtrahend]) if number is None else scalar_constant(-number, minuend)
    return graph.build("add", [minuend, negated], result_type=op.results[0].type)


def reciprocal(op: ir.Operation) -> ir.Value | None:
    """1 / sqrt(x)."""
    root = defining_op(op.operands[0], "graph.sqrt")
    return None if root is None else graph.build("rsqrt", [root.operands[0]])


@dataclass(frozen=True)
class Decompose(Pass):
    """Write ops in the simpler form that later passes look for.

    `batch_norm` becomes `mul` and `add` with operands computed from the statistics; `pow` with a constant
    exponent of 1, 2, 3, 0.5 or -0.5 multiplications and roots; division by a number a multiplication;
    subtraction of a constant an addition; `reciprocal` of `sqrt` becomes `rsqrt`.
    """

    name: ClassVar[str] = "graph-decompose"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> None:
        rules = {
            "graph.batch_norm": batch_norm,
            "graph.pow": power,
            "graph.div": division,
            "graph.sub": subtraction,
            "graph.reciprocal": reciprocal,
        }
        apply_patterns(op, {name: on_ranked(replacing(rule)) for name, rule in rules.items()})
