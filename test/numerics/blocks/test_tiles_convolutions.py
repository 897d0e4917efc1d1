"""Convolutions and pools on images with their channels innermost, as programs of thread blocks: on the CPU,
and as threads in the emulator.

Each is compared with NumPy in f64. Tolerance: 100 roundings to f32, of the sum of the terms' magnitudes.
"""

from __future__ import annotations

import numpy as np
import pytest
from sampled_runs import sample_cases
from test_accel import RUNS, random_values
from test_tiles_products import SUM_ERROR, program
from tile_convolutions import Conv, IntegerConv
from tile_products import kernel, op, tensor

from mlc.passes.schedule.gpu import product_tiles

CONVS = {
    "3x3": Conv((9, 10), 8, 16),
    "3x3 of bf16 with padding, bias and relu": Conv(
        (9, 9), 32, 24, pads=(1, 1, 1, 1), element="bf16", bias=True
    ),
    "strides": Conv((11, 12), 16, 16, strides=(2, 2), pads=(1, 1, 1, 1), element="f16"),
    "1x1 of stride 2": Conv((7, 8), 16, 8, window=(1, 1), strides=(2, 2)),
    "dilations": Conv((11, 11), 8, 8, dilations=(2, 3), pads=(2, 3, 2, 3)),
    "a first layer": Conv((16, 15), 3, 16, window=(5, 5), strides=(2, 2), pads=(2, 2, 1, 2), bias=True),
    "channels in several steps": Conv((5, 5), 80, 16, window=(1, 3), pads=(0, 1, 0, 1), element="f16"),
    "groups": Conv((6, 6), 32, 16, group=2, pads=(1, 1, 1, 1)),
    "several images": Conv((4, 4), 16, 16, batch=3, pads=(1, 1, 1, 1), element="bf16"),
    "depthwise": Conv((9, 9), 12, 12, group=12, pads=(1, 1, 1, 1), bias=True),
    "depthwise without padding": Conv((9, 9), 8, 8, group=8, strides=(2, 2)),
    "depthwise of stride 2": Conv((9, 10), 24, 24, group=24, strides=(2, 2), pads=(1, 1, 1, 1)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "where"), sample_cases(CONVS, RUNS))
def test_convolutions(name: str, where: str) -> None:
    conv = CONVS[name]
    x, w = random_values(conv.x, conv.element, 0), random_values(conv.w, conv.element, 1)
    bias = random_values([conv.result[-1]], "f32", 2)
    found = np.full(conv.result, np.nan, np.float32)
    RUNS[where](program(conv.text()), *([x, w, bias] if conv.bias else [x, w]), found)
    wide = [operand.astype(np.float64) for operand in (x, w)]
    wanted, size = conv.sums(*wide), conv.sums(*map(np.abs, wide))
    if conv.bias:
        wanted, size = np.maximum(wanted + bias, 0), size + np.abs(bias)
    assert np.all(np.abs(found - wanted) <= SUM_ERROR * size)


# Name -> (convolution, the tile)
INTEGERS = {
    "padding and steps": (
        IntegerConv((9, 10), 64, 24, strides=(2, 2), pads=(1, 1, 1, 1)), (32, 32),
    ),
    "for groups of warps": (
        IntegerConv((8, 8), 160, 72, pads=(1, 1, 1, 1), elements=("ui8", "ui8")), (64, 64),
    ),
    "unsigned filters": (
        IntegerConv((7, 7), 32, 40, pads=(0, 1, 2, 1), batch=2, elements=("i8", "ui8")), (32, 32),
    ),
    "channels that are no multiple of 32": (IntegerConv((6, 6), 40, 33, window=(1, 3)), (32, 32)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "where"), sample_cases(INTEGERS, RUNS))
def test_integers(name: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    conv, tile = INTEGERS[name]
    monkeypatch.setattr(product_tiles, "TILES", (tile,))
    shapes = zip((conv.x, conv.stored), conv.elements, strict=True)
    inputs = [random_values(shape, element, seed) for seed, (shape, element) in enumerate(shapes)]
    found = np.zeros(conv.result, np.int32)
    text = program(conv.text())
    products = [line for line in text.splitlines() if "accel.mma" in line]
    # Not of i32: the convolution reads what is stored in memory.
    assert products and all("xi8" in line for line in products)
    RUNS[where](text, *(operand.view(np.int8) for operand in inputs), found)
    assert np.array_equal(found, conv.reference(*inputs))


POOLS = {
    "maxima": ("max_pool", (9, 10), (3, 3), (2, 2)),
    "means": ("average_pool", (7, 7), (2, 3), (1, 1)),
    "means of all": ("average_pool", (7, 7), (7, 7), (1, 1)),
}


@pytest.mark.parametrize(("name", "where"), sample_cases(POOLS, RUNS))
def test_pools(name: str, where: str) -> None:
    pool, image, window, strides = POOLS[name]
    x = random_values([2, 1, *image, 20], "f32", 0)
    parts = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), window, (2, 3))
    parts = parts[:, :, :: strides[0], :: strides[1]]
    wanted = parts.max((-1, -2)) if pool == "max_pool" else parts.mean((-1, -2))
    attributes = f"""kernel = array<i64: {window[0]}, {window[1]}>,
      strides = array<i64: {strides[0]}, {strides[1]}>,
      pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, ceil_mode = false, layout = "NCHWc\""""
    attributes += ", count_include_pad = false" if pool == "average_pool" else ""
    types = [tensor(array.shape, "f32") for array in (x, wanted)]
    found = np.full(wanted.shape, np.nan, np.float32)
    RUNS[where](program(kernel(types[:1], types[1], op("r", pool, "%0", types, attributes))), x, found)
    assert np.allclose(found, wanted, rtol=1e-5, atol=1e-5)
