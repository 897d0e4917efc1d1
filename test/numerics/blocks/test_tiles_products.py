"""Products as models have them, as programs of thread blocks: on the CPU, and as threads in the emulator.

Each is compared with NumPy in f64. Tolerance: 100 roundings to f32, of the sum of the terms' magnitudes.
"""

from __future__ import annotations

import numpy as np
import pytest
from sampled_runs import sample_cases
from test_accel import RUNS, random_values, round_to_tf32
from tile_products import IntegerProduct, Product, SmallFloatProduct

from mlc.bindings import ir
from mlc.dialects import create_context
from mlc.passes.schedule.gpu import product_tiles
from mlc.pipelines.driver import run_pipeline

SUM_ERROR = 100 * 2.0**-24
HEADS = [2, 3, 18, 16]
PRODUCTS = {
    "f32": Product([37, 50], [50, 45]),
    "f32 with an addend": Product([70, 30], [30, 75], epilogue="residual"),
    "tf32": Product([40, 50], [50, 60], precision="tf32"),
    "f16 of full tiles": Product([64, 64], [64, 64], "f16"),
    "bf16 with bias and relu": Product([70, 100], [100, 75], "bf16", epilogue="bias"),
    "bf16 of rows that are no multiple of 16 bytes": Product([40, 33], [33, 35], "bf16"),
    "one step": Product([64, 16], [16, 64], "f16"),
    "a reduction of one": Product([20, 1], [1, 30]),
    "transposed left operand": Product([45, 50], [50, 64], "bf16", a_order=(1, 0)),
    "transposed right operand": Product([45, 64], [64, 33], "f16", b_order=(1, 0)),
    "both transposed": Product([45, 64], [64, 33], "f32", a_order=(1, 0), b_order=(1, 0)),
    "batched": Product([3, 20, 33], [3, 33, 40], "bf16", epilogue="bias"),
    "one right operand": Product([3, 20, 33], [33, 40], "f16"),
    "one left operand": Product([20, 33], [3, 33, 40], "f16"),
    "scores of heads": Product(
        HEADS, [2, 3, 16, 18], "bf16", a_order=(0, 2, 1, 3), b_order=(0, 2, 3, 1)
    ),
    "values of heads": Product(
        [2, 3, 18, 18], HEADS, "f16", b_order=(0, 2, 1, 3), order=(0, 2, 1, 3)
    ),
    "a row": Product([1, 128], [128, 75], epilogue="residual"),
    "a row of odd length": Product([1, 100], [100, 75]),
    "a row of bf16": Product([1, 96], [96, 76], "bf16", epilogue="bias"),
    "a row times a transposed matrix": Product([1, 64], [64, 50], "f16", b_order=(1, 0)),
    "two rows": Product([2, 256], [256, 33]),
    "a column": Product([70, 128], [128, 1]),
    "a transposed matrix times a column": Product([70, 64], [64, 1], a_order=(1, 0)),
    "few rows": Product([3, 100], [100, 40], "bf16"),
    "few columns": Product([40, 100], [100, 5], "f16"),
    "one element": Product([1, 100], [100, 1]),
}  # fmt: skip


def program(text: str) -> str:
    """The kernel as launches of thread blocks."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline("builtin.module(accel-kernel)", module)
        return str(module)


@pytest.mark.parametrize(("name", "where"), sample_cases(PRODUCTS, RUNS))
def test_products(name: str, where: str) -> None:
    product = PRODUCTS[name]
    types = [product.element, product.element, "f32"]
    inputs = [
        random_values(shape, value_type, seed)
        for seed, (shape, value_type) in enumerate(zip(product.inputs(), types, strict=False))
    ]
    found = np.full(product.result, np.nan, np.float32)
    RUNS[where](program(product.text()), *inputs, found)
    wide = [operand.astype(np.float64) for operand in inputs]
    if product.precision == "tf32":
        wide[:2] = map(round_to_tf32, inputs[:2])
    wanted, size = product.reference(wide)
    assert np.all(np.abs(found - wanted) <= SUM_ERROR * size)


# Name -> (product, the tile)
INTEGERS = {
    "signed": (IntegerProduct([40, 50], [50, 60]), (32, 32)),
    "unsigned by signed": (IntegerProduct([40, 64], [64, 60], ("ui8", "i8")), (32, 32)),
    "signed by unsigned": (IntegerProduct([40, 64], [64, 60], ("i8", "ui8"), flipped=True), (32, 32)),
    "for groups of warps": (IntegerProduct([70, 160], [160, 72], ("ui8", "i8"), flipped=True), (64, 64)),
    "few rows": (IntegerProduct([5, 96], [96, 40], ("ui8", "ui8")), (32, 32)),
    "a row": (IntegerProduct([1, 96], [96, 70], ("ui8", "i8")), (32, 32)),
}


@pytest.mark.parametrize(("name", "where"), sample_cases(INTEGERS, RUNS))
def test_integers(name: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    product, tile = INTEGERS[name]
    monkeypatch.setattr(product_tiles, "TILES", (tile,))
    shapes = zip(product.inputs(), product.elements, strict=True)
    inputs = [random_values(shape, element, seed) for seed, (shape, element) in enumerate(shapes)]
    found = np.zeros(product.result, np.int32)
    text = program(product.text())
    # Not of i32: the product reads what is stored in memory.
    assert all("xi8" in line for line in text.splitlines() if "accel.mma" in line)
    RUNS[where](text, *(operand.view(np.int8) for operand in inputs), found)
    assert np.array_equal(found, product.reference(inputs))


# Name -> (product, the tile)
SMALL_FLOATS = {
    "e4m3": (SmallFloatProduct([40, 50], [50, 60]), (32, 32)),
    "of both types": (SmallFloatProduct([40, 64], [64, 60], ("f8E4M3FN", "f8E5M2"), flipped=True), (32, 32)),
    "of both types for groups of warps": (
        SmallFloatProduct([70, 160], [160, 72], ("f8E4M3FN", "f8E5M2"), flipped=True),
        (64, 64),
    ),
    "for groups of warps": (SmallFloatProduct([70, 160], [160, 72], flipped=True), (64, 64)),
    "e5m2 for groups of warps": (
        SmallFloatProduct([70, 160], [160, 72], ("f8E5M2", "f8E5M2"), flipped=True),
        (64, 64),
    ),
    "a row": (SmallFloatProduct([1, 96], [96, 70]), (32, 32)),
}


@pytest.mark.parametrize(("name", "where"), sample_cases(SMALL_FLOATS, RUNS))
def test_small_floats(name: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    product, tile = SMALL_FLOATS[name]
    monkeypatch.setattr(product_tiles, "TILES", (tile,))
    shapes = zip(product.inputs(), product.elements, strict=True)
    inputs = [random_values(shape, element, seed) for seed, (shape, element) in enumerate(shapes)]
    found = np.full(product.result, np.nan, np.float32)
    text = program(product.text())
    # Not of f32: the product reads what is stored in memory.
    assert name == "a row" or any("accel.mma" in line and "xf8" in line for line in text.splitlines())
    RUNS[where](text, *inputs, found)
    a, b = (operand.astype(np.float64) for operand in inputs)
    b = b.T if product.flipped else b
    assert np.all(np.abs(found - a @ b) <= SUM_ERROR * (np.abs(a) @ np.abs(b)))
