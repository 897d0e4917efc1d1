"""Elementwise, reducing, moving and multiplying operators in every element type that their schemas allow."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from every_type import EVERY_TYPE, nodes_of
from oracle import Arrays, compile_model, differences, reference
from pieces import Pieces

NARROW = ("float16", "bfloat16")
# f64's tolerance where the reference itself is exact to f64.
DOUBLE = 1e-12


def expected_of(name: str) -> Arrays:
    """Returns the results of onnx's reference; of 16-bit floats, those in f32 of the same values, rounded."""
    if name not in NARROW:
        pieces = nodes_of(name)
        return reference(pieces.model(), pieces.inputs)
    pieces = nodes_of(name, "float32")
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    found = reference(pieces.model(), pieces.inputs)
    return {key: v.astype(dtype) if v.dtype == np.float32 else v for key, v in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY_TYPE)
def test_every_operator(name: str) -> None:
    pieces = nodes_of(name)
    expected = expected_of(name)
    if name == "float64":
        # The reference rounds these to f32.
        erf = np.vectorize(math.erf)
        expected["Erf"] = erf(pieces.inputs["Erf.0"])
        expected["HardSwish"] = (x := pieces.inputs["HardSwish.0"]) * np.clip(x / 6 + 0.5, 0, 1)
        expected["Gelu"] = (x := pieces.inputs["Gelu.0"]) / 2 * (1 + erf(x / math.sqrt(2)))
    actual = compile_model(pieces.model()).run(pieces.inputs)
    tolerance = {"tolerance": DOUBLE} if name == "float64" else {}
    assert not differences(actual, {key: expected[key] for key in actual}, **tolerance)


@pytest.mark.slow
def test_padding_of_small_integers_is_less_than_all() -> None:
    """The reference pads with NaN, which no integer is; so it is asked for floats."""
    x = np.random.default_rng(0).integers(-120, -5, (1, 2, 6, 6))
    window = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    actual, exact = Pieces(), Pieces()
    for element_type, values in (("int8", x), ("uint8", -x)):
        actual.add(element_type, "MaxPool", values.astype(element_type), **window)
        exact.add(element_type, "MaxPool", values.astype(np.float32), **window)
    found = reference(exact.model(), exact.inputs)
    expected = {element_type: found[element_type].astype(element_type) for element_type in found}
    assert not differences(compile_model(actual.model()).run(actual.inputs), expected)
