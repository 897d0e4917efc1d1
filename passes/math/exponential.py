"""Exponential functions, logarithms and powers, and their parts that hyperbolic functions use.

e^x = 2^n e^r with n = round(x / ln 2). Adding a large constant rounds to n, which then is in the low bits, so
that a shift makes 2^n of it.

log and log1p: log(2^e (1 + f)) = e ln 2 + log(1 + f) with 1 + f between sqrt(1/2) and
sqrt(2).

pow: 2^(y log2 |x|), the exponent in f64, as its error is multiplied by its size.

Special cases are those of C's pow (ISO C, F.10.4.4).
"""

from __future__ import annotations

from mlc.passes.math import coefficients
from mlc.passes.math.expression import SIGN, FloatValue, horner, multiply_add, select

INFINITY, NAN = float("inf"), float("nan")

# The largest f32 that is an i32. As an exponent it is as good as infinity: (1 + 2^-23)^y is beyond f32.
LARGEST = 2.0**31 - 2.0**7


def _log2(x: FloatValue) -> FloatValue:
    """Returns log2(x) in f64, to about 2^-40 of it, for x >= 0 or NaN."""
    count, mantissa = split(x)
    f = mantissa.to_f64() - 1.0
    result = f * horner(f, coefficients.LOG2) + count.to_f64()
    result = select(x.compare("OEQ", 0.0), -INFINITY, result)
    return select(x.compare("OLT", INFINITY), result, x.to_f64())


def _power_of_two(exponent: FloatValue) -> FloatValue:
    """Returns 2^exponent of f64, in f32."""
    exponent = exponent.at_least(-151.0).at_most(128.0)
    # Adding this constant rounds an f64 to an integer.
    count = (exponent + 1.5 * 2.0**52) - 1.5 * 2.0**52
    r = (exponent - count).to_f32()
    count = count.to_f32()
    bits = (count + (ROUNDING + BIAS - 1)).bits()
    return scale(r * horner(r, coefficients.EXP2), bits, count < -124.0)


def power(x: FloatValue, y: FloatValue) -> FloatValue:
    """Returns `x^y`. Error below 2 ulp."""
    bounded = select(y < LARGEST, y, LARGEST)
    bounded = select(bounded > -LARGEST, bounded, -LARGEST)
    integer = bounded.to_integer()
    fractional = integer.to_float(x.type).compare("UNE", bounded)
    magnitude = abs(x)
    result = _power_of_two(bounded.to_f64() * _log2(magnitude))
    odd = select(fractional, 0, integer << 31)
    result = result.with_bits_flipped(odd & x.bits() & SIGN)
    undefined = fractional & (x < 0.0) & (magnitude < INFINITY) | y.compare("UNO", y)
    always_one = x.compare("OEQ", 1.0) | y.compare("OEQ", 0.0)
    return select(always_one, 1.0, select(undefined, NAN, result))


SMALLEST_NORMAL = 2.0**-126

# The bits of sqrt(1/2), the least 1 + f, and of 1.
LEAST, ONE = 0x3F3504F3, 0x3F800000

EXPONENT = -0x800000  # the mask of sign and exponent


def _sum(count: FloatValue, f: FloatValue) -> FloatValue:
    """Returns `count * ln 2 + log(1 + f)`."""
    tail = multiply_add(f * f, horner(f, coefficients.LOG), count * LN2_LOW)
    return multiply_add(count, LN2_HIGH, f + tail)


def _special(x: FloatValue, result: FloatValue) -> FloatValue:
    """Returns `result` for log(x), but -inf at 0, NaN below it and at NaN, inf at inf."""
    infinity = float("inf")
    result = select(x.compare("OEQ", infinity), infinity, result)
    result = select(x.compare("OEQ", 0.0), -infinity, result)
    return select(x.compare("ULT", 0.0), float("nan"), result)


def split(x: FloatValue) -> tuple[FloatValue, FloatValue]:
    """Returns (e, m) with x = 2^e m and m in [sqrt(1/2), sqrt(2)), both f32, for finite x > 0, subnormal
    values included."""
    subnormal = x < SMALLEST_NORMAL
    normal = select(subnormal, x * 2.0**23, x)
    above = normal.bits() - LEAST
    mantissa = (normal.bits() - (above & EXPONENT)).as_float(x.type)
    return (above >> 23).to_float(x.type) + select(subnormal, x.constant(-23.0), 0.0), mantissa


def log(x: FloatValue) -> FloatValue:
    """Returns log(x). Error below 1 ulp."""
    count, mantissa = split(x)
    return _special(x, _sum(count, mantissa - 1.0))


def log1p(x: FloatValue) -> FloatValue:
    """Returns log(1 + x), f as the difference x 2^-e - (1 - 2^-e), which is rounded once. Error below 1.5
    ulp."""
    u = x + 1.0
    above = u.bits() - LEAST
    # 2^(2 - e), because 2^-e may be subnormal.
    scale = (ONE + (2 << 23) - (above & EXPONENT)).as_float(x.type)
    f = multiply_add(x * 0.25, scale, multiply_add(scale, 0.25, -1.0))
    result = _sum((above >> 23).to_float(x.type), f)
    # x is its own logarithm: keeps the sign of zero, and the digits of subnormal values.
    return select(abs(x) < 2.0**-25, x, _special(u, result))


def log1p_of_positive(x: FloatValue, offset: FloatValue) -> FloatValue:
    """Returns log(1 + x) + offset * ln 2 for x in [0, 2^100]."""
    above = (x + 1.0).bits() - LEAST
    scale = (ONE - (above & EXPONENT)).as_float(x.type)
    count = (above >> 23).to_float(x.type) + offset
    return _sum(count, multiply_add(x, scale, scale - 1.0))


def log1p_of_unit(x: FloatValue) -> FloatValue:
    """Returns log(1 + x) for x in [0, 1], as in softplus. Error below 2.5 ulp."""
    return x * horner(x, coefficients.LOG1P_UNIT)


LOG2_E = 1.4426950408889634
# ln 2 as a sum whose first part has so few bits that its product with n is exact.
LN2_HIGH, LN2_LOW = 0.693359375, -2.12194440e-4
# Adding it rounds a small float to an integer, which then stands in the low bits.
ROUNDING, ROUNDING_BITS = 1.5 * 2.0**23, 0x4B400000
BIAS = 127


def nearest(x: FloatValue, bias: int) -> tuple[FloatValue, FloatValue]:
    """Returns `n = round(x / ln 2)`, and the integer ROUNDING_BITS + n + bias."""
    shifted = multiply_add(x, LOG2_E, ROUNDING + bias)
    return shifted - (ROUNDING + bias), shifted.bits()


def remainder(x: FloatValue, count: FloatValue) -> FloatValue:
    """Returns `x - count * ln 2`, rounded once for small counts."""
    return multiply_add(count, -LN2_LOW, multiply_add(count, -LN2_HIGH, x))


def power_minus_one(x: FloatValue, bias: int) -> tuple[FloatValue, FloatValue]:
    """Returns `e^r - 1` with x = n ln 2 + r, and an integer with n + bias in its low bits."""
    count, shifted = nearest(x, bias)
    r = remainder(x, count)
    return multiply_add(r * r, horner(r, coefficients.EXP), r), shifted


def scale(tail: FloatValue, exponent: FloatValue, tiny: FloatValue) -> FloatValue:
    """Returns 2^n (1 + tail), where `exponent` holds n + BIAS - 1 in its low bits.

    2^n itself may be out of range where the result is not. Hence 2^(n - 1) times 2, or, if `tiny`, as the
    result may be subnormal, 2^(n + 25) times 2^-25.
    """
    factor = ((exponent + select(tiny, exponent.constant(26), 0)) << 23).as_float(tail.type)
    return multiply_add(factor, tail, factor) * select(tiny, tail.constant(2.0**-25), 2.0)


def exp(x: FloatValue) -> FloatValue:
    """Returns e^x. Error below 1.1 ulp; subnormal results included."""
    x = x.at_least(-104.0).at_most(89.0)
    tail, exponent = power_minus_one(x, BIAS - 1)
    return scale(tail, exponent, x < -86.0)


def exp_of_normal(x: FloatValue) -> FloatValue:
    """Returns e^x for x in [-87, 88], where e^x is normal and so is 2^n, or NaN. Error below 1.1 ulp."""
    tail, exponent = power_minus_one(x, BIAS)
    factor = (exponent << 23).as_float(x.type)
    return multiply_add(factor, tail, factor)


def exp2(x: FloatValue) -> FloatValue:
    """Returns 2^x. Error below 1.1 ulp; subnormal results included."""
    x = x.at_least(-151.0).at_most(128.0)
    shifted = x + (ROUNDING + BIAS - 1)
    r = x - (shifted - (ROUNDING + BIAS - 1))
    return scale(r * horner(r, coefficients.EXP2), shifted.bits(), x < -124.0)


def expm1(x: FloatValue) -> FloatValue:
    """Returns `e^x - 1 = 2^n (e^r - 1) + (2^n - 1)`. Error below 1.5 ulp."""
    clamped = x.at_least(-18.0).at_most(89.0)
    tail, exponent = power_minus_one(clamped, BIAS - 1)
    # Half of it, because 2^n itself may be out of range where the result is not.
    scale = (exponent << 23).as_float(x.type)
    half = multiply_add(scale, tail, scale - 0.5)
    # Halves of subnormal values lose a bit, and sums the sign of zero.
    return select(abs(x) < 2.0**-25, x, half + half)
