"""Floating-point literals of LLVM 23 and later in the spelling of LLVM 22.

LLVM 23 changed the text of constants (llvm-project #190649): `+inf`, `+qnan`, `+nan(0x1)`, `f0x3EAAAAAB`, and
shortest decimals that are not exact. LLVM 22 reads exact decimals and hexadecimal bits only (LLVM Language
Reference, "Simple Constants").
"""

from __future__ import annotations

import struct
from fractions import Fraction
from typing import NamedTuple


class FloatFormat(NamedTuple):
    """An IEEE binary format: bits in all, bits of the stored significand, its prefix in hex literals."""

    width: int
    mantissa: int
    prefix: str

    @property
    def infinity(self) -> int:
        """Bits of +infinity, which are also the mask of the exponent field."""
        return (1 << (self.width - 1)) - (1 << self.mantissa)

    @property
    def min_exponent(self) -> int:
        """Exponent of the smallest normal number."""
        return 2 - (1 << (self.width - self.mantissa - 2))


FORMATS = {
    "half": FloatFormat(16, 10, "0xH"),
    "bfloat": FloatFormat(16, 7, "0xR"),
    "float": FloatFormat(32, 23, "0x"),
    "double": FloatFormat(64, 52, "0x"),
}


def legacy_literal(type_name: str, literal: str) -> str:
    """`literal` of type `type_name` (a key of FORMATS) as LLVM 22 spells it; exact decimals stay."""
    fmt = FORMATS[type_name]
    if _is_decimal(literal):
        value = Fraction(literal)
        bits = round_to_bits(abs(value), fmt)
        if type_name == "double" or _value_of_bits(bits, fmt) == abs(value):
            return literal
        bits |= _sign_bit(literal, fmt)
    else:
        bits = _special_bits(literal, fmt)
    if type_name == "float":
        bits = _widen_to_double(bits)
    digits = (64 if type_name == "float" else fmt.width) // 4
    return f"{fmt.prefix}{bits:0{digits}X}"


def round_to_bits(value: Fraction, fmt: FloatFormat) -> int:
    """Bits of the number of `fmt` nearest to `value` >= 0; ties to even, infinity on overflow."""
    if value == 0:
        return 0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, fmt.min_exponent)
    significand = round(value / Fraction(2) ** (exponent - fmt.mantissa))
    # The implicit leading one of a normal number carries into the exponent field; a subnormal has none.
    return min(((exponent - fmt.min_exponent) << fmt.mantissa) + significand, fmt.infinity)


def _is_decimal(literal: str) -> bool:
    return not literal.startswith("f0x") and literal.lstrip("+-")[0].isdigit()


def _sign_bit(literal: str, fmt: FloatFormat) -> int:
    return 1 << (fmt.width - 1) if literal.startswith("-") else 0


def _special_bits(literal: str, fmt: FloatFormat) -> int:
    """Bits of `f0x...`, infinities and NaNs."""
    if literal.startswith("f0x"):
        return int(literal[3:], 16)
    bits = _sign_bit(literal, fmt) | fmt.infinity
    if literal.endswith("inf"):
        return bits
    quiet = 0 if "snan" in literal else 1 << (fmt.mantissa - 1)
    payload = int(literal[literal.index("(") + 1 : -1], 16) if "(" in literal else 0
    return bits | quiet | payload


def _value_of_bits(bits: int, fmt: FloatFormat) -> Fraction | None:
    """Value of non-negative `bits`; None for infinity."""
    if bits >= fmt.infinity:
        return None
    field = bits >> fmt.mantissa
    significand = (bits & ((1 << fmt.mantissa) - 1)) | (1 << fmt.mantissa if field else 0)
    return significand * Fraction(2) ** (max(field, 1) - 1 + fmt.min_exponent - fmt.mantissa)


def _widen_to_double(bits: int) -> int:
    """LLVM 22 spells a `float` as its value's bits in `double`; a NaN's payload moves up by 29 bits."""
    if bits & 0x7F800000 == 0x7F800000:
        return (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29
    (value,) = struct.unpack("<f", struct.pack("<I", bits))
    (wide,) = struct.unpack("<Q", struct.pack("<d", value))
    return wide
