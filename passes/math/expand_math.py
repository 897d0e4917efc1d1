"""tloop-expand-math: functions as arithmetic, so that they vectorise instead of calling libm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, math
from mlc.passes.base import Pass, option
from mlc.passes.common.fast_math import is_approximate
from mlc.passes.common.rewriting import apply_patterns, replace_op
from mlc.passes.math.error_function import erf
from mlc.passes.math.exponential import (
    exp,
    exp2,
    exp_of_normal,
    expm1,
    log,
    log1p,
    log1p_of_unit,
    power,
)
from mlc.passes.math.expression import FloatValue, element_type
from mlc.passes.math.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from mlc.passes.math.trigonometric import acos, asin, atan, cos, sin, tan


def expand(function: Callable[..., FloatValue]) -> Callable[[ir.Operation], bool]:
    """Returns a pattern that replaces a math op on f32 (scalars or vectors) by `function` of its operands."""

    def pattern(op: ir.Operation) -> bool:
        if not isinstance(element_type(op.results[0].type), ir.F32Type):
            return False
        replace_op(op, function(*map(FloatValue, op.operands)).value)
        return True

    return pattern


def _in_unit_interval(x: ir.Value) -> bool:
    """Whether x is exp(-|y|)."""
    power = math.Exp.defining(x)
    negation = arith.NegF.defining(power.operand) if power is not None else None
    return negation is not None and math.AbsF.defining(negation.operand) is not None


def expand_log1p_of_unit(op: ir.Operation) -> bool:
    """Replaces `log1p(exp(-|x|))`, as in softplus, in fewer steps, as the argument is in [0, 1]."""
    return _in_unit_interval(math.Log1p(op).operand) and expand(log1p_of_unit)(op)


def _bound_of(value: ir.Value, predicate: arith.CmpFPredicate) -> tuple[ir.Value, float] | None:
    """Returns x and c where the value is `select(x predicate c, c, x)`, c a constant, else None."""
    choice = arith.Select.defining(value)
    test = arith.CmpF.defining(choice.condition) if choice is not None else None
    if choice is None or test is None or ir.IntegerAttr(test.predicate).value != predicate:
        return None
    constant = arith.Constant.defining(choice.true_value)
    if constant is None or (test.lhs, test.rhs) != (choice.false_value, choice.true_value):
        return None
    bound = constant.value
    if isinstance(bound, ir.DenseElementsAttr):
        if not bound.is_splat:
            return None
        bound = bound.get_splat_value()
    return test.lhs, ir.FloatAttr(bound).value


def _is_clamped(value: ir.Value, low: float, high: float) -> bool:
    """Whether the value is clamped to bounds in [low, high], or NaN."""
    above = _bound_of(value, arith.CmpFPredicate.OGT)
    below = _bound_of(above[0], arith.CmpFPredicate.OLT) if above is not None else None
    return above is not None and below is not None and low <= below[1] and above[1] <= high


def expand_exp_of_normal(op: ir.Operation) -> bool:
    """Replaces `exp(x)` in fewer steps where x is clamped to values whose exponentials are normal, as in
    softmax."""
    return _is_clamped(math.Exp(op).operand, -87.0, 88.0) and expand(exp_of_normal)(op)


def expand_exactly(function: Callable[..., FloatValue]) -> Callable[[ir.Operation], bool]:
    """Returns the pattern of `expand` for ops that must not be approximate (`afn`)."""
    pattern = expand(function)

    def exact(op: ir.Operation) -> bool:
        return not is_approximate(op) and pattern(op)

    return exact


# Patterns that match an operand's op, applied before that is replaced.
FIRST = {math.Exp.NAME: expand_exp_of_normal, math.Log1p.NAME: expand_log1p_of_unit}
PATTERNS = {
    math.Exp.NAME: expand(exp),
    math.Exp2.NAME: expand(exp2),
    math.ExpM1.NAME: expand(expm1),
    math.Log.NAME: expand(log),
    math.Log1p.NAME: expand(log1p),
    math.PowF.NAME: expand(power),
    math.Tanh.NAME: expand(tanh),
    math.Sinh.NAME: expand(sinh),
    math.Cosh.NAME: expand(cosh),
    math.Asinh.NAME: expand(asinh),
    math.Acosh.NAME: expand(acosh),
    math.Atanh.NAME: expand(atanh),
    math.Sin.NAME: expand(sin),
    math.Cos.NAME: expand(cos),
    math.Tan.NAME: expand(tan),
    math.Asin.NAME: expand(asin),
    math.Acos.NAME: expand(acos),
    math.Atan.NAME: expand(atan),
    math.Erf.NAME: expand(erf),
}


@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replace exponential, logarithmic, hyperbolic, trigonometric and error functions and powers of f32 by
    range reductions and polynomials (docs/vector-math.md states the errors)."""

    name: ClassVar[str] = "tloop-expand-math"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    keep_approximate: bool = option(
        False, help="leave powers of two that may be approximate (`afn`), for which GPUs have an instruction"
    )

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, FIRST)
        kept = {math.Exp2.NAME: expand_exactly(exp2)} if self.keep_approximate else {}
        apply_patterns(op, {**PATTERNS, **kept})
