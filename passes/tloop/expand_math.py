"""tloop-expand-math: transcendental functions as polynomials, so that they vectorise instead of calling
libm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.rewriting import apply_patterns, replace_op
from mlc.passes.tloop import polynomials


def expand(function: Callable[[ir.Value], ir.Value]) -> Callable[[ir.Operation], bool]:
    """A pattern that replaces a math op on f32 (scalar or vector) by `function` of its operand."""

    def pattern(op: ir.Operation) -> bool:
        operand = op.operands[0]
        if not polynomials.is_f32(operand.type):
            return False
        replace_op(op, function(operand))
        return True

    return pattern


PATTERNS = {
    "math.exp": expand(polynomials.exp),
    "math.log": expand(polynomials.log),
    "math.log1p": expand(polynomials.log1p),
    "math.tanh": expand(polynomials.tanh),
    "math.erf": expand(polynomials.erf),
}


@dataclass(frozen=True)
class ExpandMath(Pass):
    """Replaces exp, log, log1p, tanh and erf on f32 by range reductions and polynomials (docs/vector-math.md
    states the errors)."""

    name: ClassVar[str] = "tloop-expand-math"
    anchor: ClassVar[str] = "func.func"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, PATTERNS)
