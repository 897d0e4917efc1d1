"""Function pow on f32: the error of random pairs, and C's special cases, which NumPy follows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from vector_functions import Function
from vector_math import CHUNK, error, evaluate

Array = np.ndarray
BOUND = 2.0


def _largest(x: Array, y: Array) -> tuple[float, float, float]:
    """The largest error in ulp, and where."""
    power = Function("graph.pow", lambda wide: np.power(wide, y.astype(np.float64)), BOUND)
    errors = error(power, x, evaluate("graph.pow", x, y))
    index = int(errors.argmax())
    return float(errors[index]), float(x[index]), float(y[index])


def _floats(rng: np.random.Generator, low: int, high: int, count: int) -> Array:
    """Positive floats with biased exponents from `low` on and below `high`."""
    return rng.integers(low << 23, high << 23, count, dtype=np.uint32).view(np.float32)


def _pairs(seed: int, count: int) -> tuple[Array, Array]:
    """Bases of all sizes, and many near 1; exponents for which most results are in range."""
    rng = np.random.default_rng(seed)
    bases = [_floats(rng, 0, 255, count), _floats(rng, 120, 134, count)]
    bases.append((1 + rng.normal(0, 1, count) * 2.0 ** rng.integers(-23, -3, count)).astype(np.float32))
    x = np.concatenate(bases)
    x = x[x > 0]
    with np.errstate(all="ignore"):
        y = rng.uniform(-152, 130, len(x)) / np.log2(x.astype(np.float64))
    return x, np.where(np.isfinite(y), y, 2).astype(np.float32)


def test_error_of_a_sample() -> None:
    largest, x, y = _largest(*_pairs(0, 1 << 17))
    assert largest < BOUND, f"at {x!r} ** {y!r}"


@pytest.mark.parametrize("y", [-2.0, -1.0, -0.5, 0.5, 0.75, 1.0, 2.0, 3.0, 1 / 3])
def test_error_of_constant_exponents(y: float) -> None:
    x = _floats(np.random.default_rng(1), 0, 255, 1 << 16)
    largest, argument, _ = _largest(x, np.full_like(x, y))
    assert largest < BOUND, f"at {argument!r}"


def test_integer_powers_of_negative_values() -> None:
    rng = np.random.default_rng(2)
    x, y = -_floats(rng, 117, 137, 1 << 16), rng.integers(-12, 13, 1 << 16).astype(np.float32)
    largest, base, exponent = _largest(x, y)
    assert largest < BOUND, f"at {base!r} ** {exponent!r}"


SPECIAL = [0.0, 2.0**-149, 0.5, 1.0 - 2.0**-24, 1.0, 1.0 + 2.0**-23, 1.5, 2.0, 3.0, 2.0**23 + 1, 2.0**24 - 1]
SPECIAL += [2.0**24, 2.0**31, 2.0**32, 2.0**127, np.inf]


def test_special_values() -> None:
    signed = [*SPECIAL, *(-value for value in SPECIAL), np.nan]
    x, y = np.array(list(itertools.product(signed, signed)), np.float32).T
    largest, base, exponent = _largest(np.ascontiguousarray(x), np.ascontiguousarray(y))
    assert largest < BOUND, f"at {base!r} ** {exponent!r}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
def test_error_of_many_pairs(seed: int) -> None:
    largest, x, y = _largest(*_pairs(seed, 8 * CHUNK))
    assert largest < BOUND, f"at {x!r} ** {y!r}"
