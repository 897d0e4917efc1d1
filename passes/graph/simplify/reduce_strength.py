"""graph-reduce-strength: costly ops as cheaper ones.

Rules that replace powers, quotients and roots by what costs less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import frexp
from typing import ClassVar

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.exactness import approximate, exactness_option, rounding
from mlc.passes.graph.common.rules import Rules, apply_rules, join_tables
from mlc.passes.graph.common.signs import never_negative
from mlc.passes.graph.common.values import (
    Scalar,
    constant_array,
    dtype,
    fill_like,
    has_result_type,
    is_float,
    is_static,
    splat,
)
from mlc.passes.graph.simplify import reduction_rules
from mlc.passes.remarks import report_missed


def _exponent(op: ir.Operation) -> Scalar | None:
    """The constant exponent of a power, where the result is no larger than the base."""
    return splat(op.operands[1]) if has_result_type(op, op.operands[0]) else None


def first_power(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x ** 1` to `x`."""
    return graph.Pow(op).a if _exponent(op) == 1 else None


def zeroth_power(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x ** 0` to 1, of NaN and infinity too."""
    return fill_like(graph.Pow(op).result, 1) if _exponent(op) == 0 else None


def _square(x: ir.Value) -> ir.Value:
    return graph.build("mul", [x, x])


_WHOLE: dict[Scalar, Callable[[ir.Value], ir.Value]] = {
    2: _square,
    3: lambda x: graph.build("mul", [_square(x), x]),
    4: lambda x: _square(_square(x)),
}


@rounding
def whole_power(op: ir.Operation) -> ir.Value | None:
    """Replaces `x ** 2`, `x ** 3` and `x ** 4` by products."""
    exponent = _exponent(op)
    return _WHOLE[exponent](graph.Pow(op).a) if exponent in _WHOLE else None


@rounding
def inverse_power(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x ** -1` to `1 / x`."""
    pow_op = graph.Pow(op)
    if _exponent(op) != -1 or not is_float(pow_op.a):
        return None
    return graph.build("reciprocal", [pow_op.a])


_ROOTS: dict[Scalar, str] = {0.5: "sqrt", -0.5: "rsqrt"}


def _root(op: ir.Operation) -> ir.Value | None:
    name, base = _ROOTS.get(_exponent(op) or 0), op.operands[0]
    return graph.build(name, [base]) if name and is_float(base) else None


@rounding
def root_of_positive(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x ** 0.5` to `sqrt(x)` and `x ** -0.5` to `rsqrt(x)`, where x is not negative."""
    if _exponent(op) not in _ROOTS:
        return None
    if never_negative(graph.Pow(op).a):
        return _root(op)
    report_missed(
        op, "root_of_positive", "the base may be negative; rules that are approximate would not ask"
    )
    return None


@approximate
def root_of_any(op: ir.Operation) -> ir.Value | None:
    """The same for any x. Of minus infinity and -0.0 the power and the root differ."""
    return _root(op)


def _reciprocals(divisor: ir.Value) -> np.ndarray | None:
    """Returns `1 / c` for a constant of floats, where all its elements are normal values."""
    array = constant_array(divisor)
    constant = splat(divisor)
    if constant is not None:
        array = np.asarray(constant, dtype(divisor)).reshape(array.shape if array is not None else ())
    if array is None or not is_float(divisor):
        return None
    with np.errstate(all="ignore"):
        wide = 1 / array.astype(np.float64)
    smallest = np.finfo(np.float16).tiny
    is_normal = np.isfinite(wide) & (abs(wide) >= smallest) & (abs(wide) <= 1 / smallest)
    return wide.astype(array.dtype) if is_normal.all() else None


def _is_power_of_two(array: np.ndarray) -> bool:
    return all(abs(frexp(float(entry))[0]) == 0.5 for entry in array.flat)


def _product(op: ir.Operation, wanted: Callable[[np.ndarray], bool]) -> ir.Value | None:
    dividend, divisor = op.operands
    factors = _reciprocals(divisor)
    if factors is None or not wanted(factors):
        return None
    # A splat is one value, unless it makes the result larger.
    if has_result_type(op, dividend) and splat(divisor) is not None:
        factors = np.asarray(factors.flat[0])
    return graph.build("mul", [dividend, graph.build("constant", [], {"value": factors})])


def quotient_by_power_of_two(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x / 2**k` to `x * 2**-k`: the same value, rounded once."""
    return _product(op, _is_power_of_two)


@rounding
def quotient_by_constant(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x / c` to `x * (1 / c)`."""
    return _product(op, lambda _: True)


def quotient_of_one(op: ir.Operation) -> ir.Value | None:
    """1 / x -> reciprocal(x)."""
    one, divisor = op.operands
    if splat(one) != 1 or not is_float(divisor) or not has_result_type(op, divisor):
        return None
    return graph.build("reciprocal", [divisor])


@rounding
def quotient_by_root(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x / sqrt(y)` to `x * rsqrt(y)`, where y has fewer elements than x: fewer quotients."""
    dividend, divisor = op.operands
    root = graph.Sqrt.defining(divisor)
    if root is None or not has_one_use(divisor) or not _broadcasts(divisor, graph.Div(op).result):
        return None
    return graph.build("mul", [dividend, graph.build("rsqrt", [root.x])])


def _broadcasts(value: ir.Value, than: ir.Value) -> bool:
    """Whether `value`, which broadcasts, has a dim of 1 where the other is known to have more."""
    shape, whole = graph.shape_of(value), graph.shape_of(than)
    aligned = [1] * (len(whole) - len(shape)) + shape
    return any(one == 1 and other != 1 for one, other in zip(aligned, whole, strict=True)) and is_static(than)


@rounding
def reciprocal_of_root(op: ir.Operation) -> ir.Value | None:
    """1 / sqrt(x) -> rsqrt(x), and 1 / rsqrt(x) -> sqrt(x)."""
    inner = defining_op(graph.Reciprocal(op).x)
    other = (
        {graph.Sqrt.NAME: "rsqrt", graph.Rsqrt.NAME: "sqrt"}.get(inner.name) if inner is not None else None
    )
    return graph.build(other, [inner.operands[0]]) if inner is not None and other else None


POWER_RULES: Rules = {
    graph.Pow.NAME: (first_power, zeroth_power, whole_power, inverse_power, root_of_positive, root_of_any),
    graph.Div.NAME: (quotient_of_one, quotient_by_power_of_two, quotient_by_constant, quotient_by_root),
    graph.Reciprocal.NAME: (reciprocal_of_root,),
}


RULES = join_tables(POWER_RULES, reduction_rules.RULES)


@dataclass(frozen=True)
class ReduceStrength(Pass):
    """Replace costly ops by cheaper ones that compute the same.

    Powers with exponents 0 to 4, -1, 0.5 and -0.5 as products, reciprocals and roots; division by constants
    as multiplication; 1 / sqrt(x) as rsqrt; reductions over dims of 1 as views, of reductions as one;
    look-ups at constant indices as slices; where with a constant condition; pooling over one element or over
    everything. A root stands for a power only of what is never negative, unless `approximate` is allowed.
    """

    name: ClassVar[str] = "graph-reduce-strength"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
