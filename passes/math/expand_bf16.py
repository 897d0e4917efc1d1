"""tloop-expand-bf16: conversions from f32 to bf16 on integers, so that they vectorise everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, replace_op
from mlc.passes.common.target import has_bf16, target_of
from mlc.passes.math.expression import element_type, with_element


def _constant(type_: ir.Type, value: int) -> ir.Value:
    attribute: ir.Attribute = ir.IntegerAttr.get(element_type(type_), value)
    if isinstance(type_, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(type_, attribute)
    return arith.ConstantOp(type_, attribute).result


def _shift(bits: ir.Value, count: int) -> ir.Value:
    return arith.shrui(bits, _constant(bits.type, count))


def round_to_bf16(op: ir.Operation) -> bool:
    """Replaces `arith.truncf` to bf16 by the upper half of the f32, rounded to nearest, ties to even; NaN
    stays NaN, made quiet."""
    trunc_f = arith.TruncF(op)
    x, type_ = trunc_f.in_, trunc_f.out.type
    if not (isinstance(element_type(x.type), ir.F32Type) and isinstance(element_type(type_), ir.BF16Type)):
        return False
    wide, narrow = (with_element(type_, ir.IntegerType.get_signless(width)) for width in (32, 16))
    bits = arith.bitcast(wide, x)
    odd = arith.andi(_shift(bits, 16), _constant(wide, 1))
    rounded = arith.addi(bits, arith.addi(odd, _constant(wide, 0x7FFF)))
    quiet = arith.ori(bits, _constant(wide, 0x400000))
    chosen = arith.select(arith.cmpf(arith.CmpFPredicate.UNO, x, x), quiet, rounded)
    replace_op(op, arith.bitcast(type_, arith.trunci(narrow, _shift(chosen, 16))))
    return True


def widen_bf16(op: ir.Operation) -> bool:
    """Replaces `arith.extf` of a bf16, whose bits are the upper half of the f32's."""
    ext_f = arith.ExtF(op)
    x, type_ = ext_f.in_, ext_f.out.type
    if not (isinstance(element_type(x.type), ir.BF16Type) and isinstance(element_type(type_), ir.F32Type)):
        return False
    wide, narrow = (with_element(type_, ir.IntegerType.get_signless(width)) for width in (32, 16))
    bits = arith.extui(wide, arith.bitcast(narrow, x))
    replace_op(op, arith.bitcast(type_, arith.shli(bits, _constant(wide, 16))))
    return True


@dataclass(frozen=True)
class ExpandBf16(Pass):
    """Rewrites conversions between f32 and bf16 to shifts and additions of integers, on targets without
    instructions for them."""

    name: ClassVar[str] = "tloop-expand-bf16"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        if not has_bf16(target_of(op)):
            apply_patterns(op, {arith.TruncF.NAME: round_to_bf16, arith.ExtF.NAME: widen_bf16})
