"""tanh, sinh and cosh."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.passes.math import coefficients
from mlc.passes.math.exponential import (
    BIAS,
    ROUNDING_BITS,
    nearest,
    power_minus_one,
    remainder,
)
from mlc.passes.math.expression import Number, horner, multiply_add, select


def tanh(x: Number) -> Number:
    """|x| + |x|^3 P(x^2) near 0, 1 - 2 / (e^2|x| + 1) elsewhere. Error below 1.5 ulp."""
    magnitude = abs(x)
    square = x * x
    near = multiply_add(magnitude * square, horner(square, coefficients.TANH), magnitude)
    # Beyond 9.1, tanh is 1 in f32.
    bounded = magnitude.at_most(9.1)
    tail, exponent = power_minus_one(bounded + bounded, BIAS)
    scale = (exponent << 23).as_float(x.type)
    far = 1.0 - 2.0 / multiply_add(scale, tail, scale + 1.0)
    return select(magnitude < 0.55, near, far).with_sign_of(x)


@dataclass(frozen=True)
class _Parts:
    """Of |x| = n ln 2 + r: 2 cosh(r) - 2, 2 sinh(r), 2^n / 4 and 2^-n / 4.

    The factors are such that nothing is out of range where the result is not.
    """

    cosine: Number
    sine: Number
    power: Number
    inverse: Number


def _parts(x: Number, reduced: Number) -> _Parts:
    """n is that of `reduced`, which is x or 0."""
    count, shifted = nearest(reduced, BIAS - 2)
    r = remainder(x, count)
    # The exponent of the inverse mirrors n's; 0 where that is beneath f32's range.
    mirrored = 2 * (BIAS - 2) - (shifted - ROUNDING_BITS)
    inverse = select(mirrored.compare("sgt", 0), mirrored, 0)
    square = r * r
    return _Parts(
        cosine=square * horner(square, coefficients.COSH),
        sine=multiply_add(r * square, horner(square, coefficients.SINH), r + r),
        power=(shifted << 23).as_float(x.type),
        inverse=(inverse << 23).as_float(x.type),
    )


def sinh(x: Number) -> Number:
    """sinh(r) (2^n + 2^-n) / 2 + cosh(r) (2^n - 2^-n) / 2. Error below 2 ulp."""
    magnitude = abs(x).at_most(89.5)
    # Without a reduction below 1: its rounding would count for most there.
    parts = _parts(magnitude, select(magnitude < 1.0, 0.0, magnitude))
    total, difference = parts.power + parts.inverse, parts.power - parts.inverse
    rest = multiply_add(parts.cosine, difference, parts.sine * total)
    return multiply_add(difference, 2.0, rest).with_sign_of(x)


def cosh(x: Number) -> Number:
    """cosh(r) (2^n + 2^-n) / 2 + sinh(r) (2^n - 2^-n) / 2. Error below 2 ulp."""
    magnitude = abs(x).at_most(89.5)
    parts = _parts(magnitude, magnitude)
    total, difference = parts.power + parts.inverse, parts.power - parts.inverse
    rest = multiply_add(parts.cosine, total, parts.sine * difference)
    return multiply_add(parts.power, 2.0, multiply_add(parts.inverse, 2.0, rest))
