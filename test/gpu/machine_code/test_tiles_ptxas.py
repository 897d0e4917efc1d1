"""Kernels of models with products as PTX, and where it is installed through NVIDIA's assembler."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import assembled
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "numerics" / "blocks"))

from tile_convolutions import Conv
from tile_kernels import single
from tile_kernels import text as text_of
from tile_products import Product

ARCH = "sm_80"
BF16, F16 = "m16n8k16.row.col.f32.bf16.bf16.f32", "m16n8k16.row.col.f32.f16.f16.f32"
# Name -> (kernel, the tensor cores' instruction if any, whether `ldmatrix` loads its operands)
KERNELS = {
    "bf16": (
        Product([2048, 512], [512, 768], "bf16", epilogue="bias").text(), BF16, True,
    ),
    "f16 of few tiles": (
        Product([128, 768], [768, 768], "f16", epilogue="residual").text(), F16, True,
    ),
    "tf32": (
        Product([2048, 512], [512, 768], precision="tf32").text(), "m16n8k8.row.col.f32.tf32.tf32.f32", False,
    ),
    "f32": (Product([2048, 512], [512, 768]).text(), "", False),
    "scores of heads": (
        Product([1, 12, 128, 64], [1, 12, 64, 128], "bf16", a_order=(0, 2, 1, 3), b_order=(0, 2, 3, 1))
        .text(),
        BF16,
        True,
    ),
    "convolution": (
        Conv((56, 56), 64, 64, pads=(1, 1, 1, 1), element="bf16", bias=True).text(),
        BF16,
        True,
    ),
    "convolution with strides": (
        Conv((57, 57), 128, 256, strides=(2, 2), element="f16").text(), F16, True,
    ),
    "a row": (Product([1, 2048], [2048, 1000]).text(), "", False),
    "a row of f16": (Product([1, 2048], [2048, 2000], "f16").text(), "", False),
    "a row times a transposed matrix": (
        Product([1, 2048], [2048, 1000], "bf16", b_order=(1, 0)).text(), "", False,
    ),
    "rows of a table": (
        text_of(single("gather", ["1000x768xbf16", "128xi64"], "128x768xbf16", np.add, "axis = 0 : i64")),
        "",
        False,
    ),
    "depthwise": (Conv((28, 28), 192, 192, group=192, pads=(1, 1, 1, 1), bias=True).text(), "", False),
}  # fmt: skip


def ptx_of(name: str) -> bytes:
    return assembled.ptx_of(KERNELS[name][0], ARCH, f"accel-kernel, {assembled.threads(ARCH)}")


@pytest.mark.parametrize("name", [name for name, (_, product, _) in KERNELS.items() if product])
def test_products_use_tensor_cores(name: str) -> None:
    _, product, matrices = KERNELS[name]
    ptx = ptx_of(name).decode()
    assert f"mma.sync.aligned.{product}" in ptx
    assert ptx.count(".entry") == 1
    assert "fma.rn.f32" not in ptx
    # 16 bytes at a time, into shared memory.
    assert "cp.async.cg.shared.global" in ptx and "cp.async.ca" not in ptx
    assert ("ldmatrix.sync" in ptx) == matrices


@pytest.mark.parametrize("name", [name for name in KERNELS if name.startswith("a row")])
def test_matrices_are_read_16_bytes_at_a_time(name: str) -> None:
    loads = re.findall(r"ld\.global\.(\S+)", ptx_of(name).decode())
    # The others are numbers of the row.
    assert {load for load in loads if load.startswith("v")} == {"v4.b32"}


def test_rows_are_moved_16_bytes_at_a_time() -> None:
    ptx = ptx_of("rows of a table").decode()
    assert set(re.findall(r"st\.global\.(\S+)", ptx)) == {"v4.b32"}
    # The others are numbers of rows.
    assert set(re.findall(r"ld\.global\.(\S+)", ptx)) == {"v4.b32", "b32"}


@pytest.mark.parametrize("name", ["f32", "depthwise"])
def test_kernels_of_multiply_adds_access_memory_16_bytes_at_a_time(name: str) -> None:
    ptx = ptx_of(name).decode()
    accesses = re.findall(r"\b(?:ld|st)\.(?:global|shared)\.(\S+)", ptx)
    assert set(accesses) == {"v4.b32"} and "cp.async.ca" not in ptx
    loads, adds = ptx.count("ld.global.v4") + ptx.count("cp.async.cg"), ptx.count("fma.rn.f32")
    assert 0 < loads < adds
    if name == "f32":
        # A thread has 8x8 accumulators and loads 4 elements of an operand at a time: 16 multiply-adds each.
        assert adds == 16 * ptx.count("ld.shared.v4.b32")


@pytest.mark.parametrize("name", KERNELS)
def test_ptxas_has_no_warnings(name: str) -> None:
    assembled.check_with_ptxas(ptx_of(name), ARCH)
