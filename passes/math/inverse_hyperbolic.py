"""asinh, acosh and atanh, as logarithms of 1 + w with a w that does not cancel."""

from __future__ import annotations

from mlc.passes.math import coefficients
from mlc.passes.math.expression import Number, horner, multiply_add, select, square_root
from mlc.passes.math.logarithm import log1p_of_positive

INFINITY, NAN = float("inf"), float("nan")
# Where squares would be out of range: log(2x) = log(2^-32 x) + 33 ln 2.
LARGE = 2.0**60


def _logarithm(x: Number, w: Number) -> Number:
    """log(1 + w), or log(2x) where x is large."""
    large = x > LARGE
    offset = select(large, x.constant(33.0), 0.0)
    return log1p_of_positive(select(large, x * 2.0**-32, w), offset)


def asinh(x: Number) -> Number:
    """log(1 + w) with w = |x| + x^2 / (1 + sqrt(x^2 + 1)). Error below 2 ulp."""
    magnitude = abs(x)
    square = x * x
    w = magnitude + square / (square_root(square + 1.0) + 1.0)
    result = _logarithm(magnitude, w)
    # Infinity, and NaN.
    return select(magnitude < INFINITY, result, magnitude).with_sign_of(x)


def acosh(x: Number) -> Number:
    """log(1 + w) with w = x - 1 + sqrt((x - 1)^2 + 2 (x - 1)). Error below 2.25 ulp."""
    less = x - 1.0
    result = _logarithm(x, less + square_root(multiply_add(less, less, less + less)))
    result = select(x.compare("OEQ", INFINITY), INFINITY, result)
    return select(x.compare("ULT", 1.0), NAN, result)


def atanh(x: Number) -> Number:
    """|x| + |x|^3 P(x^2) near 0, log(1 + 2 |x| / (1 - |x|)) / 2 elsewhere. Error below 1.5 ulp."""
    magnitude = abs(x)
    square = x * x
    near = multiply_add(magnitude * square, horner(square, coefficients.ATANH), magnitude)
    far = 0.5 * log1p_of_positive((magnitude + magnitude) / (1.0 - magnitude), x.constant(0.0))
    result = select(magnitude < 0.5, near, far)
    result = select(magnitude.compare("OEQ", 1.0), INFINITY, result)
    return select(magnitude.compare("UGT", 1.0), NAN, result).with_sign_of(x)
