"""Floating-point literals, digit for digit as LLVM's APFloat prints them."""

from __future__ import annotations

import math

# Type -> precision in bits, with the hidden one, and the suffix of its literals.
FORMATS = {"f16": (11, "f16"), "bf16": (8, "bf16"), "f32": (24, "f"), "f64": (53, "")}


def float_text(value: float, kind: str) -> str:
    """The C++ literal of `value`, which is exact in the type `kind`, one of `FORMATS`."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    bits, suffix = FORMATS[kind]
    sign = "-" if math.copysign(1, value) < 0 else ""
    return f"{sign}{_magnitude(abs(value), 2 + bits * 59 // 196)}{suffix}"


def _magnitude(value: float, digits: int) -> str:
    if value == 0:
        return "0.0e+00"
    significant, exponent = _decimal(value, digits)
    exponent += len(significant) - 1
    fraction = significant[1:].ljust(digits, "0")
    return f"{significant[0]}.{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"


def _decimal(value: float, digits: int) -> tuple[str, int]:
    """At most `digits` significant digits of `value`, without trailing zeros, and the last one's power."""
    numerator, denominator = value.as_integer_ratio()
    places = denominator.bit_length() - 1
    number, exponent = numerator * 5**places, -places
    # LLVM first divides by a power of ten that it estimates (59/196 for log10(2)) and rounds only
    # what is left: a last digit may be truncated.
    spare = number.bit_length() - (digits * 196 + 58) // 59
    tens = spare * 59 // 196 if spare > 0 else 0
    number, exponent = number // 10**tens, exponent + tens
    excess = max(len(str(number)) - digits, 0)
    if excess:
        number, exponent = (number + 5 * 10 ** (excess - 1)) // 10**excess, exponent + excess
    text = str(number)
    significant = text.rstrip("0")
    return significant, exponent + len(text) - len(significant)
