"""Floats of less than 16 bits as arithmetic on integers and f32: LLVM and most machines lack such types.

The formats are those of the Open Compute Project ("OCP 8-bit floating point specification", "OCP
microscaling formats") and, with FNUZ in their names, those of Noune et al., "8-bit numerical formats for
deep neural networks", 2022.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from mlc.bindings import arith, ir
from mlc.passes.common.linalg_builders import constant


@dataclass(frozen=True)
class Format:
    """A format of narrow floats: bits of mantissa, bias of the exponent, the codes of the largest finite
    value, of overflow and of NaN, and all bits. `unsigned_zero`: only the code of -0 is NaN."""

    mantissa: int
    bias: int
    largest: int
    overflow: int
    nan: int
    bits: int = 8
    unsigned_zero: bool = False

    @property
    def smallest_normal(self) -> float:
        """The smallest positive normal value."""
        return 2.0 ** (1 - self.bias)

    @property
    def shift(self) -> int:
        """Bits of mantissa that f32 has more."""
        return 23 - self.mantissa

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.bits - 1)


# E4M3FN has no infinity, and one NaN of each sign. Types of less than 8 bits have neither infinity nor NaN:
# overflow gives the largest value, NaN becomes -0, as in the package ml_dtypes.
FORMATS: dict[type[ir.Type], Format] = {
    ir.Float8E4M3FNType: Format(3, 7, largest=0x7E, overflow=0x7F, nan=0x7F),
    ir.Float8E5M2Type: Format(2, 15, largest=0x7B, overflow=0x7C, nan=0x7E),
    ir.Float8E4M3FNUZType: Format(3, 8, largest=0x7F, overflow=0x80, nan=0x80, unsigned_zero=True),
    ir.Float8E5M2FNUZType: Format(2, 16, largest=0x7F, overflow=0x80, nan=0x80, unsigned_zero=True),
    ir.Float6E2M3FNType: Format(3, 1, largest=0x1F, overflow=0x1F, nan=0x20, bits=6),
    ir.Float6E3M2FNType: Format(2, 3, largest=0x1F, overflow=0x1F, nan=0x20, bits=6),
    ir.Float4E2M1FNType: Format(1, 1, largest=0x7, overflow=0x7, nan=0x8, bits=4),
}


# The types that tensor cores multiply.
MULTIPLIED = (ir.Float8E4M3FNType, ir.Float8E5M2Type)


_KEEPS: ContextVar[bool] = ContextVar("keeps floats of 8 bits", default=False)


@contextmanager
def keep_multiplied(keep: bool) -> Iterator[None]:
    """Sets whether the types in MULTIPLIED stay in the IR that is lowered within, in memory and where they
    are widened."""
    token = _KEEPS.set(keep)
    try:
        yield
    finally:
        _KEEPS.reset(token)


def is_kept(type_: ir.Type) -> bool:
    """Whether a scalar type is a narrow float that stays one."""
    return _KEEPS.get() and isinstance(type_, MULTIPLIED)


def is_narrow_float(type_: ir.Type) -> bool:
    """Whether this module converts a scalar type, and it is not kept."""
    return not is_kept(type_) and (type(type_) in FORMATS or isinstance(type_, ir.Float8E8M0FNUType))


def _integer(width: int) -> ir.Type:
    return ir.IntegerType.get_signless(width)


def _i32(value: int) -> ir.Value:
    return constant(_integer(32), value)


def _compare(predicate: str, a: ir.Value, limit: int) -> ir.Value:
    return arith.cmpi(getattr(arith.CmpIPredicate, predicate), a, _i32(limit))


def _code(x: ir.Value) -> ir.Value:
    """Returns the bits of a narrow float, as an i32."""
    return arith.extui(_integer(32), arith.bitcast(_integer(x.type.width), x))


def to_single(x: ir.Value) -> ir.Value:
    """Converts a narrow float to f32, exactly."""
    form = FORMATS.get(type(x.type))
    return widen(x, form) if form else _power_of_two(x)


def from_single(x: ir.Value, type_: ir.Type, saturate: bool, round_mode: str) -> ir.Value:
    """Converts an f32 to a narrow float. `saturate`: overflow and infinity give the largest value;
    `round_mode` ("up", "down", "nearest") is that of f8E8M0FNU, others are rounded to nearest."""
    form = FORMATS.get(type(type_))
    code = narrow(x, form, saturate) if form else _exponent(x, saturate, round_mode)
    return arith.bitcast(type_, arith.trunci(_integer(type_.width), code))


def widen(x: ir.Value, form: Format) -> ir.Value:
    """Converts a narrow float to f32, whose exponents begin lower: subnormal values become normal."""
    single, bits = ir.F32Type.get(), _code(x)
    code = arith.andi(bits, _i32(form.sign - 1))
    sign = arith.shli(arith.andi(bits, _i32(form.sign)), _i32(32 - form.bits))
    scaled = arith.bitcast(single, arith.ori(sign, arith.shli(code, _i32(form.shift))))
    value = arith.mulf(scaled, constant(single, 2.0 ** (127 - form.bias)))
    if form.bits < 8:
        return value
    quiet = _i32(0x7FC00000)
    if form.unsigned_zero:
        return arith.select(_compare("eq", bits, form.nan), arith.bitcast(single, quiet), value)
    # Codes above the largest value: infinity, if the format has it, and NaN.
    special = quiet
    if form.overflow != form.nan:
        special = arith.select(_compare("ugt", code, form.overflow), special, _i32(0x7F800000))
    signed = arith.bitcast(single, arith.ori(sign, special))
    return arith.select(_compare("ugt", code, form.largest), signed, value)


def narrow(x: ir.Value, form: Format, saturate: bool = False) -> ir.Value:
    """Returns the code of an f32, in the low bits of an i32: rounded to nearest, ties to even."""
    single, bits = ir.F32Type.get(), arith.bitcast(_integer(32), x)
    magnitude = arith.andi(bits, _i32(0x7FFFFFFF))
    odd = arith.andi(arith.shrui(magnitude, _i32(form.shift)), _i32(1))
    half = arith.addi(odd, _i32((1 << form.shift - 1) - 1))
    normal = arith.shrui(arith.addi(magnitude, half), _i32(form.shift))
    normal = arith.subi(normal, _i32(127 - form.bias << form.mantissa))
    # f32 rounds the sum with this to multiples of the smallest subnormal value.
    rounder = constant(single, form.smallest_normal * 2.0**form.shift)
    sum_bits = arith.bitcast(_integer(32), arith.addf(arith.bitcast(single, magnitude), rounder))
    subnormal = arith.subi(sum_bits, arith.bitcast(_integer(32), rounder))
    smallest = constant(single, form.smallest_normal)
    is_subnormal = arith.cmpf(arith.CmpFPredicate.OLT, arith.bitcast(single, magnitude), smallest)
    code = arith.select(is_subnormal, subnormal, normal)
    limit = form.largest if saturate else form.overflow
    code = arith.select(_compare("ugt", code, form.largest), _i32(limit), code)
    is_nan = arith.cmpf(arith.CmpFPredicate.UNO, x, x)
    code = arith.select(is_nan, _i32(form.nan), code)
    return arith.ori(_sign(bits, code, form), code)


def _sign(bits: ir.Value, code: ir.Value, form: Format) -> ir.Value:
    """Returns the sign bit for an f32 of the given bits; none for zero or NaN if they have one code each."""
    sign = arith.andi(arith.shrui(bits, _i32(32 - form.bits)), _i32(form.sign))
    if not form.unsigned_zero:
        return sign
    is_signed = _compare("ne", arith.andi(code, _i32(form.sign - 1)), 0)
    return arith.select(is_signed, sign, _i32(0))


def _power_of_two(x: ir.Value) -> ir.Value:
    """Converts an f8E8M0FNU, 2^(code - 127), the least of which is a subnormal f32; 255 is NaN."""
    code = _code(x)
    exponent = arith.shli(code, _i32(23))
    bits = arith.select(_compare("eq", code, 0), _i32(0x00400000), exponent)
    bits = arith.select(_compare("eq", code, 0xFF), _i32(0x7FC00000), bits)
    return arith.bitcast(ir.F32Type.get(), bits)


def _exponent(x: ir.Value, saturate: bool, round_mode: str) -> ir.Value:
    """Returns the code of f8E8M0FNU: the exponent of |x|, one more if the fraction is rounded up."""
    bits = arith.bitcast(_integer(32), x)
    code = arith.andi(arith.shrui(bits, _i32(23)), _i32(0xFF))
    fraction = arith.andi(bits, _i32(0x7FFFFF))
    if round_mode == "down":
        return code
    rounds = _compare("ugt", fraction, 0 if round_mode == "up" else 0x400000)
    if round_mode == "nearest":
        # Halfway: up, but from subnormal values.
        tie = arith.andi(_compare("eq", fraction, 0x400000), _compare("ne", code, 0))
        rounds = arith.ori(rounds, tie)
    # Infinity and NaN stay; the largest finite value stays if it saturates.
    last = 0xFE if saturate else 0xFF
    rounds = arith.andi(rounds, _compare("ult", code, last))
    return arith.addi(code, arith.extui(_integer(32), rounds))
