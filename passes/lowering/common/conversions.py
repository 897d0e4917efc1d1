"""ONNX's Cast between scalars of all types."""

from __future__ import annotations

from mlc.bindings import arith, ir, math
from mlc.passes.common.constants import i32
from mlc.passes.common.linalg_builders import constant, is_float, is_unsigned
from mlc.passes.common.narrow_floats import from_single, is_kept, is_narrow_float, to_single


def convert(x: ir.Value, target: ir.Type, saturate: bool = True, round_mode: str = "up") -> ir.Value:
    """Converts `x` to `target`: a float, an integer or a boolean.

    `saturate` and `round_mode` are for floats of 8 bits: see `narrow_floats.from_single`.
    """
    if x.type == target:
        return x
    if is_narrow_float(x.type):
        return convert(to_single(x), target, saturate, round_mode)
    if is_kept(x.type):
        single = arith.extf(ir.F32Type.get(), x)
        return convert(single, target, saturate, round_mode)
    if is_narrow_float(target) or is_kept(target):
        return from_single(_single(x), target, saturate, round_mode)
    if is_float(x.type) and is_float(target):
        return _convert_float(x, target)
    if not is_float(x.type) and not is_float(target):
        return _convert_integer(x, target)
    if is_float(target):
        unsigned = is_unsigned(x.type) or x.type.width == 1
        return arith.uitofp(target, x) if unsigned else arith.sitofp(target, x)
    return _to_integer(x, target)


def _to_integer(x: ir.Value, target: ir.Type) -> ir.Value:
    """Rounds a float towards zero; types of less than a byte keep the last bits of an i32."""
    if target.width == 1:
        return arith.cmpf(arith.CmpFPredicate.UNE, x, constant(x.type, 0))
    if target.width < 8:
        return _convert_integer(arith.fptosi(i32(), x), target)
    return arith.fptoui(target, x) if is_unsigned(target) else arith.fptosi(target, x)


def _single(x: ir.Value) -> ir.Value:
    """Returns `x` as an f32 that rounds to narrow floats as `x` itself does: what f32 cannot hold of an f64
    is cut off, and the last bit set (Boldo, Melquiond, "Emulation of FMA and correctly rounded sums:
    proved algorithms using rounding to odd", 2008)."""
    single = ir.F32Type.get()
    if not is_float(x.type) or x.type.width <= 32:
        return convert(x, single)
    word = i32()
    near = arith.truncf(single, x)
    bits, back = arith.bitcast(word, near), arith.extf(x.type, near)
    beyond = arith.cmpf(arith.CmpFPredicate.OGT, math.absf(back), math.absf(x))
    bits = arith.subi(bits, arith.extui(word, beyond))
    inexact = arith.cmpf(arith.CmpFPredicate.ONE, back, x)
    return arith.bitcast(single, arith.ori(bits, arith.extui(word, inexact)))


def _convert_float(x: ir.Value, target: ir.Type) -> ir.Value:
    """Converts between floats; f16 and bf16 through f32, which holds both."""
    if target.width == x.type.width:
        return arith.truncf(target, arith.extf(ir.F32Type.get(), x))
    return arith.extf(target, x) if target.width > x.type.width else arith.truncf(target, x)


def _convert_integer(x: ir.Value, target: ir.Type) -> ir.Value:
    if target.width == 1:
        return arith.cmpi(arith.CmpIPredicate.ne, x, constant(x.type, 0))
    if target.width == x.type.width:
        return arith.bitcast(target, x)
    if target.width < x.type.width:
        return arith.trunci(target, x)
    unsigned = is_unsigned(x.type) or x.type.width == 1
    return arith.extui(target, x) if unsigned else arith.extsi(target, x)
