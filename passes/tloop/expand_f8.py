"""tloop-expand-f8: conversions of floats of 8 bits on integers, as LLVM has no such types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir
from mlc.passes.base import Pass
from mlc.passes.lowering.linalg_tools import constant
from mlc.passes.rewriting import apply_patterns, replace_op


@dataclass(frozen=True)
class Format:
    """A float of 8 bits: bits of mantissa, bias of the exponent, the largest number's code, that of what is
    too large, and that of NaN."""

    mantissa: int
    bias: int
    largest: int
    overflow: int
    nan: int

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def shift(self) -> int:
        """How many more bits of mantissa f32 has."""
        return 23 - self.mantissa


# OFP8 of the Open Compute Project. E4M3FN has no infinity, and one NaN of each sign.
FORMATS: dict[type[ir.Type], Format] = {
    ir.Float8E4M3FNType: Format(3, 7, largest=0x7E, overflow=0x7F, nan=0x7F),
    ir.Float8E5M2Type: Format(2, 15, largest=0x7B, overflow=0x7C, nan=0x7E),
}


def _integer(width: int) -> ir.Type:
    return ir.IntegerType.get_signless(width)


def _number(value: int) -> ir.Value:
    return constant(_integer(32), value)


def _is_above(code: ir.Value, limit: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ugt, code, _number(limit))


def widened(x: ir.Value, form: Format) -> ir.Value:
    """Exponent and mantissa as those of an f32, whose exponents begin lower: subnormal numbers too."""
    single, bits = ir.F32Type.get(), arith.extui(_integer(32), arith.bitcast(_integer(8), x))
    code = arith.andi(bits, _number(0x7F))
    sign = arith.shli(arith.andi(bits, _number(0x80)), _number(24))
    scaled = arith.bitcast(single, arith.ori(sign, arith.shli(code, _number(form.shift))))
    number = arith.mulf(scaled, constant(single, 2.0 ** (127 - form.bias)))
    # What is above the largest number: the codes of infinity, where there is one, and of NaN.
    special = _number(0x7FC00000)
    if form.overflow != form.nan:
        special = arith.select(_is_above(code, form.overflow), special, _number(0x7F800000))
    signed = arith.bitcast(single, arith.ori(sign, special))
    return arith.select(_is_above(code, form.largest), signed, number)


def narrowed(x: ir.Value, form: Format) -> ir.Value:
    """The code of an f32, in the low bits of an i32: rounded to nearest, ties to even."""
    single, bits = ir.F32Type.get(), arith.bitcast(_integer(32), x)
    magnitude = arith.andi(bits, _number(0x7FFFFFFF))
    odd = arith.andi(arith.shrui(magnitude, _number(form.shift)), _number(1))
    half = arith.addi(odd, _number((1 << form.shift - 1) - 1))
    normal = arith.shrui(arith.addi(magnitude, half), _number(form.shift))
    normal = arith.subi(normal, _number(127 - form.bias << form.mantissa))
    # f32 rounds the sum with this to multiples of the smallest subnormal number.
    rounder = constant(single, form.smallest_normal * 2.0**form.shift)
    sum_bits = arith.bitcast(_integer(32), arith.addf(arith.bitcast(single, magnitude), rounder))
    subnormal = arith.subi(sum_bits, arith.bitcast(_integer(32), rounder))
    smallest = constant(single, form.smallest_normal)
    is_subnormal = arith.cmpf(arith.CmpFPredicate.OLT, arith.bitcast(single, magnitude), smallest)
    code = arith.select(is_subnormal, subnormal, normal)
    code = arith.select(_is_above(code, form.largest), _number(form.overflow), code)
    is_nan = arith.cmpf(arith.CmpFPredicate.UNO, x, x)
    sign = arith.andi(arith.shrui(bits, _number(24)), _number(0x80))
    return arith.ori(sign, arith.select(is_nan, _number(form.nan), code))


def widen(op: ir.Operation) -> bool:
    """`arith.extf` of a number in 8 bits."""
    kind = op.results[0].type
    form = FORMATS.get(type(op.operands[0].type))
    if form is None or not isinstance(kind, ir.FloatType):
        return False
    value = widened(op.operands[0], form)
    if kind.width != 32:
        value = arith.truncf(kind, value) if kind.width < 32 else arith.extf(kind, value)
    replace_op(op, value)
    return True


def narrow(op: ir.Operation) -> bool:
    """`arith.truncf` to 8 bits, but for f64, which f32 would round a first time."""
    x, kind = op.operands[0], op.results[0].type
    form = FORMATS.get(type(kind))
    if form is None or not isinstance(x.type, ir.FloatType) or x.type.width > 32:
        return False
    single = x if x.type.width == 32 else arith.extf(ir.F32Type.get(), x)
    byte = arith.trunci(_integer(8), narrowed(single, form))
    replace_op(op, arith.bitcast(kind, byte))
    return True


@dataclass(frozen=True)
class ExpandF8(Pass):
    """Rewrites `arith.extf` from and `arith.truncf` to f8E4M3FN and f8E5M2, on scalars, to arithmetic of
    integers and f32. What is too large becomes infinity, or NaN where there is none."""

    name: ClassVar[str] = "tloop-expand-f8"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {"arith.extf": widen, "arith.truncf": narrow})
