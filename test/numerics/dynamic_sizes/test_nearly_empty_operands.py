"""Operands that have too few elements for an operator to compute something: results without elements, and
pools that reach over the end, are those of ONNX Runtime, or of the reference where that refuses them, whether
sizes are open or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from oracle import Arrays, compile_model, differences, reference, runtime


def f32(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def flags(*values: int) -> np.ndarray:
    return np.array(values, bool)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


Case = tuple[str, list[np.ndarray], dict[str, Any]]
WINDOW = {"kernel_shape": [3, 3]}
CASES: dict[str, Case] = {
    "hardmax": ("Hardmax", [f32(2, 0)], {"axis": 1}),
    "hardmax_elements": ("Hardmax", [-f32(2, 3)], {"axis": 1}),
    "arg_max": ("ArgMax", [f32(0, 0)], {"axis": 1, "keepdims": 0}),
    "arg_min": ("ArgMin", [f32(3, 0, 0)], {"axis": 1}),
    "max_pool": ("MaxPool", [f32(1, 1, 2, 4)], WINDOW),
    "average_pool": ("AveragePool", [f32(2, 1, 2, 4)], {"kernel_shape": [5, 5], "pads": [1] * 4}),
    "pool_of_nothing": ("AveragePool", [f32(1, 2, 0, 4)], {"kernel_shape": [1, 2]}),
    "lp_pool": ("LpPool", [f32(1, 3, 4, 2)], WINDOW),
    "dilated_pool": ("MaxPool", [f32(1, 2, 4, 5)], {**WINDOW, "dilations": [2, 2]}),
    "max_pool_over_the_end": ("MaxPool", [f32(1, 2, 2, 5)], {**WINDOW, "strides": [2, 2], "ceil_mode": 1}),
    "average_pool_over_the_end": (
        "AveragePool",
        [f32(1, 2, 1, 6)],
        {**WINDOW, "strides": [3, 2], "ceil_mode": 1},
    ),
    "compress": ("Compress", [f32(3, 2), flags(1, 0, 1, 1)], {"axis": 0}),
    "compress_flat": ("Compress", [f32(2, 2), flags(0, 0, 0, 1, 0)], {}),
}


def model_of(case: Case, is_open: bool) -> tuple[onnx.ModelProto, Arrays]:
    operator, values, attributes = case
    inputs = {f"x{index}": value for index, value in enumerate(values)}
    node = helper.make_node(operator, list(inputs), ["y"], **attributes)
    return model_of_node(node, inputs, is_open), inputs


def model_of_node(
    node: onnx.NodeProto, inputs: Mapping[str, np.ndarray], is_open: bool, opset: int = 23
) -> onnx.ModelProto:
    declared = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(value.dtype),
            [f"{name}_{axis}" for axis in range(value.ndim)] if is_open else value.shape,
        )
        for name, value in inputs.items()
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    graph = helper.make_graph([node], "g", declared, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_results(name: str, is_open: bool) -> None:
    model, inputs = model_of(CASES[name], is_open)
    expected = runtime(model, inputs) or reference(model, inputs)
    assert not differences(compile_model(model).run(inputs), expected)


def test_convolution_of_no_steps() -> None:
    node = helper.make_node("CausalConvWithState", ["x", "w"], ["y", "state"])
    inputs = {"x": f32(1, 2, 0), "w": f32(2, 1, 3)}
    model = model_of_node(node, inputs, False, opset=27)
    assert not differences(compile_model(model).run(inputs), reference(model, inputs))


REFUSED: dict[str, tuple[Case, str]] = {
    "rotations": (
        ("RotaryEmbedding", [f32(1, 2, 3, 4), f32(5, 2), f32(6, 2), i64(0, 1, 2).reshape(1, 3)], {}),
        "x2_0 must be x1_0, got 6 and 5",
    ),
    "repeats": (("Tile", [f32(2, 3), i64(2)], {}), "x1_0 must be at least 2, got 1 and 2"),
    "positions": (("ArgMax", [f32(2, 0)], {"axis": 1}), "an axis without elements"),
    "pool": (("MaxPool", [f32(1, 1, 1, 4)], WINDOW), "x0_2 - 3 must be at least -1, got -2 and -1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_calls_that_fail(name: str) -> None:
    """ONNX Runtime refuses them, too."""
    case, message = REFUSED[name]
    model, inputs = model_of(case, True)
    assert runtime(model, inputs) is None
    with pytest.raises(ValueError, match=message):
        compile_model(model).run(inputs)
