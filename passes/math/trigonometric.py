"""sin, cos and tan."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.passes.math import coefficients
from mlc.passes.math.expression import SIGN, Number, horner, multiply_add, select
from mlc.passes.math.range_reduction import reduce

INFINITY, NAN = float("inf"), float("nan")


def _odd(r: Number, polynomial: Sequence[float]) -> Number:
    """r + r^3 P(r^2). The first term of P is put in last: its rounding counts for most."""
    square = r * r
    rest = square * square * horner(square, polynomial[1:])
    return multiply_add(multiply_add(square, polynomial[0], rest), r, r)


def _sine(r: Number, n: Number) -> Number:
    """sin(r), negated for odd n."""
    return _odd(r, coefficients.SIN).with_bits_flipped(n << 31)


def _finite(x: Number, result: Number) -> Number:
    """NaN where x is infinite or NaN."""
    return select(abs(x) < INFINITY, result, NAN)


def sin(x: Number) -> Number:
    """sin(|x| - n pi), with the signs of n's parity and of x. Error below 2 ulp."""
    value = _sine(*reduce(abs(x), 1, 0.0))
    return _finite(x, value.with_bits_flipped(x.bits() & SIGN))


def cos(x: Number) -> Number:
    """sin(|x| + pi / 2). Error below 2 ulp."""
    return _finite(x, _sine(*reduce(abs(x), 1, 0.5)))


def tan(x: Number) -> Number:
    """tan(r), or -1 / tan(r) for odd n, with |x| = n pi / 2 + r. Error below 3 ulp."""
    r, n = reduce(abs(x), 2, 0.0)
    value = _odd(r, coefficients.TAN)
    odd = (n & 1).compare("ne", 0)
    quotient = select(odd, -1.0, value) / select(odd, value, 1.0)
    return _finite(x, quotient.with_bits_flipped(x.bits() & SIGN))
