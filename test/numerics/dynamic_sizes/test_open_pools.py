"""Pools of images of any size are right where padding, ceil_mode and dilation cut parts of windows off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from oracle import compile_model, differences, runtime

SIZES = ((7, 9), (8, 8), (13, 6), (5, 71), (6, 300))


@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("ceil_mode", [0, 1])
@pytest.mark.parametrize(
    "geometry",
    [
        {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1]},
        {"kernel_shape": [2, 3], "strides": [3, 1], "pads": [0, 1, 1, 2]},
        {"kernel_shape": [3, 3], "strides": [1, 2], "dilations": [2, 1], "pads": [2, 1, 2, 1]},
        {"kernel_shape": [2, 2], "strides": [4, 3]},
    ],
)
def test_open_pools(operator: str, ceil_mode: int, geometry: dict[str, Any]) -> None:
    node = helper.make_node(operator, ["x"], ["y"], ceil_mode=ceil_mode, **geometry)
    nodes, outputs = [node], ["y"]
    if operator == "AveragePool":
        nodes.append(
            helper.make_node(operator, ["x"], ["z"], ceil_mode=ceil_mode, count_include_pad=1, **geometry)
        )
        outputs.append("z")
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, "h", "w"])
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    graph = helper.make_graph(nodes, "pools", [x], results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    executable = compile_model(model)
    for size in SIZES:
        inputs = {"x": np.random.default_rng(1).standard_normal((2, 3, *size), np.float32)}
        assert not differences(executable.run(inputs), runtime(model, inputs))
