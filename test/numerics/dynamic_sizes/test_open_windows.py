"""Depthwise and grouped convolutions of signals and images whose rows are computed tile by tile: rows shorter
than a vector, than a tile, and longer; padding, strides and dilations that reach beyond both ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle import compile_model, differences, runtime

GROUPS = 3
SIGNALS: tuple[dict[str, Any], ...] = (
    {"kernel_shape": [3], "pads": [1, 1]},
    {"kernel_shape": [7], "pads": [6, 0], "strides": [3]},
    {"kernel_shape": [5], "pads": [16, 16], "dilations": [8]},
    {"kernel_shape": [9], "pads": [40, 3], "strides": [4], "dilations": [2]},
    {"kernel_shape": [2], "strides": [2]},
)
IMAGES: tuple[dict[str, Any], ...] = (
    {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    {"kernel_shape": [3, 4], "pads": [2, 3, 0, 1], "strides": [2, 2], "dilations": [1, 2]},
)


def _model(geometry: dict[str, Any], sizes: list[Any], inputs: int = 1, outputs: int = 1) -> onnx.ModelProto:
    """A convolution in GROUPS groups of `inputs` and `outputs` channels, a bias and a nonlinearity."""
    rng = np.random.default_rng(5)
    w = rng.standard_normal((GROUPS * outputs, inputs, *geometry["kernel_shape"]), np.float32)
    b = rng.standard_normal(GROUPS * outputs, np.float32)
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], group=GROUPS, **geometry),
        helper.make_node("Tanh", ["c"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", GROUPS * inputs, *sizes])
    constants = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")]
    graph = helper.make_graph(nodes, "windows", [x], [helper.make_empty_tensor_value_info("y")], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def _check(model: onnx.ModelProto, sizes: list[tuple[int, ...]]) -> None:
    executable = compile_model(model)
    channels = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    for size in sizes:
        inputs = {"x": np.random.default_rng(1).standard_normal((2, channels, *size), np.float32)}
        assert not differences(executable.run(inputs), runtime(model, inputs)), size


@pytest.mark.parametrize("geometry", SIGNALS)
def test_open_signals(geometry: dict[str, Any]) -> None:
    _check(_model(geometry, ["t"]), [(8,), (17,), (64,), (67,), (129,), (1000,)])


@pytest.mark.parametrize("geometry", SIGNALS)
@pytest.mark.parametrize(("inputs", "outputs"), [(2, 1), (4, 3)])
def test_open_groups(geometry: dict[str, Any], inputs: int, outputs: int) -> None:
    _check(_model(geometry, ["t"], inputs, outputs), [(8,), (17,), (129,)])


@pytest.mark.parametrize("geometry", IMAGES)
@pytest.mark.parametrize("dims", [["h", "w"], ["h", 70], [5, "w"]])
def test_open_images(geometry: dict[str, Any], dims: list[Any]) -> None:
    sizes = [(5, 9), (9, 70), (5, 70), (4, 200), (33, 64)]
    _check(_model(geometry, dims), [size for size in sizes if all(map(_fits, dims, size))])


def _fits(dim: str | int, size: int) -> bool:
    return isinstance(dim, str) or dim == size


@pytest.mark.parametrize("geometry", SIGNALS)
def test_long_signals(geometry: dict[str, Any]) -> None:
    _check(_model(geometry, [4099]), [(4099,)])
