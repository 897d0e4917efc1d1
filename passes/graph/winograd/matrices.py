"""The matrices of Winograd's F(m, r), by the construction of Toom and Cook.

A tile's result is `A^T ((G g) * (B^T d))` in each dim: d is the input of n = m + r - 1 values, g the kernel
of r. Polynomials are evaluated at n - 1 points and at infinity; the points come in pairs +p, -p, which the
transforms use.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import prod

# Points of F(m, 3) beside infinity: of few bits, for exact matrices, and around 1, which keeps the rounding
# errors low (those of F(4, 3) below half of what 1 and 2 give).
_POINTS = {
    2: ("0", "1", "-1"),
    4: ("0", "5/8", "-5/8", "3/2", "-3/2"),
    6: ("0", "1", "-1", "2", "-2", "1/2", "-1/2"),
}
Matrix = tuple[tuple[Fraction, ...], ...]


def _points(tile: int) -> list[Fraction]:
    return [Fraction(point) for point in _POINTS[tile]]


def _times(polynomial: list[Fraction], root: Fraction) -> list[Fraction]:
    """The polynomial, lowest power first, times (x - root)."""
    shifted = [Fraction(0), *polynomial]
    return [high - root * low for high, low in zip(shifted, [*polynomial, Fraction(0)], strict=True)]


def _with_roots(roots: list[Fraction], length: int) -> tuple[Fraction, ...]:
    polynomial = [Fraction(1)]
    for root in roots:
        polynomial = _times(polynomial, root)
    return (*polynomial, *[Fraction(0)] * (length - len(polynomial)))


@cache
def input_matrix(tile: int, kernel: int = 3) -> Matrix:
    """B^T, n x n. Rows: the points in their order, then infinity."""
    points, size = _points(tile), tile + kernel - 1
    rows = [_with_roots([other for other in points if other != point], size) for point in points]
    return (*rows, _with_roots(points, size))


@cache
def kernel_matrix(tile: int, kernel: int = 3) -> Matrix:
    """G, n x r."""
    points = _points(tile)
    scales = [prod(point - other for other in points if other != point) for point in points]
    rows = [
        tuple(point**power / scale for power in range(kernel))
        for point, scale in zip(points, scales, strict=True)
    ]
    return (*rows, (*[Fraction(0)] * (kernel - 1), Fraction(1)))


@cache
def output_matrix(tile: int, kernel: int = 3) -> Matrix:
    """A^T, m x n."""
    del kernel
    points = _points(tile)
    return tuple(
        (*(point**power for point in points), Fraction(int(power == tile - 1))) for power in range(tile)
    )
