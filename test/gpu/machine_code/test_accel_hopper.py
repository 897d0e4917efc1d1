"""Programs of thread blocks as PTX for sm_90a: tensor copies, products of warpgroups, roles of warps."""

from __future__ import annotations

import assembled
import pytest
from gpu_kernels.tile_product import TileProduct

ARCH = "sm_90a"
# Name -> (program, the instruction, how many of them a thread's code has, the instruction in the code)
PRODUCTS = {
    # Two groups, each with 64 rows and all columns; 4 steps of 16.
    "bf16": (TileProduct(), "m64n128k16.f32.bf16.bf16", 4, "HGMMA"),
    "large": (TileProduct(columns=256, stages=4), "m64n256k16.f32.bf16.bf16", 4, "HGMMA"),
    "bf16 result": (TileProduct(result="bf16"), "m64n128k16.f32.bf16.bf16", 4, "HGMMA"),
    "large f16 result": (
        TileProduct(columns=256, stages=4, element="f16", result="f16"),
        "m64n256k16.f32.f16.f16",
        4,
        "HGMMA",
    ),
    "f16 transposed": (
        TileProduct(64, 128, element="f16", warps=4, transpose_b=True),
        "m64n128k16.f32.f16.f16",
        4,
        "HGMMA",
    ),
    "tf32": (
        TileProduct(depth=32, element="f32", precision="tf32", transpose_b=True),
        "m64n128k8.f32.tf32.tf32",
        4,
        "HGMMA",
    ),
    "int8": (
        TileProduct(depth=128, element="i8", sums="i32", transpose_b=True),
        "m64n128k32.s32.s8.s8",
        4,
        "IGMMA",
    ),
    "f8": (
        TileProduct(depth=128, element="f8E4M3FN", transpose_b=True),
        "m64n128k32.f32.e4m3.e4m3",
        4,
        "QGMMA",
    ),
}


def ptx_of(name: str) -> bytes:
    return assembled.ptx_of(PRODUCTS[name][0].text(), ARCH, assembled.threads(ARCH))


@pytest.mark.parametrize("name", PRODUCTS)
def test_ptx_has_the_instructions(name: str) -> None:
    ptx = ptx_of(name).decode()
    program, product, count, _ = PRODUCTS[name]
    assert ptx.count(f"wgmma.mma_async.sync.aligned.{product}") == count
    # A box has rows of 128 bytes.
    size = {"f32": 4, "bf16": 2, "f16": 2}.get(program.element, 1)
    width = program.depth if program.transpose_b else program.columns
    assert ptx.count("cp.async.bulk.tensor.2d.shared::cluster.global") == 1 + width * size // 128
    assert ptx.count("mbarrier.init") == 2 * program.stages
    # The operands' and the result's.
    assert ptx.count(".param .align 64 .b8") == 3
    assert ("setmaxnreg" in ptx) == (program.warps > 4)
    assert "cp.async.cg" not in ptx and "mma.sync" not in ptx


@pytest.mark.parametrize("name", PRODUCTS)
def test_results_are_stored_by_tma(name: str) -> None:
    ptx, program = ptx_of(name).decode(), PRODUCTS[name][0]
    panels = program.columns * (2 if program.result else 4) // 128
    assert ptx.count("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group") == panels
    assert ptx.count("cp.async.bulk.commit_group") == ptx.count("cp.async.bulk.wait_group.read") == 1
    assert "st.global" not in ptx
    # Of a thread's sums, 8 of 16 bits or 2 of 32 are stored at a time.
    sums = program.rows * program.columns // (32 * program.warps)
    assert ptx.count("stmatrix.sync.aligned.m8n8.x4.shared.b16") == (sums // 8 if program.result else 0)
    assert ptx.count("st.shared.v2.b32") == (0 if program.result else sums // 2)


@pytest.mark.parametrize("name", PRODUCTS)
def test_ptxas_has_no_warnings(name: str) -> None:
    assembled.check_with_ptxas(ptx_of(name), ARCH)


@pytest.mark.parametrize("name", PRODUCTS)
def test_code_has_the_instructions(name: str) -> None:
    words = assembled.instructions(ptx_of(name), ARCH)
    assert words[PRODUCTS[name][3]] and words["UTMALDG"] and words["UTMASTG"]
    assert not words["LDL"] and not words["STL"]
