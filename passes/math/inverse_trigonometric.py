"""asin, acos and atan."""

from __future__ import annotations

import math

from mlc.passes.math import coefficients
from mlc.passes.math.expression import SIGN, Number, horner, multiply_add, select, square_root

# pi / 2 as a sum of two f32.
QUARTER, QUARTER_LOW = 1.57079637050628662109375, math.pi / 2 - 1.57079637050628662109375
# Beyond it asin(x) is pi / 2 - 2 asin(sqrt((1 - x) / 2)).
NEAR = 0.6


def _arc(x: Number) -> tuple[Number, Number, Number]:
    """(whether |x| is beyond NEAR, s, asin(s) - s), where s = |x|, or sqrt((1 - |x|) / 2) beyond NEAR."""
    magnitude = abs(x)
    far = magnitude > NEAR
    square = select(far, multiply_add(magnitude, -0.5, 0.5), x * x)
    s = select(far, square_root(square), magnitude)
    return far, s, s * square * horner(square, coefficients.ASIN)


def asin(x: Number) -> Number:
    """Error below 1.5 ulp."""
    far, s, tail = _arc(x)
    # The lower part of pi / 2 goes into the small term, where its sum is rounded least.
    arc = s + (tail - select(far, x.constant(QUARTER_LOW / 2), 0.0))
    return select(far, multiply_add(arc, -2.0, QUARTER), arc).with_sign_of(x)


def acos(x: Number) -> Number:
    """pi / 2 - asin(x); beyond NEAR 2 asin(s), or pi minus it for negative x. Error below 1.75 ulp."""
    far, s, tail = _arc(x)
    factor = select(far, x.constant(2.0), -1.0).with_bits_flipped(x.bits() & SIGN)
    negative = x < 0.0
    opposite, opposite_low = (select(negative, x.constant(2 * part), 0.0) for part in (QUARTER, QUARTER_LOW))
    base, low = select(far, opposite, QUARTER), select(far, opposite_low, QUARTER_LOW)
    return multiply_add(factor, s, base) + multiply_add(factor, tail, low)


def atan(x: Number) -> Number:
    """q + q^3 P(q^2), with q = |x|, or pi / 2 + the same with q = -1 / |x| beyond 1. Error below 1.5 ulp."""
    magnitude = abs(x)
    far = magnitude > 1.0
    quotient = select(far, -1.0, magnitude) / select(far, magnitude, 1.0)
    square = quotient * quotient
    zero = x.constant(0.0)
    tail = multiply_add(quotient * square, horner(square, coefficients.ATAN), select(far, QUARTER_LOW, zero))
    return (select(far, QUARTER, zero) + (quotient + tail)).with_sign_of(x)
