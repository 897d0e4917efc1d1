"""log and log1p: log(2^e (1 + f)) = e ln 2 + log(1 + f) with 1 + f between sqrt(1/2) and
sqrt(2)."""

from __future__ import annotations

from mlc.passes.math import coefficients
from mlc.passes.math.exponential import LN2_HIGH, LN2_LOW
from mlc.passes.math.expression import Number, horner, multiply_add, select

SMALLEST_NORMAL = 2.0**-126
# The bits of sqrt(1/2), the least 1 + f, and of 1.
LEAST, ONE = 0x3F3504F3, 0x3F800000
EXPONENT = -0x800000  # the mask of sign and exponent


def _sum(count: Number, f: Number) -> Number:
    """count * ln 2 + log(1 + f)."""
    tail = multiply_add(f * f, horner(f, coefficients.LOG), count * LN2_LOW)
    return multiply_add(count, LN2_HIGH, f + tail)


def _special(x: Number, result: Number) -> Number:
    """`result` for log(x), but -inf at 0, NaN below it and at NaN, inf at inf."""
    infinity = float("inf")
    result = select(x.compare("OEQ", infinity), infinity, result)
    result = select(x.compare("OEQ", 0.0), -infinity, result)
    return select(x.compare("ULT", 0.0), float("nan"), result)


def split(x: Number) -> tuple[Number, Number]:
    """(e, m) with x = 2^e m and m in [sqrt(1/2), sqrt(2)), both f32, for finite x > 0, subnormal
    numbers included."""
    subnormal = x < SMALLEST_NORMAL
    normal = select(subnormal, x * 2.0**23, x)
    above = normal.bits() - LEAST
    mantissa = (normal.bits() - (above & EXPONENT)).as_float(x.type)
    return (above >> 23).to_float(x.type) + select(subnormal, x.constant(-23.0), 0.0), mantissa


def log(x: Number) -> Number:
    """Error below 1 ulp."""
    count, mantissa = split(x)
    return _special(x, _sum(count, mantissa - 1.0))


def log1p(x: Number) -> Number:
    """log(1 + x), f as the difference x 2^-e - (1 - 2^-e), which is rounded once. Error below 1.5 ulp."""
    u = x + 1.0
    above = u.bits() - LEAST
    # 2^(2 - e), because 2^-e may be subnormal.
    scale = (ONE + (2 << 23) - (above & EXPONENT)).as_float(x.type)
    f = multiply_add(x * 0.25, scale, multiply_add(scale, 0.25, -1.0))
    result = _sum((above >> 23).to_float(x.type), f)
    # x is its own logarithm: keeps the sign of zero, and the digits of subnormal numbers.
    return select(abs(x) < 2.0**-25, x, _special(u, result))


def log1p_of_positive(x: Number, offset: Number) -> Number:
    """log(1 + x) + offset * ln 2 for x in [0, 2^100]."""
    above = (x + 1.0).bits() - LEAST
    scale = (ONE - (above & EXPONENT)).as_float(x.type)
    count = (above >> 23).to_float(x.type) + offset
    return _sum(count, multiply_add(x, scale, scale - 1.0))


def log1p_of_unit(x: Number) -> Number:
    """log(1 + x) for x in [0, 1], as in softplus. Error below 2.5 ulp."""
    return x * horner(x, coefficients.LOG1P_UNIT)
