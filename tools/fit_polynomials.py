"""Fits the polynomials of passes/math: `python tools/fit_polynomials.py` prints passes/math/coefficients.py;
with names, those polynomials.

Minimax fits by iteratively reweighted least squares (Lawson's algorithm) on Chebyshev nodes, in x87's 80-bit
arithmetic where differences cancel. Coefficients are rounded to f32 one after the other, lowest degree first,
and the others fitted again, so that higher coefficients compensate for rounding errors.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlc.passes.math.error_function import BOUND, CENTRE, NEAR

Array = np.ndarray
Wide = np.longdouble
ROUNDS = 60


def nodes(low: float, high: float, count: int = 2000) -> Array:
    """Returns Chebyshev nodes of [low, high]."""
    angles = np.pi * (np.arange(count, dtype=Wide) + Wide(0.5)) / count
    return (Wide(low) + Wide(high)) / 2 + (Wide(high) - Wide(low)) / 2 * np.cos(angles)


def lawson(columns: Array, target: Array, scale: Array) -> Array:
    """Returns the coefficients that minimise `max |columns @ c - target| / scale`."""
    weights = np.full(len(target), 1.0 / len(target))
    best, least = np.zeros(columns.shape[1]), np.inf
    for _ in range(ROUNDS):
        root = np.sqrt(weights) / scale
        solution = np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]
        error = np.abs(columns @ solution - target) / scale
        if error.max() < least:
            best, least = solution, error.max()
        weights = weights * error
        weights /= weights.sum()
    return best


@dataclass(frozen=True)
class Fit:
    """A fit of `function` on [low, high] by a polynomial of `degree`; the error is divided by `scale`.

    With `single`, coefficients are rounded to f32.
    """

    name: str
    function: Callable[[Array], Array]
    low: float
    high: float
    degree: int
    scale: Callable[[Array], Array]
    single: bool = True

    def solve(self) -> tuple[list[float], float]:
        """The coefficients, lowest degree first, and the largest scaled error with them."""
        x = nodes(self.low, self.high)
        exact = self.function(x)
        scale = np.asarray(self.scale(x) * np.ones_like(x), float)
        columns = np.vander(x, self.degree + 1, increasing=True)
        fixed: list[float] = []
        for index in range(self.degree + 1):
            known = columns[:, :index] @ np.array(fixed, Wide) if index else np.zeros_like(x)
            rest = lawson(columns[:, index:].astype(float), (exact - known).astype(float), scale)
            fixed.append(float(np.float32(rest[0])) if self.single else float(rest[0]))
            if not self.single:
                fixed = [float(value) for value in rest]
                break
        error = np.abs(columns @ np.array(fixed, Wide) - exact) / scale
        return fixed, float(error.max())


def series(exact: Callable[[Array], Array], terms: list[float], near: float) -> Callable[[Array], Array]:
    """Returns `exact`, which cancels near 0, with its Taylor series where `|x| < near`."""

    def function(x: Array) -> Array:
        """Evaluates the series or `exact`."""
        with np.errstate(all="ignore"):
            return np.where(
                np.abs(x) < near, np.polynomial.polynomial.polyval(x, np.array(terms, Wide)), exact(x)
            )

    return function


def one(x: Array) -> Array:
    """Returns ones in the shape of `x`."""
    return np.ones_like(x)


LN2 = np.log(Wide(2))
EXP_TAIL = series(
    lambda r: (np.expm1(r) - r) / r**2, [1 / Wide(math.factorial(k + 2)) for k in range(6)], 1e-3
)
EXP2_TAIL = series(
    lambda r: np.expm1(r * LN2) / r, [LN2 ** (k + 1) / math.factorial(k + 1) for k in range(6)], 1e-3
)
LOG_TAIL = series(lambda f: (np.log1p(f) - f) / f**2, [(-1) ** (k + 1) / Wide(k + 2) for k in range(8)], 1e-3)

HALF_PI = math.pi / 2 + 1e-3
ROOT_PI = math.sqrt(math.pi)


def error_function(x: Array) -> Array:
    """Returns `erf(x)`."""
    return np.array([math.erf(float(value)) for value in x], Wide)


def complement(x: Array) -> Array:
    """Returns `1 - erf(x)`."""
    return np.array([math.erfc(float(value)) for value in x], Wide)


def erf_tail(z: Array) -> Array:
    """Returns `erf(x) / x - 1` with `z = x^2`."""
    x = np.sqrt(np.maximum(z, 1e-30))
    return np.where(z < 1e-6, 2 / ROOT_PI * (1 - z / 3), error_function(x) / x) - 1


def odd(function: Callable[[Array], Array], terms: list[tuple[int, int]]) -> Callable[[Array], Array]:
    """Returns `(function(x) / x - 1) / z` with `z = x^2`; `terms` are those of its series, as fractions."""

    def tail(z: Array) -> Array:
        """Evaluates the quotient, which cancels near 0."""
        x = np.sqrt(np.maximum(z, 1e-30))
        return (function(x) / x - 1) / np.maximum(z, 1e-30)

    return series(tail, [Wide(numerator) / denominator for numerator, denominator in terms], 1e-4)


TANH_TAIL = odd(np.tanh, [(-1, 3), (2, 15), (-17, 315)])
SIN_TAIL = odd(np.sin, [(-1, 6), (1, 120), (-1, 5040)])
TAN_TAIL = odd(np.tan, [(1, 3), (2, 15), (17, 315)])
SINH_TAIL = odd(np.sinh, [(1, 6), (1, 120), (1, 5040)])
ATANH_TAIL = odd(np.arctanh, [(1, 3), (1, 5), (1, 7)])
ASIN_TAIL = odd(np.arcsin, [(1, 6), (3, 40), (15, 336)])
ATAN_TAIL = odd(np.arctan, [(-1, 3), (1, 5), (-1, 7)])


def cosh_tail(z: Array) -> Array:
    """Returns `2 (cosh(x) - 1) / z` with `z = x^2`, as the square of `2 sinh(x / 2) / x`."""
    return (1 + SINH_TAIL(z / 4) * z / 4) ** 2


def odd_scale(z: Array) -> Array:
    """Returns the scale of a tail's error, which is z times that of the function, relative to x."""
    return 1 / np.maximum(z, 1e-2)


LOG1P_RATIO = series(lambda z: np.log1p(z) / z, [(-1) ** k / Wide(k + 1) for k in range(4)], 1e-4)

LOG2_RATIO = series(lambda f: np.log1p(f) / f / LN2, [(-1) ** k / Wide(k + 1) / LN2 for k in range(8)], 1e-3)

# f with 1 + f from sqrt(1/2) to sqrt(2).
MANTISSA = (math.sqrt(0.5) - 1 - 1e-6, math.sqrt(2) - 1 + 1e-6)

FITS = [
    Fit("EXP", EXP_TAIL, -0.3467, 0.3467, 4, lambda r: np.exp(r) / np.maximum(r * r, 1e-2)),
    Fit("EXP2", EXP2_TAIL, -0.5001, 0.5001, 5, lambda r: np.exp2(r) / np.maximum(np.abs(r), 0.1)),
    Fit("LOG", LOG_TAIL, *MANTISSA, 8, lambda f: np.abs(np.log1p(f)) / np.maximum(f * f, 1e-2)),
    Fit("LOG1P_UNIT", LOG1P_RATIO, 0.0, 1.0, 9, LOG1P_RATIO),
    Fit("TANH", TANH_TAIL, 0.0, 0.55**2, 4, odd_scale),
    Fit("SINH", lambda z: 2 * SINH_TAIL(z), 0.0, 1.0, 4, odd_scale),
    Fit("COSH", cosh_tail, 0.0, 0.3467**2, 2, odd_scale),
    Fit("ATANH", ATANH_TAIL, 0.0, 0.5**2, 5, odd_scale),
    Fit("SIN", SIN_TAIL, 0.0, HALF_PI**2, 4, lambda z: np.sin(np.sqrt(z)) / np.sqrt(z) * odd_scale(z)),
    Fit("TAN", TAN_TAIL, 0.0, (HALF_PI / 2) ** 2, 6, odd_scale),
    Fit("ASIN", ASIN_TAIL, 0.0, 0.6**2, 5, odd_scale),
    Fit("ATAN", ATAN_TAIL, 0.0, 1.0, 8, odd_scale),
    Fit("LOG2", LOG2_RATIO, *MANTISSA, 13, one, single=False),
    Fit("ERF_NEAR", erf_tail, 0.0, NEAR**2, 6, lambda z: erf_tail(z) + 1),
    # The error of the fourth power is the scale's inverse times that of the root.
    Fit(
        "ERF_FAR",
        lambda v: complement(v + CENTRE) ** Wide(0.25),
        NEAR - CENTRE,
        BOUND - CENTRE,
        7,
        lambda v: 0.25 / complement(v + CENTRE) ** Wide(0.75),
    ),
]


def show(fit: Fit) -> str:
    """Returns the lines of Python that define a polynomial."""
    coefficients, error = fit.solve()
    lines = "".join(f"    {value!r},\n" for value in coefficients)
    return f"# Error 2^{math.log2(error):.1f}.\n{fit.name} = (\n{lines})\n"


def main() -> None:
    """Prints the module, or the polynomials named on the command line."""
    if sys.argv[1:]:
        print("".join(show(fit) for fit in FITS if fit.name in sys.argv[1:]), end="")
        return
    print('"""Minimax polynomials, lowest degree first. Written by tools/fit_polynomials.py."""')
    print("\n" + "".join(show(fit) for fit in FITS), end="")


if __name__ == "__main__":
    main()
