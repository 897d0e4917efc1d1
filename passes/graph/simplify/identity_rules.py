"""Algebraic identities of ops with an identity or absorbing constant, or with the same value twice."""

from __future__ import annotations

from math import copysign

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.exactness import approximate, rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import (
    Rule,
    Scalar,
    as_result,
    both_orders,
    fill_like,
    has_result_type,
    is_float,
    splat,
)


def _other(op: ir.Operation, scalar: Scalar) -> ir.Value | None:
    """Returns the operand whose other operand is `scalar` in all elements, else None."""
    for other, constant in both_orders(op):
        if splat(constant) == scalar:
            return other
    return None


def _keep_operand(op: ir.Operation, value: ir.Value | None) -> ir.Value | None:
    return None if value is None else as_result(op, value)


def _is_negative_zero(value: ir.Value) -> bool:
    scalar = splat(value)
    return scalar == 0 and copysign(1, scalar) < 0


def neutral(scalar: Scalar) -> Rule:
    """The other operand, where one is the neutral number of a commutative op."""

    def neutral_operand(op: ir.Operation) -> ir.Value | None:
        return _keep_operand(op, _other(op, scalar))

    return neutral_operand


def absorbing(scalar: Scalar) -> Rule:
    """Replaces an op by `scalar` where an operand is it in all elements, for any other operand."""

    def absorbing_operand(op: ir.Operation) -> ir.Value | None:
        return None if _other(op, scalar) is None else fill_like(op.results[0], scalar)

    return absorbing_operand


def plus_exact_zero(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x + 0` of integers and `x + -0.0` of floats to `x`."""
    for other, constant in both_orders(op):
        if splat(constant) == 0 and (_is_negative_zero(constant) or not is_float(other)):
            return _keep_operand(op, other)
    return None


@rounding
def plus_zero(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x + 0.0` to `x`. The sum of -0.0 and 0.0 is 0.0."""
    return _keep_operand(op, _other(op, 0))


def minus_exact_zero(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x - 0` to `x`, but not x - -0.0."""
    a, b = op.operands
    return _keep_operand(op, a) if splat(b) == 0 and not _is_negative_zero(b) else None


@rounding
def minus_zero(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x - -0.0` to `x`."""
    sub = graph.Sub(op)
    return _keep_operand(op, sub.a) if splat(sub.b) == 0 else None


def _from_zero(op: ir.Operation) -> ir.Value | None:
    a, b = op.operands
    fits = splat(a) == 0 and has_result_type(op, b)
    return graph.build("neg", [b]) if fits else None


def from_exact_zero(op: ir.Operation) -> ir.Value | None:
    """0 - x of integers, -0.0 - x of floats -> -x."""
    a = graph.Sub(op).a
    return _from_zero(op) if _is_negative_zero(a) or not is_float(a) else None


@rounding
def from_zero(op: ir.Operation) -> ir.Value | None:
    """0.0 - x -> -x, of which 0.0 - 0.0 differs."""
    return _from_zero(op)


def over_one(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x / 1` to `x`."""
    div = graph.Div(op)
    return _keep_operand(op, div.a) if splat(div.b) == 1 else None


def times_minus_one(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x * -1` to `-x`."""
    x = _other(op, -1)
    return None if x is None or not has_result_type(op, x) else graph.build("neg", [x])


def times_integer_zero(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x * 0` of integers to 0."""
    mul = graph.Mul(op)
    return None if is_float(mul.a) or _other(op, 0) is None else fill_like(mul.result, 0)


@approximate
def times_zero(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x * 0` to 0, although it is NaN of infinity and NaN."""
    return None if _other(op, 0) is None else fill_like(graph.Mul(op).result, 0)


def _twice(op: ir.Operation) -> bool:
    return bool(op.operands[0] == op.operands[1])


def same_twice(op: ir.Operation) -> ir.Value | None:
    """f(x, x) -> x for min, max, and, or."""
    return op.operands[0] if _twice(op) else None


def integers_cancel(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x - x` and `x xor x` of integers and booleans to 0."""
    binary = graph.Binary(op)
    return fill_like(binary.result, 0) if _twice(op) and not is_float(binary.a) else None


@approximate
def floats_cancel(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x - x` to 0, although it is NaN of infinity and NaN."""
    return fill_like(graph.Sub(op).result, 0) if _twice(op) else None


@approximate
def quotient_of_same(op: ir.Operation) -> ir.Value | None:
    """Rewrites `x / x` to 1, although it is NaN of 0, infinity and NaN."""
    return fill_like(graph.Div(op).result, 1) if _twice(op) else None


def never_less(op: ir.Operation) -> ir.Value | None:
    """Replaces `x < x` and `x > x` by false, which holds for NaN too."""
    return fill_like(op.results[0], 0) if _twice(op) else None


def equals_itself(op: ir.Operation) -> ir.Value | None:
    """Replaces `x == x`, `x <= x` and `x >= x` of integers by true; NaN is unequal to itself."""
    return fill_like(op.results[0], 1) if _twice(op) and not is_float(op.operands[0]) else None


def choice_of_same(op: ir.Operation) -> ir.Value | None:
    """where(c, x, x) -> x."""
    _, x, y = op.operands
    return _keep_operand(op, x) if x == y else None


def check_of_truth(op: ir.Operation) -> ir.Value | None:
    """check(x, true) -> x."""
    return op.operands[0] if splat(op.operands[1]) == 1 else None


RULES: Rules = {
    graph.Add.NAME: (plus_exact_zero, plus_zero),
    graph.Sub.NAME: (
        minus_exact_zero,
        minus_zero,
        from_exact_zero,
        from_zero,
        integers_cancel,
        floats_cancel,
    ),
    graph.Mul.NAME: (neutral(1), times_minus_one, times_integer_zero, times_zero),
    graph.Div.NAME: (over_one, quotient_of_same),
    **dict.fromkeys((graph.Min.NAME, graph.Max.NAME), (same_twice,)),
    graph.And.NAME: (same_twice, neutral(True), absorbing(False)),
    graph.Or.NAME: (same_twice, neutral(False), absorbing(True)),
    graph.Xor.NAME: (integers_cancel, neutral(False)),
    graph.BitwiseAnd.NAME: (same_twice, absorbing(0)),
    graph.BitwiseOr.NAME: (same_twice, neutral(0)),
    graph.BitwiseXor.NAME: (integers_cancel, neutral(0)),
    **dict.fromkeys((graph.Less.NAME, graph.Greater.NAME), (never_less,)),
    **dict.fromkeys((graph.Equal.NAME, graph.LessEqual.NAME, graph.GreaterEqual.NAME), (equals_itself,)),
    graph.Where.NAME: (choice_of_same,),
    graph.Check.NAME: (check_of_truth,),
}
