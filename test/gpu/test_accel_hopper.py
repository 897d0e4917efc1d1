"""Programs of thread blocks as PTX for sm_90a: tensor copies, products of warpgroups, roles of warps."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

import pytest
from gpu_kernels.lowering import lower
from gpu_kernels.tile_product import TileProduct
from mlc.bindings import ir
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.codegen.emit import emit
from mlc.codegen.machines import gpu_target
from mlc.codegen.ptxas import assemble_with_report, find_ptxas
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline
from mlc.tools.translate.gpu import device_module
from test_ptxas import find_nvdisasm

ARCH = "sm_90a"
REGISTERS_PER_SM = 65536
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
    return ptx_of_text(PRODUCTS[name][0].text())


@functools.cache
def ptx_of_text(program: str, passes: str = "accel-to-threads-sm90a") -> bytes:
    """What `mlc-translate --mlir-to-ptx` gives for the program lowered by `passes`."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(program)
        run_pipeline(f"builtin.module({passes})", module)
        lower(module)
        text = translate_to_llvm_ir(device_module(module.operation, "", "nvvm.kernel"))
    return emit(text, gpu_target("nvptx", ARCH, ""), "asm", own_runtime=False)


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
def test_results_are_stored_by_the_copy_engine(name: str) -> None:
    ptx, program = ptx_of(name).decode(), PRODUCTS[name][0]
    panels = program.columns * (2 if program.result else 4) // 128
    assert ptx.count("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group") == panels
    assert ptx.count("cp.async.bulk.commit_group") == ptx.count("cp.async.bulk.wait_group.read") == 1
    assert "st.global" not in ptx
    # Of a thread's sums, 8 of 16 bits or 2 of 32 are stored at a time.
    sums = program.rows * program.columns // (32 * program.warps)
    assert ptx.count("stmatrix.sync.aligned.m8n8.x4.shared.b16") == (sums // 8 if program.result else 0)
    assert ptx.count("st.shared.v2.b32") == (0 if program.result else sums // 2)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas (CUDA toolkit) is not installed")
@pytest.mark.parametrize("name", PRODUCTS)
def test_ptxas_has_nothing_to_say(name: str) -> None:
    threads = 32 * (PRODUCTS[name][0].warps + 4)
    _, report = assemble_with_report(ptx_of(name), ARCH)
    (kernel,) = report.kernels
    assert report.warnings == ()
    assert (kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes) == (0, 0, 0)
    assert 0 < kernel.registers * threads <= REGISTERS_PER_SM


@pytest.mark.skipif(
    find_ptxas() is None or find_nvdisasm() is None,
    reason="ptxas or nvdisasm (CUDA toolkit) is not installed",
)
@pytest.mark.parametrize("name", PRODUCTS)
def test_code_has_the_instructions(name: str, tmp_path: Path) -> None:
    cubin, _ = assemble_with_report(ptx_of(name), ARCH)
    (tmp_path / "kernel.cubin").write_bytes(cubin)
    program = find_nvdisasm()
    assert program is not None
    command = [program, "-c", str(tmp_path / "kernel.cubin")]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = {word.split(".")[0] for line in listing.splitlines() for word in line.split()}
    assert {PRODUCTS[name][3], "UTMALDG", "UTMASTG"} <= words
    assert not words & {"LDL", "STL"}
