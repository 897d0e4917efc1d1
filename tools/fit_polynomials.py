"""Fits the polynomials of passes/tloop/polynomials.py: `python tools/fit_polynomials.py` prints the
coefficients.

Minimax fits of the relative error by iteratively reweighted least squares (Lawson) on Chebyshev nodes, in
float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Array = np.ndarray


def nodes(low: float, high: float, count: int = 4000) -> Array:
    """Chebyshev nodes of [low, high]."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    return (low + high) / 2 + (high - low) / 2 * np.cos(angles)


def lawson(columns: Array, target: Array, scale: Array, rounds: int = 200) -> Array:
    """Coefficients that minimise max |columns @ c - target| / scale."""
    weights = np.full(len(target), 1.0 / len(target))
    for _ in range(rounds):
        root = np.sqrt(weights)[:, None] / scale[:, None]
        solution = np.linalg.lstsq(columns * root, target * root[:, 0], rcond=None)[0]
        error = np.abs(columns @ solution - target) / scale
        weights = weights * error
        weights /= weights.sum()
    print(f"    max error {error.max():.3g}")
    return solution


def polynomial(function: Callable[[float], float], low: float, high: float, degree: int, scale: str) -> Array:
    """Coefficients, lowest degree first; `scale` is "relative" or "absolute"."""
    x = nodes(low, high)
    y = np.array([function(value) for value in x])
    return lawson(
        np.vander(x, degree + 1, increasing=True), y, np.abs(y) if scale == "relative" else np.ones_like(y)
    )


def rational(function: Callable[[float], float], high: float, above: int, below: int) -> tuple[Array, Array]:
    """P, Q in z with function ~ P(z) / Q(z) on [0, high], Q(0) = 1, by linearised fits."""
    z = nodes(0, high)
    y = np.array([function(value) for value in z])
    q = np.ones_like(z)
    for _ in range(8):
        columns = np.hstack(
            [
                np.vander(z, above + 1, increasing=True),
                -y[:, None] * np.vander(z, below + 1, increasing=True)[:, 1:],
            ]
        )
        solution = lawson(columns, y, np.abs(y * q))
        numerator, denominator = solution[: above + 1], np.concatenate([[1.0], solution[above + 1 :]])
        q = np.vander(z, below + 1, increasing=True) @ denominator
    return numerator, denominator


def _log_tail(f: float) -> float:
    """(log(1 + f) - f + f^2 / 2) / f^3."""
    if abs(f) < 1e-3:
        return 1 / 3 - f / 4 + f * f / 5 - f**3 / 6
    return (math.log1p(f) - f + f * f / 2) / f**3


def _exp_tail(r: float) -> float:
    """(exp(r) - 1 - r) / r^2."""
    return 0.5 + r / 6 + r * r / 24 + r**3 / 120 if abs(r) < 1e-4 else (math.expm1(r) - r) / r**2


def _tanh_tail(z: float) -> float:
    """(tanh(x) / x - 1) / z with z = x^2."""
    x = math.sqrt(z)
    return -1 / 3 + 2 * z / 15 - 17 * z * z / 315 if x < 1e-2 else (math.tanh(x) / x - 1) / z


def _erf_ratio(z: float) -> float:
    """erf(x) / x with z = x^2."""
    x = math.sqrt(z)
    return 2 / math.sqrt(math.pi) * (1 - z / 3) if x < 1e-4 else math.erf(x) / x


def show(name: str, coefficients: Array) -> None:
    print(f"{name} = (", ", ".join(f"{value:.9g}" for value in coefficients), ")")


def main() -> None:
    show("EXP", polynomial(_exp_tail, -0.3466, 0.3466, 4, "absolute"))
    show("LOG", polynomial(_log_tail, math.sqrt(0.5) - 1, math.sqrt(2) - 1, 8, "absolute"))
    show("TANH", polynomial(_tanh_tail, 0.0, 0.625**2, 4, "absolute"))
    numerator, denominator = rational(_erf_ratio, 3.92**2, 6, 5)
    show("ERF_NUMERATOR", numerator)
    show("ERF_DENOMINATOR", denominator)


if __name__ == "__main__":
    main()
