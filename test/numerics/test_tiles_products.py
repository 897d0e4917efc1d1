"""Products as models have them, as programs of thread blocks: on the CPU, and as threads in the emulator.

Each is compared with NumPy in f64. Tolerance: 100 roundings to f32, of the sum of the terms' magnitudes.
"""

from __future__ import annotations

import numpy as np
import pytest
from mlc.bindings import ir
from mlc.codegen.host import host_target
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline
from sampled_runs import sampled
from test_accel import RUNS, numbers, rounded_to_tf32
from tile_products import Product

SUM_ERROR = 100 * 2.0**-24
HEADS = [2, 3, 18, 16]
PRODUCTS = {
    "f32": Product([37, 50], [50, 45]),
    "f32 with an addend": Product([70, 30], [30, 75], epilogue="residual"),
    "tf32": Product([40, 50], [50, 60], precision="tf32"),
    "f16 of whole tiles": Product([64, 64], [64, 64], "f16"),
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
    "one number": Product([1, 100], [100, 1]),
}  # fmt: skip


def program(text: str) -> str:
    """The kernel as launches of thread blocks."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline("builtin.module(accel-kernel)", module)
        return str(module)


@pytest.mark.parametrize(("name", "where"), sampled(PRODUCTS, RUNS))
def test_products(name: str, where: str) -> None:
    product = PRODUCTS[name]
    kinds = [product.element, product.element, "f32"]
    inputs = [
        numbers(shape, kind, seed)
        for seed, (shape, kind) in enumerate(zip(product.inputs(), kinds, strict=False))
    ]
    found = np.full(product.result, np.nan, np.float32)
    RUNS[where](program(product.text()), *inputs, found)
    wide = [each.astype(np.float64) for each in inputs]
    if product.precision == "tf32":
        wide[:2] = map(rounded_to_tf32, inputs[:2])
    wanted, size = product.wanted(wide)
    assert np.all(np.abs(found - wanted) <= SUM_ERROR * size)


INTEGERS = """module attributes {{tloop.target = "{target}"}} {{
  func.func private @k(%a: tensor<40x50xi8>, %b: tensor<50x60xi8>) -> tensor<40x60xi32>
      attributes {{tloop.kernel}} {{
    %zero = arith.constant 0 : i32
    %none = tensor.empty() : tensor<40x60xi32>
    %start = linalg.generic {{
        indexing_maps = [affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]}} ins(%zero : i32) outs(%none : tensor<40x60xi32>) {{
    ^bb0(%x: i32, %old: i32):
      linalg.yield %x : i32
    }} -> tensor<40x60xi32>
    %r = linalg.generic {{
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}}
        ins(%a, %b : tensor<40x50xi8>, tensor<50x60xi8>) outs(%start : tensor<40x60xi32>) {{
    ^bb0(%x: i8, %y: i8, %sum: i32):
      %v = arith.extsi %x : i8 to i32
      %w = arith.extsi %y : i8 to i32
      %p = arith.muli %v, %w : i32
      %s = arith.addi %sum, %p : i32
      linalg.yield %s : i32
    }} -> tensor<40x60xi32>
    return %r : tensor<40x60xi32>
  }} }}"""


@pytest.mark.parametrize("where", RUNS)
def test_integers(where: str) -> None:
    a, b = numbers([40, 50], "i8", 0), numbers([50, 60], "i8", 1)
    found = np.zeros((40, 60), np.int32)
    RUNS[where](program(INTEGERS.format(target=host_target())), a, b, found)
    assert np.array_equal(found, a.astype(np.int32) @ b.astype(np.int32))
