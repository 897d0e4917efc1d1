"""pow: 2^(y log2 |x|), the exponent in f64, as its error is multiplied by its size.

Special cases are those of C's pow (ISO C, F.10.4.4).
"""

from __future__ import annotations

from mlc.passes.math import coefficients
from mlc.passes.math.exponential import BIAS, ROUNDING, scaled
from mlc.passes.math.expression import SIGN, Number, horner, select
from mlc.passes.math.logarithm import split

INFINITY, NAN = float("inf"), float("nan")
# The largest f32 that is an i32. As an exponent it is as good as infinity: (1 + 2^-23)^y is beyond f32.
LARGEST = 2.0**31 - 2.0**7


def _log2(x: Number) -> Number:
    """log2(x) in f64, to about 2^-40 of it, for x >= 0 or NaN."""
    count, mantissa = split(x)
    f = mantissa.widened() - 1.0
    result = f * horner(f, coefficients.LOG2) + count.widened()
    result = select(x.compare("OEQ", 0.0), -INFINITY, result)
    return select(x.compare("OLT", INFINITY), result, x.widened())


def _power_of_two(exponent: Number) -> Number:
    """2^exponent of f64, in f32."""
    exponent = exponent.at_least(-151.0).at_most(128.0)
    # A sum with such a number rounds an f64 to an integer.
    count = (exponent + 1.5 * 2.0**52) - 1.5 * 2.0**52
    r = (exponent - count).narrowed()
    count = count.narrowed()
    bits = (count + (ROUNDING + BIAS - 1)).bits()
    return scaled(r * horner(r, coefficients.EXP2), bits, count < -124.0)


def power(x: Number, y: Number) -> Number:
    """x^y. Error below 2 ulp."""
    bounded = select(y < LARGEST, y, LARGEST)
    bounded = select(bounded > -LARGEST, bounded, -LARGEST)
    integer = bounded.to_integer()
    fractional = integer.to_float(x.type).compare("UNE", bounded)
    magnitude = abs(x)
    result = _power_of_two(bounded.widened() * _log2(magnitude))
    odd = select(fractional, 0, integer << 31)
    result = result.with_bits_flipped(odd & x.bits() & SIGN)
    undefined = fractional & (x < 0.0) & (magnitude < INFINITY) | y.compare("UNO", y)
    always_one = x.compare("OEQ", 1.0) | y.compare("OEQ", 0.0)
    return select(always_one, 1.0, select(undefined, NAN, result))
