"""Products whose reductions several blocks share: on the CPU, and as threads in the emulator.

Each is compared with NumPy in f64. Tolerance: 100 roundings to f32, of the sum of the terms' magnitudes.
"""

from __future__ import annotations

import itertools

import accel_gpu
import accel_programs
import numpy as np
import pytest
from test_accel import RUNS, random_values
from test_tiles_products import SUM_ERROR
from tile_convolutions import Conv
from tile_products import Product

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.passes.schedule.gpu import product_tiles
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.named import lookup_pipeline

# Name -> (product, how blocks share it, the tile)
PRODUCTS = {
    "equal parts": (Product([40, 256], [256, 60], "bf16", epilogue="bias"), "split-k=4", (32, 32)),
    "parts of different lengths": (Product([40, 330], [330, 60], "f16"), "split-k=4", (32, 32)),
    "f32": (Product([37, 200], [200, 45], epilogue="residual"), "split-k=3", (32, 32)),
    "a result that is transposed": (
        Product([2, 3, 18, 130], [2, 3, 130, 16], "f16", order=(0, 2, 1, 3)), "split-k=2", (32, 32),
    ),
    "groups of warps": (Product([128, 256], [256, 64], "bf16", epilogue="bias"), "split-k=2", (64, 64)),
    "a stream of few tiles": (Product([40, 256], [256, 60], "f16"), "stream-k=7", (32, 32)),
    "a stream of many tiles": (
        Product([70, 192], [192, 75], "bf16", epilogue="bias"), "stream-k=2", (32, 32),
    ),
    "a stream for groups of warps": (Product([128, 320], [320, 192], "f16"), "stream-k=4", (64, 64)),
}  # fmt: skip
CONVOLUTIONS = {
    "convolution": Conv((7, 7), 32, 48, pads=(1, 1, 1, 1), element="bf16", bias=True),
    # Blocks share five steps, of five window offsets each.
    "merged steps": Conv((16, 15), 4, 48, window=(5, 5), strides=(2, 2), bias=True),
}
FAST = [
    ("equal parts", "cpu"),
    ("equal parts", "sm_80"),
    ("groups of warps", "sm_90a"),
    ("a stream of many tiles", "cpu"),
    ("a stream of many tiles", "sm_80"),
]
CASES = [
    pytest.param(name, where, marks=[] if (name, where) in FAST else pytest.mark.slow)
    for name in PRODUCTS
    for where in RUNS
]


def program(text: str, sharing: str) -> str:
    """Returns the kernel as launches of thread blocks, which share reductions as `sharing` specifies."""
    passes = lookup_pipeline("accel-kernel")
    assert passes is not None
    schedule = "tloop-schedule-blocks"
    elements = [f"{schedule}{{{sharing}}}" if element == schedule else element for element in passes]
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(f"builtin.module({','.join(elements)})", module)
        found = str(module)
    assert found.count('"accel.launch"') == 2
    return found


def convolution_cases() -> list[object]:
    fast = ("merged steps", "split-k=4", "cpu")
    cases = itertools.product(CONVOLUTIONS, ("split-k=4", "stream-k=5"), RUNS)
    return [pytest.param(*case, marks=[] if case == fast else pytest.mark.slow) for case in cases]


def operands(product: Product) -> list[np.ndarray]:
    types = [product.element, product.element, "f32"]
    pairs = zip(product.inputs(), types, strict=False)
    return [random_values(shape, value_type, seed) for seed, (shape, value_type) in enumerate(pairs)]


@pytest.mark.parametrize(("name", "where"), CASES)
def test_products(name: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    product, sharing, tile = PRODUCTS[name]
    monkeypatch.setattr(product_tiles, "TILES", (tile,))
    inputs = operands(product)
    found = np.full(product.result, np.nan, np.float32)
    RUNS[where](program(product.text(), sharing), *inputs, found)
    wanted, size = product.reference([operand.astype(np.float64) for operand in inputs])
    assert np.all(np.abs(found - wanted) <= SUM_ERROR * size)


@pytest.mark.parametrize(("name", "sharing", "where"), convolution_cases())
def test_convolutions(name: str, sharing: str, where: str) -> None:
    conv = CONVOLUTIONS[name]
    x, w, bias = (
        random_values(conv.x, conv.element, 0),
        random_values(conv.w, conv.element, 1),
        random_values([48], "f32", 2),
    )
    found = np.full(conv.result, np.nan, np.float32)
    RUNS[where](program(conv.text(), sharing), x, w, bias, found)
    wide = [operand.astype(np.float64) for operand in (x, w)]
    wanted, size = conv.sums(*wide) + bias, conv.sums(*map(np.abs, wide)) + np.abs(bias)
    assert np.all(np.abs(found - np.maximum(wanted, 0)) <= SUM_ERROR * size)


@pytest.mark.parametrize("sharing", [pytest.param("split-k=3", marks=pytest.mark.slow), "stream-k=5"])
def test_runs_give_equal_results(sharing: str) -> None:
    product = Product([32, 256], [256, 64], "f16")
    text, inputs = program(product.text(), sharing), operands(product)
    results = [np.full(product.result, np.nan, np.float32) for _ in range(5)]
    for seed, found in enumerate(results[:3]):
        accel_gpu.run(text, *inputs, found, seed=seed)
    for found in results[3:]:
        accel_programs.run(text, *inputs, found)
    assert all(np.array_equal(result, results[0]) for result in results[1:3])
    assert np.array_equal(results[3], results[4])
