"""Random operators: their bits are SplitMix64's, their distributions those of the node."""

from __future__ import annotations

from collections.abc import Iterator
from math import erf, sqrt
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from oracle import Arrays, compile_model
from pieces import Pieces

from mlc.frontends.onnx.operators.tensor.random_generation import key

COUNT = 20000
MASK = 2**64 - 1


def splitmix64(state: int) -> Iterator[int]:
    """As published, one output after the other."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


class _Named:
    """The part of a node that `key` reads."""

    def __init__(self, label: str, seed: float | None = None) -> None:
        self.label, self.seed = label, seed

    def attr(self, _name: str, _default: Any) -> float | None:
        return self.seed


@pytest.fixture(scope="module")
def drawn() -> Arrays:
    """One model of all random operators."""
    pieces = Pieces(opset=22)
    shape = {"shape": [COUNT]}
    pieces.add("uniform", "RandomUniform", out=TensorProto.FLOAT, seed=3.0, **shape)
    pieces.add("same_seed", "RandomUniform", out=TensorProto.FLOAT, seed=3.0, **shape)
    pieces.add("other_seed", "RandomUniform", out=TensorProto.FLOAT, seed=4.0, **shape)
    pieces.add("no_seed", "RandomUniform", out=TensorProto.FLOAT, **shape)
    pieces.add(
        "double",
        "RandomUniform",
        out=TensorProto.DOUBLE,
        dtype=TensorProto.DOUBLE,
        low=-2.0,
        high=6.0,
        **shape,
    )
    pieces.add("normal", "RandomNormal", out=TensorProto.FLOAT, mean=1.0, scale=2.0, **shape)
    x = np.zeros((4, 5), np.float16)
    pieces.add("like", "RandomUniformLike", x)
    pieces.add("normal_like", "RandomNormalLike", x, dtype=TensorProto.DOUBLE, out=TensorProto.DOUBLE)
    weights = np.log(np.array([[1, 2, 3, 4], [1, 0, 0, 1]]) + 1e-30).astype(np.float32)
    pieces.add("classes", "Multinomial", weights, out=TensorProto.INT32, sample_size=COUNT)
    shares = np.full(COUNT, 0.3, np.float32)
    pieces.add("coins", "Bernoulli", shares, out=TensorProto.BOOL, dtype=TensorProto.BOOL)
    return compile_model(pieces.model()).run(pieces.inputs)


def test_bits_are_those_of_splitmix64(drawn: Arrays) -> None:
    outputs = splitmix64(key(_Named("uniform", 3.0)))  # type: ignore[arg-type]
    expected = [(next(outputs) >> 40) * 2.0**-24 for _ in range(100)]
    np.testing.assert_array_equal(drawn["uniform"][:100], np.array(expected, np.float32))
    outputs = splitmix64(key(_Named("double")))  # type: ignore[arg-type]
    expected = [(next(outputs) >> 11) * 2.0**-53 * 8 - 2 for _ in range(100)]
    np.testing.assert_allclose(drawn["double"][:100], expected, rtol=0, atol=1e-15)


def test_seeds_decide_the_results(drawn: Arrays) -> None:
    assert np.array_equal(drawn["uniform"], drawn["same_seed"])
    # Independent values: their correlation is about 1 / sqrt(COUNT).
    for other in ("other_seed", "no_seed"):
        assert abs(np.corrcoef(drawn["uniform"], drawn[other])[0, 1]) < 4 / sqrt(COUNT)


def largest_step(sample: np.ndarray, distribution: Any) -> float:
    """Kolmogorov's and Smirnov's distance, times the root of the count: 1.95 in one of 1000 samples."""
    probabilities = distribution(np.sort(sample.astype(np.float64)))
    steps = np.arange(len(sample) + 1) / len(sample)
    distance = max((steps[1:] - probabilities).max(), (probabilities - steps[:-1]).max())
    return float(distance * sqrt(len(sample)))


def test_distributions(drawn: Arrays) -> None:
    assert largest_step(drawn["uniform"], lambda x: x) < 1.95
    assert largest_step(drawn["double"], lambda x: (x + 2) / 8) < 1.95
    normal = np.vectorize(lambda x: (1 + erf((x - 1) / 2 / sqrt(2))) / 2)
    assert largest_step(drawn["normal"], normal) < 1.95


def test_types_and_shapes_are_those_of_an_input(drawn: Arrays) -> None:
    assert drawn["like"].shape == drawn["normal_like"].shape == (4, 5)
    assert drawn["like"].dtype == np.float16
    assert drawn["normal_like"].dtype == np.float64
    assert len(np.unique(drawn["normal_like"])) == 20


def test_draws_are_as_frequent_as_their_weights(drawn: Arrays) -> None:
    for line, shares in zip(drawn["classes"], ([0.1, 0.2, 0.3, 0.4], [0.5, 0, 0, 0.5]), strict=True):
        frequencies = np.bincount(line, minlength=4) / COUNT
        assert np.abs(frequencies - shares).max() < 4 * 0.5 / sqrt(COUNT)
    assert abs(drawn["coins"].mean() - 0.3) < 4 * 0.5 / sqrt(COUNT)


def dropout(ratio: Any, training: Any, opset: int = 22, **attributes: Any) -> Arrays:
    """Returns y and the mask by `training`: a constant, or an array for a dynamic value."""
    pieces = Pieces(opset)
    x = pieces.input("x", np.ones(COUNT, np.float32))
    names = [x, *(pieces._operand(n, v) for n, v in (("r", ratio), ("t", training)) if opset >= 12)]
    pieces.nodes.append(helper.make_node("Dropout", names, ["y", "mask"], name="d", **attributes))
    dtypes = {"y": TensorProto.FLOAT, "mask": TensorProto.BOOL if opset >= 10 else TensorProto.FLOAT}
    pieces.outputs = [helper.make_tensor_value_info(name, dtype, None) for name, dtype in dtypes.items()]
    return compile_model(pieces.model()).run(pieces.inputs)


@pytest.mark.slow
def test_dropout() -> None:
    trained = dropout(np.float32(0.25), True)
    assert abs(trained["mask"].mean() - 0.75) < 4 * 0.5 / sqrt(COUNT)
    np.testing.assert_array_equal(trained["y"], np.where(trained["mask"], np.float32(1 / 0.75), 0))
    for flag in (True, False):
        found = dropout(np.array(0.25, np.float32), np.array(flag))
        assert (not found["mask"].all()) == flag
        np.testing.assert_array_equal(
            found["y"], np.where(found["mask"], np.float32(1 / 0.75) if flag else 1, 0)
        )
    for quiet in (dropout(np.float32(0.0), True), dropout(None, False), dropout(None, None, opset=7)):
        assert quiet["mask"].all() and (quiet["y"] == 1).all()


@pytest.mark.slow
def test_older_dropout_says_when_it_is_a_test() -> None:
    assert (dropout(None, None, opset=6, is_test=1)["y"] == 1).all()
    trained = dropout(None, None, opset=6)
    assert abs(trained["mask"].mean() - 0.5) < 4 * 0.5 / sqrt(COUNT)
    np.testing.assert_array_equal(trained["y"], trained["mask"] * 2)
