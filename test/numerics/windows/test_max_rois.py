"""MaxRoiPool against ONNX Runtime: maxima are equal, not near."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from node_groups import ANY_SIZE, HOWS, Case, wrong_cases
from onnx import TensorProto, helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

RNG = np.random.default_rng(6)
F32 = TensorProto.FLOAT
# Inside, over the borders, outside, turned round, of one element, and borders that are halves once scaled.
BORDERS = np.array(
    [[0, 0, 9, 7], [-3, 2, 4, 30], [20, 1, 25, 5], [6, 6, 2, 1], [3, 4, 3, 4], [1, 3, 5, 7], [-5, -1, -1, 2]]
)


def regions(images: int, dtype: Any = np.float32) -> np.ndarray:
    which = np.arange(len(BORDERS)) % images
    return np.concatenate([which[:, None], BORDERS], axis=1).astype(dtype)


def case(images: int, shape: list[int], scale: float, dtype: Any = np.float32, **more: Any) -> Case:
    # Negative values only, which an empty bin's 0 exceeds.
    x = RNG.uniform(-9, -1, (images, 3, 8, 10)).astype(dtype)
    attributes = {"pooled_shape": shape, "spatial_scale": scale}
    value = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return Case("MaxRoiPool", [x, regions(images, dtype)], attributes, (value,), tolerance=0.0, **more)


def pool(x: np.ndarray, found: np.ndarray) -> list[np.ndarray]:
    """3 by 2 bins of regions of half the scale, as the operator's text has them."""
    result = np.zeros((len(found), x.shape[1], 3, 2), x.dtype)
    for region, (image, *borders) in enumerate(found.astype(np.float32)):
        halves = np.float32(borders) / 2
        left, top, right, bottom = np.trunc(halves + np.copysign(np.float32(0.5), halves))
        sides = [(top, bottom, 3, 8), (left, right, 2, 10)]
        bins = [
            [
                np.clip(np.array([np.floor(i * size), np.ceil((i + 1) * size)]) + first, 0, extent).astype(
                    int
                )
                for i in range(count)
            ]
            for first, last, count, extent in sides
            for size in [max(last - first + 1, 1) / np.float32(count)]
        ]
        for (row, rows), (column, columns) in product(enumerate(bins[0]), enumerate(bins[1])):
            part = x[int(image), :, slice(*rows), slice(*columns)]
            if part.size:
                result[region, :, row, column] = part.max((1, 2))
    return [result]


CASES = {
    f"{shape[0]}x{shape[1]}_{scale}": case(images, shape, scale)
    for shape, images, scale in (([1, 1], 1, 1.0), ([3, 2], 3, 0.5), ([7, 9], 2, 1.0), ([3, 2], 1, 0.3))
} | {
    "default scale": Case(
        "MaxRoiPool", [np.float32(-RNG.random((1, 1, 4, 4))), regions(1)], {"pooled_shape": [2, 2]}
    ),
    # ONNX Runtime has none of these.
    "f64": case(2, [3, 2], 0.5, np.float64, expected=pool),
    "f16": case(2, [3, 2], 0.5, np.float16, expected=pool),
    "no regions": Case(
        "MaxRoiPool",
        [np.float32(RNG.random((1, 3, 8, 10))), np.zeros((0, 5), np.float32)],
        {"pooled_shape": [3, 2], "spatial_scale": 0.5},
        expected=pool,
    ),
}


@pytest.mark.parametrize("how", [*HOWS, ANY_SIZE])
def test_maxima_are_those_of_onnx_runtime(how: str) -> None:
    assert wrong_cases(CASES, "", 21, how) == {}


def test_the_oracle_of_f16_agrees_with_onnx_runtime() -> None:
    assert wrong_cases({"same": case(2, [3, 2], 0.5, expected=pool)}, "", 21, "evaluated") == {}


@pytest.mark.parametrize(
    ("shape", "regions", "message"),
    [
        ([2], [3, 5], r"pooled_shape must be two positive integers, not \[2\]"),
        ([2, 0], [3, 5], r"pooled_shape must be two positive integers, not \[2, 0\]"),
        ([2, 2], [3, 4], r"regions \[3, 4\] do not fit images \[1, 1, 4, 4\]"),
    ],
)
def test_what_does_not_fit_is_refused(shape: list[int], regions: list[int], message: str) -> None:
    infos = [helper.make_tensor_value_info(*info) for info in (("x", F32, [1, 1, 4, 4]), ("r", F32, regions))]
    node = helper.make_node("MaxRoiPool", ["x", "r"], ["y"], pooled_shape=shape)
    graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info("y", F32, None)])
    with pytest.raises(ModelError, match=message):
        import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))
