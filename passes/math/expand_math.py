"""tloop-expand-math: functions as arithmetic, so that they vectorise instead of calling libm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, option
from mlc.passes.common.fast_math import is_approximate
from mlc.passes.common.rewriting import apply_patterns, defining_op, replace_op
from mlc.passes.math.error_function import erf
from mlc.passes.math.exponential import exp, exp2, expm1, log, log1p, log1p_of_unit, power
from mlc.passes.math.expression import Number, element_type
from mlc.passes.math.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from mlc.passes.math.trigonometric import acos, asin, atan, cos, sin, tan


def expand(function: Callable[..., Number]) -> Callable[[ir.Operation], bool]:
    """A pattern that replaces a math op on f32 (scalars or vectors) by `function` of its operands."""

    def pattern(op: ir.Operation) -> bool:
        if not isinstance(element_type(op.results[0].type), ir.F32Type):
            return False
        replace_op(op, function(*map(Number, op.operands)).value)
        return True

    return pattern


def _in_unit_interval(x: ir.Value) -> bool:
    """Whether x is exp(-|y|)."""
    power = defining_op(x, "math.exp")
    negation = defining_op(power.operands[0], "arith.negf") if power is not None else None
    return negation is not None and defining_op(negation.operands[0], "math.absf") is not None


def expand_log1p_of_unit(op: ir.Operation) -> bool:
    """log1p(exp(-|x|)), as in softplus, has an argument in [0, 1]: fewer steps."""
    return _in_unit_interval(op.operands[0]) and expand(log1p_of_unit)(op)


def expand_exactly(function: Callable[..., Number]) -> Callable[[ir.Operation], bool]:
    """The same, but for ops that may be approximate (`afn`)."""
    pattern = expand(function)

    def exact(op: ir.Operation) -> bool:
        return not is_approximate(op) and pattern(op)

    return exact


# What looks at an operand's op, before that is replaced.
FIRST = {"math.log1p": expand_log1p_of_unit}
PATTERNS = {
    "math.exp": expand(exp),
    "math.exp2": expand(exp2),
    "math.expm1": expand(expm1),
    "math.log": expand(log),
    "math.log1p": expand(log1p),
    "math.powf": expand(power),
    "math.tanh": expand(tanh),
    "math.sinh": expand(sinh),
    "math.cosh": expand(cosh),
    "math.asinh": expand(asinh),
    "math.acosh": expand(acosh),
    "math.atanh": expand(atanh),
    "math.sin": expand(sin),
    "math.cos": expand(cos),
    "math.tan": expand(tan),
    "math.asin": expand(asin),
    "math.acos": expand(acos),
    "math.atan": expand(atan),
    "math.erf": expand(erf),
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
        kept = {"math.exp2": expand_exactly(exp2)} if self.keep_approximate else {}
        apply_patterns(op, {**PATTERNS, **kept})
