"""CausalConvWithState of static sizes, and of a dynamic batch and length, against ONNX's
reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from mlc import onnx_backend

CHANNELS, TAPS = 6, 4
RNG = np.random.default_rng(3)
WEIGHTS = RNG.standard_normal((CHANNELS, 1, TAPS), np.float32)
BIAS = RNG.standard_normal(CHANNELS, np.float32)


def model(batch: int | str, length: int | str, past: bool) -> onnx.ModelProto:
    """One node with SiLU; the weights are constants."""
    value = TensorProto.FLOAT
    x, state = [batch, CHANNELS, length], [batch, CHANNELS, TAPS - 1]
    inputs = [helper.make_tensor_value_info("x", value, x)]
    if past:
        inputs.append(helper.make_tensor_value_info("past", value, state))
    outputs = [helper.make_tensor_value_info(name, value, dims) for name, dims in (("y", x), ("s", state))]
    node = helper.make_node(
        "CausalConvWithState", ["x", "w", "b", "past" if past else ""], ["y", "s"], activation="silu"
    )
    weights = [numpy_helper.from_array(WEIGHTS, "w"), numpy_helper.from_array(BIAS, "b")]
    graph = helper.make_graph([node], "g", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 27)], ir_version=10)


def arrays(batch: int, length: int, past: bool) -> list[np.ndarray]:
    x = RNG.standard_normal((batch, CHANNELS, length), np.float32)
    return [x, RNG.standard_normal((batch, CHANNELS, TAPS - 1), np.float32)] if past else [x]


def check(program: Any, proto: onnx.ModelProto, inputs: list[np.ndarray]) -> None:
    expected: Any = ReferenceEvaluator(proto).run(None, dict(zip(["x", "past"], inputs, strict=False)))
    for actual, wanted in zip(program.run(inputs), expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-5, atol=1e-5, strict=True)


@pytest.mark.parametrize(
    "past", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["past state", "zeros"]
)
def test_batch_and_length_are_those_of_the_call(past: bool) -> None:
    """Lengths are above, below and at the number of elements that the state carries."""
    proto = model("batch", "length", past)
    program = onnx_backend.prepare(proto, threads=1, cache=False)
    for batch, length in ((2, 9), (1, 1), (3, 3)):
        check(program, proto, arrays(batch, length, past))


@pytest.mark.slow
@pytest.mark.parametrize("past", [True, False], ids=["past state", "zeros"])
@pytest.mark.parametrize("length", [1, 3, 9])
def test_known_sizes(length: int, past: bool) -> None:
    proto = model(2, length, past)
    check(onnx_backend.prepare(proto, threads=1, cache=False), proto, arrays(2, length, past))


def test_parts_of_a_sequence_give_what_the_whole_does() -> None:
    """Each part begins with the state that the one before has left."""
    program = onnx_backend.prepare(model("batch", "length", True), threads=1, cache=False)
    x = RNG.standard_normal((2, CHANNELS, 8), np.float32)
    zeros = np.zeros((2, CHANNELS, TAPS - 1), np.float32)
    whole, last = program.run([x, zeros])
    state, found = zeros, []
    for first, end in ((0, 5), (5, 6), (6, 8)):
        y, state = program.run([np.ascontiguousarray(x[:, :, first:end]), state])
        found.append(y)
    np.testing.assert_allclose(np.concatenate(found, axis=2), whole, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(state, last)
