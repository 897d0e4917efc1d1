"""tloop-expand-f8: floats of 8 bits are widened on integers, as LLVM has no such type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir
from mlc.passes.base import Pass
from mlc.passes.lowering.linalg_tools import constant
from mlc.passes.rewriting import apply_patterns, replace_op


def _bits(value: ir.Value, count: int) -> ir.Value:
    """`value`, an f8, in the low bits of an integer of `count` bits."""
    byte = arith.bitcast(ir.IntegerType.get_signless(8), value)
    return arith.extui(ir.IntegerType.get_signless(count), byte)


def widen_e5m2(x: ir.Value) -> ir.Value:
    """The upper half of an f16."""
    bits = _bits(x, 16)
    half = arith.bitcast(ir.F16Type.get(), arith.shli(bits, constant(bits.type, 8)))
    return arith.extf(ir.F32Type.get(), half)


def widen_e4m3fn(x: ir.Value) -> ir.Value:
    """Exponent and mantissa as those of an f32, whose exponents begin 120 lower: subnormal numbers too. There
    is no infinity, and one NaN of each sign."""
    bits, single = _bits(x, 32), ir.F32Type.get()
    magnitude = arith.andi(bits, constant(bits.type, 0x7F))
    sign = arith.shli(arith.andi(bits, constant(bits.type, 0x80)), constant(bits.type, 24))
    scaled = arith.bitcast(single, arith.ori(sign, arith.shli(magnitude, constant(bits.type, 20))))
    is_nan = arith.cmpi(arith.CmpIPredicate.eq, magnitude, constant(bits.type, 0x7F))
    number = arith.mulf(scaled, constant(single, 2.0**120))
    return arith.select(is_nan, constant(single, float("nan")), number)


WIDEN: dict[type[ir.Type], Callable[[ir.Value], ir.Value]] = {
    ir.Float8E4M3FNType: widen_e4m3fn,
    ir.Float8E5M2Type: widen_e5m2,
}


def widen(op: ir.Operation) -> bool:
    """`arith.extf` of a number in 8 bits."""
    kind = op.results[0].type
    function = WIDEN.get(type(op.operands[0].type))
    if function is None or not isinstance(kind, ir.FloatType):
        return False
    value = function(op.operands[0])
    if kind.width != value.type.width:
        value = arith.truncf(kind, value) if kind.width < value.type.width else arith.extf(kind, value)
    replace_op(op, value)
    return True


@dataclass(frozen=True)
class ExpandF8(Pass):
    """Rewrites `arith.extf` of f8E4M3FN and f8E5M2 scalars to shifts of integers."""

    name: ClassVar[str] = "tloop-expand-f8"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {"arith.extf": widen})
