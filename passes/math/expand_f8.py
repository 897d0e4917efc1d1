"""tloop-expand-f8: conversions of floats of 8 bits on integers, as LLVM has no such types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir
from mlc.passes.base import Pass
from mlc.passes.common.narrow_floats import MULTIPLIED, from_single, to_single
from mlc.passes.common.rewriting import apply_patterns, replace_op


def widen(op: ir.Operation) -> bool:
    """Expands `arith.extf` of a float of 8 bits."""
    ext_f = arith.ExtF(op)
    type_ = ext_f.out.type
    if not isinstance(ext_f.in_.type, MULTIPLIED) or not isinstance(type_, ir.FloatType):
        return False
    value = to_single(ext_f.in_)
    if type_.width != 32:
        value = arith.truncf(type_, value) if type_.width < 32 else arith.extf(type_, value)
    replace_op(op, value)
    return True


def narrow(op: ir.Operation) -> bool:
    """Expands `arith.truncf` to 8 bits, but for f64, which would be rounded twice."""
    trunc_f = arith.TruncF(op)
    x, type_ = trunc_f.in_, trunc_f.out.type
    if not isinstance(type_, MULTIPLIED) or not isinstance(x.type, ir.FloatType) or x.type.width > 32:
        return False
    single = x if x.type.width == 32 else arith.extf(ir.F32Type.get(), x)
    replace_op(op, from_single(single, type_, saturate=False, round_mode="nearest"))
    return True


@dataclass(frozen=True)
class ExpandF8(Pass):
    """Rewrites `arith.extf` from and `arith.truncf` to f8E4M3FN and f8E5M2, on scalars, to arithmetic of
    integers and f32. What is too large becomes infinity, or NaN where there is none."""

    name: ClassVar[str] = "tloop-expand-f8"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {arith.ExtF.NAME: widen, arith.TruncF.NAME: narrow})
