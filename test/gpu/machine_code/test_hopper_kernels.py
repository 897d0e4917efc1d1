"""Kernels of models with products for sm_90a, from graph ops to NVIDIA's assembler."""

from __future__ import annotations

import sys
from pathlib import Path

import assembled
import pytest

from mlc.codegen.host_target import host_target

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

from tile_convolutions import Conv
from tile_products import Product

# Kernel -> whether groups of warps multiply: by `wgmma`. All others are as for sm_80.
KERNELS = {
    "bf16": (Product([2048, 512], [512, 768], "bf16", epilogue="bias").text(), True),
    "f16 of few tiles": (Product([128, 768], [768, 768], "f16", epilogue="residual").text(), False),
    "long reduction": (Product([512, 4096], [4096, 512], "bf16").text(), True),
    "tf32": (Product([2048, 512], [512, 768], precision="tf32").text(), False),
    "scores of heads": (
        Product([1, 12, 128, 64], [1, 12, 64, 128], "bf16", a_order=(0, 2, 1, 3), b_order=(0, 2, 3, 1))
        .text(),
        True,
    ),
    "convolution": (Conv((56, 56), 64, 64, pads=(1, 1, 1, 1), element="bf16", bias=True).text(), True),
    "convolution with strides": (Conv((57, 57), 128, 256, strides=(2, 2), element="f16").text(), True),
}  # fmt: skip
MATH = "func.func(tloop-expand-math{keep-approximate=true})"
PASSES = f"accel-kernel, {MATH}, {assembled.threads('sm_90a')}"


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_ptxas_has_no_warnings(name: str) -> None:
    text, by_groups = KERNELS[name]
    ptx = assembled.ptx_of(text.replace(str(host_target()), "cuda:sm_90a"), "sm_90a", PASSES)
    assert (b"wgmma.mma_async" in ptx) == by_groups
    assembled.check_with_ptxas(ptx, "sm_90a")
