"""Trigonometric functions and their inverses.

Angles modulo pi: x - n pi or x - n pi / 2, for all f32.

Small angles: Cody and Waite. Large ones: Payne and Hanek, "Radian reduction for trigonometric functions"
(1983), in integers of 32 bits: x is an integer M times 2^e, and of the bits of 1 / (2 pi), 96 decide what
M 2^e / (2 pi) is modulo 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from mlc.bindings import ir
from mlc.passes.math import coefficients
from mlc.passes.math.exponential import ROUNDING
from mlc.passes.math.expression import (
    SIGN,
    FloatValue,
    horner,
    multiply_add,
    select,
    square_root,
    wide_product,
)

# From here on angles are large. Its exponent, and those of larger floats, give the windows below.
LARGE, LARGE_EXPONENT = 2.0**13, 140


def _arc_cotangent(n: int, one: int) -> int:
    """Returns `arctan(1 / n) * one`."""
    term = total = one // n
    divisor = 1
    while term:
        term = -term // (n * n)
        divisor += 2
        total += term // divisor
    return total


def _pi(bits: int) -> int:
    """Returns `pi * 2^bits`, rounded down, by Machin's formula."""
    one = 1 << (bits + 32)
    return (16 * _arc_cotangent(5, one) - 4 * _arc_cotangent(239, one)) >> 32


def _split_pi() -> tuple[float, ...]:
    """Returns pi as a sum of four. The first three have 11 bits: products with n, of at most 13 bits, are
    exact."""
    rest, one, parts = _pi(200), 1 << 200, []
    for _ in range(3):
        unit = 1 << (rest.bit_length() - 11)
        parts.append(rest // unit * unit / one)
        rest %= unit
    return *parts, rest / one


def _inverse_of_two_pi() -> tuple[int, ...]:
    """Returns the bits of 1 / (2 pi) after the binary point, 32 per word, after ten zeros: from the one on
    that decides at the exponent LARGE_EXPONENT."""
    bits = 7 * 32 - 10
    inverse = (1 << (2 * bits + 64)) // (2 * _pi(bits + 64))
    return tuple(inverse >> (32 * index) & 0xFFFFFFFF for index in reversed(range(7)))


PI = _split_pi()

INVERSE_OF_TWO_PI = _inverse_of_two_pi()


def _word(index: FloatValue, offset: int) -> FloatValue:
    """Returns INVERSE_OF_TWO_PI[index + offset] with index from 0 to 3."""
    words = [index.constant(_as_signed(INVERSE_OF_TWO_PI[offset + i])) for i in range(4)]
    result = words[0]
    for i in range(1, 4):
        result = select(index.compare("sge", i), words[i], result)
    return result


def _as_signed(word: int) -> int:
    return word - (1 << 32) if word >= 1 << 31 else word


def _window(exponent: FloatValue) -> list[FloatValue]:
    """Returns the 96 bits of 1 / (2 pi) that decide at the biased `exponent`, the first 32 first."""
    position = exponent - LARGE_EXPONENT
    index, shift = position >> 5, position & 31
    words = [_word(index, offset) for offset in range(4)]
    # In two steps, because a shift by 32 is undefined.
    rest = shift ^ 31
    return [
        (high << shift) | low.shift_right_unsigned(1).shift_right_unsigned(rest)
        for high, low in pairwise(words)
    ]


def _revolutions(magnitude: FloatValue) -> tuple[FloatValue, FloatValue]:
    """Returns `magnitude` / (2 pi) modulo 1, in 2^-64: its high and its low 32 bits. For large angles."""
    bits = magnitude.bits()
    mantissa = (bits & 0x7FFFFF) | 0x800000
    first, second, third = _window(bits >> 23)
    _, carried = wide_product(mantissa, third)
    low, high = wide_product(mantissa, second)
    total = low + carried
    carry = select(total.compare("ult", low), total.constant(1), 0)
    return mantissa * first + high + carry, total


def _angle(high: FloatValue, low: FloatValue, type_: ir.Type) -> FloatValue:
    """Returns the signed revolutions high * 2^-32 + low * 2^-64 in radians, rounded about once."""
    # The rounded high 24 bits are exact in f32; what is left is signed, so that nothing cancels.
    top = (high + 0x80) & -0x100
    rest = ((high - top) << 24) | low.shift_right_unsigned(8)
    scale = 2 * math.pi * 2.0**-32
    first = round(scale * 2.0**53) * 2.0**-53  # in f32; the difference makes up for its rounding
    tail = rest.to_float(type_) * (scale * 2.0**-24)
    head = top.to_float(type_)
    return multiply_add(head, first, multiply_add(head, scale - first, tail))


def reduce(magnitude: FloatValue, parts: int, shift: float) -> tuple[FloatValue, FloatValue]:
    """Returns (r, n) with |x| + shift * pi = n * pi / parts + r and |r| <= pi / parts / 2, n modulo 4 as an
    integer.

    `parts` is 1 or 2; `shift` is 0 or 1/2.
    """
    small, count = _reduce_small(magnitude, parts, shift)
    high, low = _revolutions(magnitude)
    # A revolution is 2^32. Adding half an interval, and subtracting it again, rounds.
    interval = 31 if parts == 1 else 30
    half = 1 << (interval - 1)
    shifted = high + _as_signed((int(shift * (1 << 31)) + half) % (1 << 32))
    large = _angle((shifted & ((1 << interval) - 1)) - half, low, magnitude.type)
    is_large = magnitude.compare("OGE", LARGE)
    return select(is_large, large, small), select(is_large, shifted.shift_right_unsigned(interval), count)


def _reduce_small(magnitude: FloatValue, parts: int, shift: float) -> tuple[FloatValue, FloatValue]:
    shifted = (
        multiply_add(magnitude, parts / math.pi, shift) + ROUNDING
        if shift
        else multiply_add(magnitude, parts / math.pi, ROUNDING)
    )
    count = shifted - ROUNDING
    multiple = count - shift if shift else count
    *first, third, rest = (-part / parts for part in PI)
    r = magnitude
    for part in first:
        r = multiply_add(multiple, part, r)
    # Up to here nothing was rounded: products with n are exact, fused or not. What the third part's
    # difference loses is added with the rest of pi, so that the angle is rounded about once.
    near = multiply_add(multiple, third, r)
    lost = multiply_add(multiple, third, r - near)
    return multiply_add(multiple, rest, lost) + near, shifted.bits()


# pi / 2 as a sum of two f32.
QUARTER, QUARTER_LOW = 1.57079637050628662109375, math.pi / 2 - 1.57079637050628662109375

# Beyond it asin(x) is pi / 2 - 2 asin(sqrt((1 - x) / 2)).
NEAR = 0.6


def _arc(x: FloatValue) -> tuple[FloatValue, FloatValue, FloatValue]:
    """Returns (whether |x| is beyond NEAR, s, asin(s) - s), where s = |x|, or sqrt((1 - |x|) / 2) beyond
    NEAR."""
    magnitude = abs(x)
    far = magnitude > NEAR
    square = select(far, multiply_add(magnitude, -0.5, 0.5), x * x)
    s = select(far, square_root(square), magnitude)
    return far, s, s * square * horner(square, coefficients.ASIN)


def asin(x: FloatValue) -> FloatValue:
    """Returns asin(x). Error below 1.5 ulp."""
    far, s, tail = _arc(x)
    # The lower part of pi / 2 goes into the small term, where its sum is rounded least.
    arc = s + (tail - select(far, x.constant(QUARTER_LOW / 2), 0.0))
    return select(far, multiply_add(arc, -2.0, QUARTER), arc).with_sign_of(x)


def acos(x: FloatValue) -> FloatValue:
    """Returns `pi / 2 - asin(x)`; beyond NEAR 2 asin(s), or pi minus it for negative x. Error below 1.75
    ulp."""
    far, s, tail = _arc(x)
    factor = select(far, x.constant(2.0), -1.0).with_bits_flipped(x.bits() & SIGN)
    negative = x < 0.0
    opposite, opposite_low = (select(negative, x.constant(2 * part), 0.0) for part in (QUARTER, QUARTER_LOW))
    base, low = select(far, opposite, QUARTER), select(far, opposite_low, QUARTER_LOW)
    return multiply_add(factor, s, base) + multiply_add(factor, tail, low)


def atan(x: FloatValue) -> FloatValue:
    """Returns `q + q^3 P(q^2)`, with q = |x|, or pi / 2 + the same with q = -1 / |x| beyond 1. Error below
    1.5 ulp."""
    magnitude = abs(x)
    far = magnitude > 1.0
    quotient = select(far, -1.0, magnitude) / select(far, magnitude, 1.0)
    square = quotient * quotient
    zero = x.constant(0.0)
    tail = multiply_add(quotient * square, horner(square, coefficients.ATAN), select(far, QUARTER_LOW, zero))
    return (select(far, QUARTER, zero) + (quotient + tail)).with_sign_of(x)


INFINITY, NAN = float("inf"), float("nan")


def _odd(r: FloatValue, polynomial: Sequence[float]) -> FloatValue:
    """Returns `r + r^3 P(r^2)`. The first term of P is added last: its rounding counts for most."""
    square = r * r
    rest = square * square * horner(square, polynomial[1:])
    return multiply_add(multiply_add(square, polynomial[0], rest), r, r)


def _sine(r: FloatValue, n: FloatValue) -> FloatValue:
    """Returns sin(r), negated for odd n."""
    return _odd(r, coefficients.SIN).with_bits_flipped(n << 31)


def _finite(x: FloatValue, result: FloatValue) -> FloatValue:
    """Returns `result`, but NaN where x is infinite or NaN."""
    return select(abs(x) < INFINITY, result, NAN)


def sin(x: FloatValue) -> FloatValue:
    """Returns sin(|x| - n pi), with the signs of n's parity and of x. Error below 2 ulp."""
    value = _sine(*reduce(abs(x), 1, 0.0))
    return _finite(x, value.with_bits_flipped(x.bits() & SIGN))


def cos(x: FloatValue) -> FloatValue:
    """Returns sin(|x| + pi / 2). Error below 2 ulp."""
    return _finite(x, _sine(*reduce(abs(x), 1, 0.5)))


def tan(x: FloatValue) -> FloatValue:
    """Returns tan(r), or -1 / tan(r) for odd n, with |x| = n pi / 2 + r. Error below 3 ulp."""
    r, n = reduce(abs(x), 2, 0.0)
    value = _odd(r, coefficients.TAN)
    odd = (n & 1).compare("ne", 0)
    quotient = select(odd, -1.0, value) / select(odd, value, 1.0)
    return _finite(x, quotient.with_bits_flipped(x.bits() & SIGN))
