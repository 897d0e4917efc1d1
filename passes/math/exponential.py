"""exp, exp2, expm1, and the parts that hyperbolic functions take of them.

e^x = 2^n e^r with n = round(x / ln 2). A sum with a large number rounds to n, which then stands in the low
bits, so that a shift makes 2^n of it.
"""

from __future__ import annotations

from mlc.passes.math import coefficients
from mlc.passes.math.expression import Number, horner, multiply_add, select

LOG2_E = 1.4426950408889634
# ln 2 as a sum whose first part has so few bits that its product with n is exact.
LN2_HIGH, LN2_LOW = 0.693359375, -2.12194440e-4
# Adding it rounds a small float to an integer, which then stands in the low bits.
ROUNDING, ROUNDING_BITS = 1.5 * 2.0**23, 0x4B400000
BIAS = 127


def nearest(x: Number, bias: int) -> tuple[Number, Number]:
    """n = round(x / ln 2), and the integer ROUNDING_BITS + n + bias."""
    shifted = multiply_add(x, LOG2_E, ROUNDING + bias)
    return shifted - (ROUNDING + bias), shifted.bits()


def remainder(x: Number, count: Number) -> Number:
    """x - count * ln 2, rounded once for small counts."""
    return multiply_add(count, -LN2_LOW, multiply_add(count, -LN2_HIGH, x))


def power_minus_one(x: Number, bias: int) -> tuple[Number, Number]:
    """e^r - 1 with x = n ln 2 + r, and an integer with n + bias in its low bits."""
    count, shifted = nearest(x, bias)
    r = remainder(x, count)
    return multiply_add(r * r, horner(r, coefficients.EXP), r), shifted


def scaled(tail: Number, exponent: Number, tiny: Number) -> Number:
    """2^n (1 + tail), where `exponent` holds n + BIAS - 1 in its low bits.

    2^n itself may be out of range where the result is not. Hence 2^(n - 1) times 2, or, where the result may
    be subnormal, which `tiny` tells, 2^(n + 25) times 2^-25.
    """
    scale = ((exponent + select(tiny, exponent.constant(26), 0)) << 23).as_float(tail.type)
    return multiply_add(scale, tail, scale) * select(tiny, tail.constant(2.0**-25), 2.0)


def exp(x: Number) -> Number:
    """Error below 1.1 ulp; subnormal results included."""
    x = x.at_least(-104.0).at_most(89.0)
    tail, exponent = power_minus_one(x, BIAS - 1)
    return scaled(tail, exponent, x < -86.0)


def exp2(x: Number) -> Number:
    """2^x; error below 1.1 ulp; subnormal results included."""
    x = x.at_least(-151.0).at_most(128.0)
    shifted = x + (ROUNDING + BIAS - 1)
    r = x - (shifted - (ROUNDING + BIAS - 1))
    return scaled(r * horner(r, coefficients.EXP2), shifted.bits(), x < -124.0)


def expm1(x: Number) -> Number:
    """e^x - 1 = 2^n (e^r - 1) + (2^n - 1). Error below 1.5 ulp."""
    clamped = x.at_least(-18.0).at_most(89.0)
    tail, exponent = power_minus_one(clamped, BIAS - 1)
    # Half of it, because 2^n itself may be out of range where the result is not.
    scale = (exponent << 23).as_float(x.type)
    half = multiply_add(scale, tail, scale - 0.5)
    # Halves of subnormal numbers lose a bit, and sums the sign of zero.
    return select(abs(x) < 2.0**-25, x, half + half)
