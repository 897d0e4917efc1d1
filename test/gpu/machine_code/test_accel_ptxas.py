"""Programs of thread blocks as PTX, and where it is installed through NVIDIA's assembler."""

from __future__ import annotations

import assembled
import pytest
from gpu_kernels.tile_product import TileProduct

ARCH = "sm_80"
# Name -> (program, the instruction of the tensor cores, how many of them a thread's code has)
PRODUCTS = {
    # A warp's part is 64x32 or 32x64, in instructions of 16x8x16: 4 * 4 of the result, 4 steps.
    "bf16": (TileProduct(), "m16n8k16.row.col.f32.bf16.bf16.f32", 64),
    "f16 in two stages": (
        TileProduct(64, 128, 64, stages=2, warps=4, element="f16"),
        "m16n8k16.row.col.f32.f16.f16.f32",
        64,
    ),
    "tf32": (
        TileProduct(64, 64, 32, warps=4, element="f32", precision="tf32"),
        "m16n8k8.row.col.f32.tf32.tf32.f32",
        32,
    ),
}


def ptx_of(name: str) -> bytes:
    return assembled.ptx_of(PRODUCTS[name][0].text(), ARCH, assembled.threads(ARCH))


@pytest.mark.parametrize("name", PRODUCTS)
def test_ptx_has_the_instructions(name: str) -> None:
    ptx = ptx_of(name).decode()
    program, product, count = PRODUCTS[name]
    assert ptx.count(f"mma.sync.aligned.{product}") == count
    # Each copy is 16 bytes; the prologue starts those of stages - 1 iterations, the loop those of one more.
    size = 2 if program.element != "f32" else 4
    pieces = program.depth * (program.rows + program.columns) * size // 16 // (32 * program.warps)
    assert ptx.count("cp.async.cg.shared.global") == pieces * program.stages
    assert ("ldmatrix.sync" in ptx) == (size == 2)


@pytest.mark.parametrize("name", PRODUCTS)
def test_ptxas_has_no_warnings(name: str) -> None:
    assembled.check_with_ptxas(ptx_of(name), ARCH)
