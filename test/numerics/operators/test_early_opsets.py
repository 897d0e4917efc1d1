"""Forms of operators that only early opsets have, which no oracle runs: compared with NumPy, exactly."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper

from mlc import compile


def tile(tiles: float | None, count: int) -> np.ndarray:
    """Tile of opset 1 of a (2, 3) matrix along its last axis; `tiles` is a constant, or None for an input."""
    node = helper.make_node("Tile", ["x", "tiles", "axis"], ["y"])
    value = helper.make_tensor_value_info
    inputs = [value("x", onnx.TensorProto.FLOAT, [2, 3])]
    constants = [helper.make_tensor("axis", onnx.TensorProto.FLOAT, [1], [1.0])]
    if tiles is None:
        inputs.append(value("tiles", onnx.TensorProto.FLOAT, [1]))
    else:
        constants.append(helper.make_tensor("tiles", onnx.TensorProto.FLOAT, [1], [tiles]))
    outputs = [value("y", onnx.TensorProto.FLOAT, [2, None])]
    graph = helper.make_graph([node], "tile", inputs, outputs, constants)
    model = helper.make_model(graph, ir_version=3, opset_imports=[helper.make_opsetid("", 5)])
    given = {"x": np.arange(6, dtype=np.float32).reshape(2, 3)}
    if tiles is None:
        given["tiles"] = np.array([count], np.float32)
    return compile(model).run(given)["y"]


@pytest.mark.parametrize(("tiles", "count"), [(3.0, 3), (None, 2), (None, 0)])
def test_tile_along_one_axis(tiles: float | None, count: int) -> None:
    expected = np.tile(np.arange(6, dtype=np.float32).reshape(2, 3), (1, count))
    np.testing.assert_array_equal(tile(tiles, count), expected)


def test_hardmax_flattens_the_dims_from_the_axis() -> None:
    """Equals ONNX Runtime; the reference evaluates the axis as in opset 13."""
    node = helper.make_node("Hardmax", ["x"], ["y"], axis=1)
    info = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 3, 4]) for name in "xy"]
    graph = helper.make_graph([node], "hardmax", info[:1], info[1:])
    model = helper.make_model(graph, ir_version=6, opset_imports=[helper.make_opsetid("", 11)])
    x = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    expected = np.zeros((2, 12), np.float32)
    expected[[0, 1], x.reshape(2, 12).argmax(axis=1)] = 1
    np.testing.assert_array_equal(compile(model).run({"x": x})["y"], expected.reshape(2, 3, 4))
