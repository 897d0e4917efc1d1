"""Hyperbolic functions, and their inverses as logarithms of 1 + w with a w that does not cancel."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.passes.math import coefficients
from mlc.passes.math.exponential import (
    BIAS,
    ROUNDING_BITS,
    log1p_of_positive,
    nearest,
    power_minus_one,
    remainder,
)
from mlc.passes.math.expression import FloatValue, horner, multiply_add, select, square_root

INFINITY, NAN = float("inf"), float("nan")

# Where squares would be out of range: log(2x) = log(2^-32 x) + 33 ln 2.
LARGE = 2.0**60


def _logarithm(x: FloatValue, w: FloatValue) -> FloatValue:
    """Returns log(1 + w), or log(2x) if x is large."""
    large = x > LARGE
    offset = select(large, x.constant(33.0), 0.0)
    return log1p_of_positive(select(large, x * 2.0**-32, w), offset)


def asinh(x: FloatValue) -> FloatValue:
    """Returns log(1 + w) with w = |x| + x^2 / (1 + sqrt(x^2 + 1)). Error below 2 ulp."""
    magnitude = abs(x)
    square = x * x
    w = magnitude + square / (square_root(square + 1.0) + 1.0)
    result = _logarithm(magnitude, w)
    # Infinity, and NaN.
    return select(magnitude < INFINITY, result, magnitude).with_sign_of(x)


def acosh(x: FloatValue) -> FloatValue:
    """Returns log(1 + w) with w = x - 1 + sqrt((x - 1)^2 + 2 (x - 1)). Error below 2.25 ulp."""
    less = x - 1.0
    result = _logarithm(x, less + square_root(multiply_add(less, less, less + less)))
    result = select(x.compare("OEQ", INFINITY), INFINITY, result)
    return select(x.compare("ULT", 1.0), NAN, result)


def atanh(x: FloatValue) -> FloatValue:
    """Returns `|x| + |x|^3 P(x^2)` near 0, `log(1 + 2 |x| / (1 - |x|)) / 2` elsewhere. Error below 1.5
    ulp."""
    magnitude = abs(x)
    square = x * x
    near = multiply_add(magnitude * square, horner(square, coefficients.ATANH), magnitude)
    far = 0.5 * log1p_of_positive((magnitude + magnitude) / (1.0 - magnitude), x.constant(0.0))
    result = select(magnitude < 0.5, near, far)
    result = select(magnitude.compare("OEQ", 1.0), INFINITY, result)
    return select(magnitude.compare("UGT", 1.0), NAN, result).with_sign_of(x)


def tanh(x: FloatValue) -> FloatValue:
    """Returns `|x| + |x|^3 P(x^2)` near 0, `1 - 2 / (e^2|x| + 1)` elsewhere. Error below 1.5 ulp."""
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
    """The parts 2 cosh(r) - 2, 2 sinh(r), 2^n / 4 and 2^-n / 4 for |x| = n ln 2 + r.

    The factors are such that nothing is out of range where the result is not.
    """

    cosine: FloatValue
    sine: FloatValue
    power: FloatValue
    inverse: FloatValue


def _parts(x: FloatValue, reduced: FloatValue) -> _Parts:
    """Returns the parts for x with the n of `reduced`, which is x or 0."""
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


def sinh(x: FloatValue) -> FloatValue:
    """Returns sinh(r) (2^n + 2^-n) / 2 + cosh(r) (2^n - 2^-n) / 2. Error below 2 ulp."""
    magnitude = abs(x).at_most(89.5)
    # Without a reduction below 1: its rounding would count for most there.
    parts = _parts(magnitude, select(magnitude < 1.0, 0.0, magnitude))
    total, difference = parts.power + parts.inverse, parts.power - parts.inverse
    rest = multiply_add(parts.cosine, difference, parts.sine * total)
    return multiply_add(difference, 2.0, rest).with_sign_of(x)


def cosh(x: FloatValue) -> FloatValue:
    """Returns cosh(r) (2^n + 2^-n) / 2 + sinh(r) (2^n - 2^-n) / 2. Error below 2 ulp."""
    magnitude = abs(x).at_most(89.5)
    parts = _parts(magnitude, magnitude)
    total, difference = parts.power + parts.inverse, parts.power - parts.inverse
    rest = multiply_add(parts.cosine, total, parts.sine * difference)
    return multiply_add(parts.power, 2.0, multiply_add(parts.inverse, 2.0, rest))
