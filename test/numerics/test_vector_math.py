"""The errors of exp, log, log1p, tanh, erf, and of what is composed of them, stay below the stated bounds."""

from __future__ import annotations

import numpy as np
import pytest
from vector_math import FUNCTIONS, evaluate, exhaustive, largest_error


@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_of_a_sample_of_every_exponent(name: str) -> None:
    error, place = largest_error(name)
    assert error < FUNCTIONS[name].bound, f"at {place!r}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_of_all_floats(name: str) -> None:
    error, place = largest_error(name, exhaustive)
    assert error < FUNCTIONS[name].bound, f"at {place!r}"


SPECIAL = {
    "exp": ([np.nan, np.inf, -np.inf, 0.0, -0.0], [np.nan, np.inf, 0.0, 1.0, 1.0]),
    "log": (
        [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1.0],
        [np.nan, np.inf, np.nan, -np.inf, -np.inf, np.nan, 0.0],
    ),
    "log1p": ([np.nan, np.inf, -1.0, -2.0, -0.0], [np.nan, np.inf, -np.inf, np.nan, -0.0]),
    "tanh": ([np.nan, np.inf, -np.inf, -0.0], [np.nan, 1.0, -1.0, -0.0]),
    "erf": ([np.nan, np.inf, -np.inf, -0.0], [np.nan, 1.0, -1.0, -0.0]),
    "sigmoid": ([np.nan, np.inf, -np.inf, 0.0], [np.nan, 1.0, 0.0, 0.5]),
    "softplus": ([np.nan, np.inf, -np.inf], [np.nan, np.inf, 0.0]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str) -> None:
    inputs, expected = (np.array(values, np.float32) for values in SPECIAL[name])
    actual = evaluate(FUNCTIONS[name].op, inputs)
    np.testing.assert_array_equal(actual, expected)
    known = ~np.isnan(expected)
    assert np.array_equal(np.signbit(actual[known]), np.signbit(expected[known]))
