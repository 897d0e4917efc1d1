"""Kernels of graph ops whose blocks are in clusters, or take their tiles in groups.

Tolerances are those of test_tiles_products.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import accel_gpu
import accel_programs
import numpy as np
import pytest
from test_accel import Run, random_values
from test_tiles_products import SUM_ERROR
from test_tiles_products import program as program_of
from tile_convolutions import Conv
from tile_products import Product

from mlc.bindings import ir
from mlc.codegen.host_target import host_target
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.lists.accel import ACCEL_KERNEL


def program(text: str, cluster: str) -> str:
    """The kernel as launches of thread blocks of sm_90a, in clusters of this shape."""
    passes = [
        element + f"{{cluster={cluster} split-k=1}}" * (element == "tloop-schedule-blocks")
        for element in ACCEL_KERNEL
    ]
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text.replace(str(host_target()), "cuda:sm_90a"))
        run_pipeline(f"builtin.module({', '.join(passes)})", module)
        return str(module)


def check(run: Run, text: str, product: Product) -> None:
    types = [product.element, product.element, "f32"]
    inputs = [
        random_values(shape, value_type, seed)
        for seed, (shape, value_type) in enumerate(zip(product.inputs(), types, strict=False))
    ]
    found = np.full(product.result, np.nan, np.float32)
    run(text, *inputs, found)
    wanted, size = product.reference([operand.astype(np.float64) for operand in inputs])
    assert np.all(np.abs(found - wanted) <= SUM_ERROR * size)


def test_a_grid_in_groups() -> None:
    """12x13 tiles, of which 6 below one another come first."""
    product = Product([768, 16], [16, 832], "f16", epilogue="bias")
    text = program_of(product.text())
    assert re.search(r"arith.remui %\w+, %c6\b", text)
    check(accel_programs.run, text, product)


# A block has 64x64 of the result, so that groups of warps multiply.
PRODUCTS = {
    "2,1": Product([512, 128], [128, 768], "bf16", epilogue="bias"),
    "2,2": Product([4, 128, 128], [128, 768], "f16"),
    "1,4": Product([768, 72], [72, 512], "bf16", b_order=(1, 0), order=(1, 0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("cluster", PRODUCTS)
def test_products(cluster: str) -> None:
    text = program(PRODUCTS[cluster].text(), cluster)
    assert "cluster = array<i64" in text
    check(accel_gpu.RUNS["sm_90a"], text, PRODUCTS[cluster])


CONVOLUTIONS = {
    "2,1": Conv((16, 32), 64, 768, window=(2, 2), pads=(1, 1, 0, 0), element="f16", bias=True),
    "1,2": Conv((33, 63), 64, 768, window=(1, 3), strides=(2, 2), pads=(0, 1, 0, 1), element="bf16"),
}


@pytest.mark.slow
@pytest.mark.parametrize("cluster", CONVOLUTIONS)
def test_convolutions(cluster: str) -> None:
    convolution = CONVOLUTIONS[cluster]
    shapes: list[Sequence[int]] = [convolution.x, convolution.w]
    inputs = [random_values(list(shape), convolution.element, seed) for seed, shape in enumerate(shapes)]
    if convolution.bias:
        inputs.append(random_values([convolution.result[-1]], "f32", 2))
    found = np.full(convolution.result, np.nan, np.float32)
    text = program(convolution.text(), cluster)
    assert "cluster = array<i64" in text
    accel_gpu.RUNS["sm_90a"](text, *inputs, found)
    wide = [operand.astype(np.float64) for operand in inputs]
    wanted, size = convolution.sums(*wide[:2]), convolution.sums(*map(np.abs, wide[:2]))
    if convolution.bias:
        wanted, size = np.maximum(wanted + wide[2], 0), size + np.abs(wide[2])
    assert np.all(np.abs(found - wanted) <= SUM_ERROR * size)
