"""The errors of the f32 functions that kernels compute by arithmetic stay below the stated bounds."""

from __future__ import annotations

import numpy as np
import pytest
from vector_functions import FUNCTIONS
from vector_math import evaluate, exhaustive, largest_error
from vector_math_cost import assembly, calls_of, vector_loop

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_of_a_sample_of_every_exponent(name: str) -> None:
    error, argument = largest_error(name)
    assert error < FUNCTIONS[name].bound, f"at {argument!r}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_of_all_floats(name: str) -> None:
    error, argument = largest_error(name, exhaustive)
    assert error < FUNCTIONS[name].bound, f"at {argument!r}"


# function -> (argument, exact result)...
SPECIAL = {
    "exp": [(NAN, NAN), (INF, INF), (-INF, 0.0), (0.0, 1.0), (-0.0, 1.0), (89.0, INF), (-104.0, 0.0)],
    "exp2": [
        (NAN, NAN),
        (INF, INF),
        (-INF, 0.0),
        (0.0, 1.0),
        (128.0, INF),
        (-149.0, 2.0**-149),
        (-150.0, 0.0),
        (3.0, 8.0),
    ],
    "expm1": [
        (NAN, NAN),
        (INF, INF),
        (-INF, -1.0),
        (0.0, 0.0),
        (-0.0, -0.0),
        (2.0**-149, 2.0**-149),
        (89.0, INF),
    ],
    "log": [
        (NAN, NAN),
        (INF, INF),
        (-INF, NAN),
        (0.0, -INF),
        (-0.0, -INF),
        (-1.0, NAN),
        (-(2.0**-149), NAN),
        (1.0, 0.0),
    ],
    "log1p": [
        (NAN, NAN),
        (INF, INF),
        (-INF, NAN),
        (-1.0, -INF),
        (-2.0, NAN),
        (-0.0, -0.0),
        (2.0**-149, 2.0**-149),
    ],
    "tanh": [(NAN, NAN), (INF, 1.0), (-INF, -1.0), (-0.0, -0.0), (9.5, 1.0), (2.0**-149, 2.0**-149)],
    "erf": [(NAN, NAN), (INF, 1.0), (-INF, -1.0), (-0.0, -0.0), (4.0, 1.0)],
    "sigmoid": [(NAN, NAN), (INF, 1.0), (-INF, 0.0), (0.0, 0.5)],
    "silu": [(NAN, NAN), (INF, INF), (0.0, 0.0), (-0.0, -0.0)],
    "softplus": [(NAN, NAN), (INF, INF), (-INF, 0.0)],
    "mish": [(NAN, NAN), (INF, INF), (0.0, 0.0), (-0.0, -0.0)],
    "elu": [(NAN, NAN), (INF, INF), (-INF, -1.0), (0.0, 0.0)],
    "gelu": [(NAN, NAN), (INF, INF), (0.0, 0.0), (-0.0, -0.0), (-10.0, -0.0)],
    "gelu tanh": [(NAN, NAN), (INF, INF), (0.0, 0.0), (-0.0, -0.0), (-1e30, -0.0)],
    "sqrt": [(NAN, NAN), (INF, INF), (-INF, NAN), (-0.0, -0.0), (-1.0, NAN), (4.0, 2.0)],
    "rsqrt": [(NAN, NAN), (INF, 0.0), (-INF, NAN), (0.0, INF), (-1.0, NAN), (4.0, 0.5)],
    "sinh": [(NAN, NAN), (INF, INF), (-INF, -INF), (-0.0, -0.0), (2.0**-149, 2.0**-149), (89.5, INF)],
    "cosh": [(NAN, NAN), (INF, INF), (-INF, INF), (0.0, 1.0), (-0.0, 1.0), (-89.5, INF)],
    "asinh": [(NAN, NAN), (INF, INF), (-INF, -INF), (-0.0, -0.0), (2.0**-149, 2.0**-149)],
    "acosh": [(NAN, NAN), (INF, INF), (-INF, NAN), (1.0, 0.0), (0.999, NAN), (-2.0, NAN), (0.0, NAN)],
    "atanh": [(NAN, NAN), (INF, NAN), (1.0, INF), (-1.0, -INF), (1.001, NAN), (-2.0, NAN), (-0.0, -0.0)],
    "sin": [(NAN, NAN), (INF, NAN), (-INF, NAN), (0.0, 0.0), (-0.0, -0.0), (-(2.0**-149), -(2.0**-149))],
    "cos": [(NAN, NAN), (INF, NAN), (-INF, NAN), (0.0, 1.0), (-0.0, 1.0)],
    "tan": [(NAN, NAN), (INF, NAN), (-INF, NAN), (0.0, 0.0), (-0.0, -0.0), (-(2.0**-149), -(2.0**-149))],
    "asin": [(NAN, NAN), (INF, NAN), (1.001, NAN), (-1.001, NAN), (-0.0, -0.0), (-(2.0**-149), -(2.0**-149))],
    "acos": [(NAN, NAN), (-INF, NAN), (1.001, NAN), (-1.001, NAN), (1.0, 0.0)],
    "atan": [(NAN, NAN), (-0.0, -0.0), (-(2.0**-149), -(2.0**-149))],
    "selu": [(NAN, NAN), (INF, INF), (0.0, 0.0)],
    "celu": [(INF, INF), (-INF, -1.0), (0.0, 0.0)],
    "softsign": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (3.0, 0.75)],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_values(name: str) -> None:
    function = FUNCTIONS[name]
    arguments = np.array([argument for argument, _ in SPECIAL[name]], np.float32)
    expected = np.array([result for _, result in SPECIAL[name]], np.float32)
    actual = evaluate(function.op, arguments, attributes=function.attributes)
    np.testing.assert_array_equal(actual, expected)
    known = ~np.isnan(expected)
    assert np.array_equal(np.signbit(actual[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_is_called(name: str) -> None:
    function = FUNCTIONS[name]
    text = assembly(function.op, function.attributes, "x86-64-v3")
    assert calls_of(text) == set()
    assert any("%ymm" in line for line in vector_loop(text))
