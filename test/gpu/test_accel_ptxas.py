"""Programs of thread blocks as PTX, and where it is installed through NVIDIA's assembler."""

from __future__ import annotations

import functools

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

ARCH = "sm_80"
REGISTERS_PER_SM = 65536
# Name -> (program, the instruction of tensor units, how many of them a thread's code has)
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


@functools.cache
def ptx_of(name: str) -> bytes:
    """What `mlc-translate --mlir-to-ptx` gives for the lowered program."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(PRODUCTS[name][0].text())
        run_pipeline("builtin.module(accel-to-threads)", module)
        lower(module)
        text = translate_to_llvm_ir(device_module(module.operation, "", "nvvm.kernel"))
    return emit(text, gpu_target("nvptx", ARCH, ""), "asm", own_runtime=False)


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


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas (CUDA toolkit) is not installed")
@pytest.mark.parametrize("name", PRODUCTS)
def test_ptxas_has_nothing_to_say(name: str) -> None:
    threads = 32 * PRODUCTS[name][0].warps
    _, report = assemble_with_report(ptx_of(name), ARCH)
    (kernel,) = report.kernels
    assert report.warnings == ()
    assert (kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes) == (0, 0, 0)
    assert 0 < kernel.registers * threads <= REGISTERS_PER_SM
