"""Reductions, convolutions and pools whose axes and sizes are dynamic, against ONNX's reference, which
lacks transposed convolutions of groups: ONNX Runtime computes those."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from oracle import runtime

from mlc import onnx_backend

F32 = TensorProto.FLOAT
RNG = np.random.default_rng(7)
IMAGE, FILTER = RNG.standard_normal((2, 4, 7, 6), np.float32), RNG.standard_normal((6, 2, 3, 3), np.float32)

CASES: dict[str, tuple[str, list[np.ndarray], int, dict[str, Any]]] = {
    "axes": ("ReduceMean", [IMAGE, np.array([1, -1])], 2, {"keepdims": 0}),
    "groups": ("Conv", [IMAGE, FILTER], 4, {"group": 2, "pads": [1, 0, 2, 1], "strides": [2, 1]}),
    "same": ("Conv", [IMAGE, FILTER[:, :, :2]], 4, {"group": 2, "auto_pad": "SAME_LOWER", "strides": [2, 2]}),
    "ceil": (
        "AveragePool",
        [IMAGE],
        4,
        {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1},
    ),
    "transposed groups": (
        "ConvTranspose",
        [IMAGE, FILTER[:4]],
        4,
        {"group": 2, "strides": [2, 1], "pads": [1, 0, 0, 1]},
    ),
    # The result's dims are static, although none of its operands' is.
    "transposed to a shape": (
        "ConvTranspose",
        [IMAGE, FILTER[:4]],
        4,
        {"output_shape": [16, 14], "strides": [2, 2]},
    ),
    # Its angles are integers, then floats of as many bytes.
    "transform": ("DFT", [IMAGE[:, :, :1].reshape(2, 24, 1)], 3, {"axis": 1}),
    "largest": ("MaxPool", [IMAGE], 4, {"kernel_shape": [2, 2], "strides": [2, 3], "ceil_mode": 1}),
}


def model(operator: str, values: list[np.ndarray], rank: int, attributes: dict[str, Any]) -> onnx.ModelProto:
    """A model of one node; every dim of an input has a distinct name."""
    inputs = [
        helper.make_tensor_value_info(
            f"x{index}",
            helper.np_dtype_to_tensor_dtype(value.dtype),
            [f"d{index}_{axis}" for axis in range(value.ndim)],
        )
        for index, value in enumerate(values)
    ]
    output = helper.make_tensor_value_info("y", F32, [f"r{axis}" for axis in range(rank)])
    node = helper.make_node(operator, [info.name for info in inputs], ["y"], **attributes)
    graph = helper.make_graph([node], "g", inputs, [output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=10)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_sizes_are_those_of_the_call(name: str) -> None:
    operator, values, rank, attributes = CASES[name]
    proto = model(operator, values, rank, attributes)
    program = onnx_backend.prepare(proto, threads=1, cache=False)
    reference = ReferenceEvaluator(proto)
    # The second call has more images.
    for inputs in (values, [np.concatenate([values[0], values[0] * 2]), *values[1:]]):
        named = {f"x{index}": value for index, value in enumerate(inputs)}
        outputs: Any = runtime(proto, named) if operator == "ConvTranspose" else None
        expected: Any = list(outputs.values()) if outputs else reference.run(None, named)
        [actual] = program.run(inputs)
        np.testing.assert_allclose(actual, expected[0], rtol=1e-5, atol=1e-5)
