"""Attention as PTX for sm_80, and where it is installed through NVIDIA's assembler."""

from __future__ import annotations

import functools

import pytest
from gpu_kernels.lowering import lower
from mlc.bindings import ir
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.codegen.emit import emit
from mlc.codegen.machines import gpu_target
from mlc.codegen.ptxas import assemble_with_report, find_ptxas
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline
from mlc.tools.translate.gpu import device_module

ARCH = "sm_80"
HEADS, LENGTH = 64, 1024
# Numbers of a head -> (warps, products of a warp's rows with 64 keys, and of its weights with their values)
PRODUCTS = {64: (4, 2 * (4 * 8 + 4 * 8)), 128: (8, 8 * 8 + 4 * 16)}


@functools.cache
def ptx_of(width: int, causal: bool, element: str = "bf16", precision: str = "exact") -> bytes:
    """Of a kernel with enough heads for the largest tiles."""
    kind = f"tensor<{HEADS}x{LENGTH}x{width}x{element}>"
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(
            f"""func.func private @k(%q: {kind}, %k: {kind}, %v: {kind}) -> {kind}
                attributes {{tloop.kernel, accel.precision = "{precision}"}} {{
              %r = "graph.attention"(%q, %k, %v) {{scale = 0.125 : f64, causal = {str(causal).lower()}}} :
                ({kind}, {kind}, {kind}) -> {kind}
              return %r : {kind}
            }}"""
        )
        run_pipeline("builtin.module(accel-from-attention, accel-to-threads)", module)
        lower(module)
        text = translate_to_llvm_ir(device_module(module.operation, "", "nvvm.kernel"))
    return emit(text, gpu_target("nvptx", ARCH, ""), "asm", own_runtime=False)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", PRODUCTS)
def test_ptx_has_the_instructions(width: int, causal: bool) -> None:
    ptx = ptx_of(width, causal).decode()
    warps, products = PRODUCTS[width]
    assert f".reqntid {32 * warps}" in ptx
    assert ptx.count("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") == products
    # Keys and values of the first block, and of the next one while a block is computed.
    pieces = 2 * 64 * width * 2 // 16 // (32 * warps)
    assert ptx.count("cp.async.cg.shared.global") == 2 * pieces
    assert "ex2.approx" in ptx
    # Weights go from one product to the other in registers: nothing is stored to shared memory.
    assert "st.shared" not in ptx


def check_with_ptxas(ptx: bytes) -> None:
    """No warnings, and no registers in memory."""
    _, report = assemble_with_report(ptx, ARCH)
    (kernel,) = report.kernels
    assert report.warnings == ()
    assert (kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes) == (0, 0, 0)


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas (CUDA toolkit) is not installed")
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("width", PRODUCTS)
def test_ptxas_has_nothing_to_say(width: int, causal: bool) -> None:
    check_with_ptxas(ptx_of(width, causal))


@pytest.mark.slow
@pytest.mark.skipif(find_ptxas() is None, reason="ptxas (CUDA toolkit) is not installed")
@pytest.mark.parametrize("width", PRODUCTS)
@pytest.mark.parametrize("precision", ["exact", "tf32"])
def test_f32_stays_in_registers(width: int, precision: str) -> None:
    ptx = ptx_of(width, False, "f32", precision)
    assert (b"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" in ptx) == (precision == "tf32")
    check_with_ptxas(ptx)
