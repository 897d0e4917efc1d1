"""The kernels through mlc's own path to PTX, and where it is installed through NVIDIA's assembler."""

import functools
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from gpu_kernels.attention import Attention, build_attention
from gpu_kernels.gemm import Gemm, build_gemm
from gpu_kernels.lowering import lower
from gpu_kernels.mma_sync import MmaSync, build_mma_sync
from mlc.bindings import create_context, ir
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.codegen.emit import emit
from mlc.codegen.machines import gpu_target
from mlc.codegen.ptxas import assemble_with_report, find_ptxas
from mlc.tools.translate.gpu import device_module

# Name -> (GPU, builder, threads per block, instructions that the code must contain)
KERNELS: dict[str, tuple[str, Callable[[], ir.Module], int, set[str]]] = {
    "gemm": ("sm_90a", lambda: build_gemm(Gemm()), 384, {"HGMMA", "UTMALDG", "UTMASTG", "STSM"}),
    "gemm right by rows": ("sm_90a", lambda: build_gemm(Gemm(right_rows=True)), 384, {"HGMMA", "UTMALDG"}),
    "gemm f16 relu": ("sm_90a", lambda: build_gemm(Gemm(columns=128, kind="f16", relu=True)), 384, {"HGMMA"}),
    "gemm in a cluster": ("sm_90a", lambda: build_gemm(Gemm(cluster=2)), 384, {"HGMMA", "UTMALDG"}),
    "attention": ("sm_90a", lambda: build_attention(Attention()), 384, {"HGMMA", "UTMALDG", "MUFU"}),
    "causal attention": ("sm_90a", lambda: build_attention(Attention(causal=True)), 384, {"HGMMA"}),
    "narrow attention": ("sm_90a", lambda: build_attention(Attention(width=64)), 384, {"HGMMA"}),
    "mma.sync": ("sm_80", lambda: build_mma_sync(MmaSync()), 128, {"HMMA", "LDGSTS", "LDSM"}),
    "mma.sync f16": ("sm_90a", lambda: build_mma_sync(MmaSync(kind="f16")), 128, {"HMMA", "LDGSTS", "LDSM"}),
}
PTX_OF = {"HGMMA": b"wgmma.mma_async", "UTMALDG": b"cp.async.bulk.tensor", "HMMA": b"mma.sync.aligned"}
REGISTERS_PER_SM = 65536

needs_ptxas = pytest.mark.skipif(find_ptxas() is None, reason="ptxas (CUDA toolkit) is not installed")


def find_nvdisasm() -> str | None:
    """NVIDIA's disassembler, on PATH or in the triton package (the extra `gpu-test`)."""
    spec = find_spec("triton")
    packages = (spec.submodule_search_locations or []) if spec else []
    folders = [os.environ.get("PATH", ""), *(str(Path(each, "backends/nvidia/bin")) for each in packages)]
    return shutil.which("nvdisasm", path=os.pathsep.join(folders))


needs_nvdisasm = pytest.mark.skipif(
    find_ptxas() is None or find_nvdisasm() is None,
    reason="ptxas (CUDA toolkit) or nvdisasm (the same, or the extra gpu-test) is not installed",
)


@functools.cache
def ptx_of(name: str) -> bytes:
    """What `mlc-translate --mlir-to-ptx` gives for the lowered kernel."""
    arch, build, *_ = KERNELS[name]
    with create_context(), ir.Location.unknown():
        module = build()
        lower(module)
        text = translate_to_llvm_ir(device_module(module.operation, "", "nvvm.kernel"))
    return emit(text, gpu_target("nvptx", arch, ""), "asm", own_runtime=False)


@pytest.mark.parametrize("name", KERNELS)
def test_ptx_has_the_instructions(name: str) -> None:
    ptx, instructions = ptx_of(name), KERNELS[name][3]
    wanted = [text for instruction, text in PTX_OF.items() if instruction in instructions]
    assert wanted and all(text in ptx for text in wanted)
    assert (b".param .align 64 .b8" in ptx) == ("UTMALDG" in instructions or "HGMMA" in instructions)


@needs_ptxas
@pytest.mark.parametrize("name", KERNELS)
def test_ptxas_has_nothing_to_say(name: str) -> None:
    arch, _, threads, _ = KERNELS[name]
    _, report = assemble_with_report(ptx_of(name), arch)
    (kernel,) = report.kernels
    assert report.warnings == ()
    assert (kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes) == (0, 0, 0)
    assert 0 < kernel.registers * threads <= REGISTERS_PER_SM


@needs_nvdisasm
@pytest.mark.parametrize("name", KERNELS)
def test_code_has_the_instructions(name: str, tmp_path: Path) -> None:
    arch, *_, instructions = KERNELS[name]
    cubin, _ = assemble_with_report(ptx_of(name), arch)
    (tmp_path / "kernel.cubin").write_bytes(cubin)
    program = find_nvdisasm()
    assert program is not None
    command = [program, "-c", str(tmp_path / "kernel.cubin")]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = Counter(word.split(".")[0] for line in listing.splitlines() for word in line.split())
    assert {each for each in instructions if not words[each]} == set()
    assert not words["LDL"] and not words["STL"]
