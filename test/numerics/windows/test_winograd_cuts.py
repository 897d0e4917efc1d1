"""Winograd convolutions whose tiles exceed the result: the surplus is gone, and padding holds zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from oracle import compile_model
from test_winograd import BOUND, convolve, is_fused, model_from_image, tiles_of

CHANNELS, OUTPUTS = 64, 16
NOTHING: dict[str, Any] = {}
POOL: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
# Height, width, what stands between the convolutions, tile.
CASES = [
    (15, 23, "Relu", 4),
    (15, 24, "MaxPool", 4),
    (13, 27, "AveragePool", 2),
    # The padding at the end does not cover two rows.
    (30, 63, "Relu", 2),
    # One kernel takes strips.
    (63, 112, "Relu", 4),
    (63, 112, "MaxPool", 4),
]
FUSED = (63, 112)


def model_of(height: int, width: int, between: str) -> tuple[onnx.ModelProto, np.ndarray]:
    """A convolution for Winograd's algorithm, `between`, and one of too few channels for it."""
    rng = np.random.default_rng(height)
    shapes = {"w": (CHANNELS, CHANNELS, 3, 3), "v": (OUTPUTS, CHANNELS, 3, 3)}
    deviation = (CHANNELS * 9) ** -0.5
    weights = {name: rng.standard_normal(shape) * deviation for name, shape in shapes.items()}
    # Far from 0: what is not cleared of it would show.
    weights["b"] = rng.standard_normal(CHANNELS) + 3
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node(between, ["c"], ["d"], **(NOTHING if between == "Relu" else POOL)),
        helper.make_node("Conv", ["d", "v"], ["y"], pads=[1, 1, 1, 1]),
    ]
    x = rng.standard_normal((1, CHANNELS, height, width)).astype(np.float32)
    return model_from_image(nodes, x, weights, OUTPUTS), x


def pool(x: np.ndarray, between: str) -> np.ndarray:
    if between == "Relu":
        return np.maximum(x, 0)
    channels, height, width = x.shape
    windows = x[:, : height // 2 * 2, : width // 2 * 2].reshape(channels, height // 2, 2, width // 2, 2)
    return windows.max(axis=(2, 4)) if between == "MaxPool" else windows.mean(axis=(2, 4))


def exact(model: onnx.ModelProto, x: np.ndarray, between: str) -> np.ndarray:
    """Returns the result in f64."""
    weights = {
        tensor.name: numpy_helper.to_array(tensor).astype(np.float64) for tensor in model.graph.initializer
    }
    first = convolve(x[0].astype(np.float64), weights["w"]) + weights["b"][:, None, None]
    return convolve(pool(first, between), weights["v"])[None]


@pytest.mark.parametrize(("height", "width", "between", "tile"), CASES)
def test_errors_stay_within_the_bound(height: int, width: int, between: str, tile: int) -> None:
    model, x = model_of(height, width, between)
    assert tiles_of(model) == [tile]
    assert is_fused(model) == ((height, width) == FUSED)
    expected = exact(model, x, between)
    [actual] = compile_model(model).run({"x": x}).values()
    assert actual.shape == expected.shape
    assert np.abs(actual - expected).max() / np.abs(expected).max() < BOUND[tile]
