"""Kernels as PTX, and where they are installed through NVIDIA's assembler and disassembler."""

from __future__ import annotations

import functools
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from gpu_kernels.lowering import lower

from mlc.bindings import ir
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.codegen.emit import emit
from mlc.codegen.ptxas import assemble_with_report, find_ptxas, find_tool
from mlc.codegen.triples import gpu_target
from mlc.compiler.device.kernel import DeviceKernel
from mlc.compiler.device.kernel_job import compile_kernel
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline
from mlc.targets import parse_target
from mlc.tools.translate.gpu import device_module

REGISTERS_PER_SM = 65536


def to_ptx(module: ir.Module, arch: str) -> bytes:
    """Returns the PTX of kernels of threads, as `mlc-translate --mlir-to-ptx`."""
    lower(module)
    text = translate_to_llvm_ir(device_module(module.operation, "", "nvvm.kernel"))
    return emit(text, gpu_target("nvptx", arch, ""), "asm", own_runtime=False)


def threads(arch: str) -> str:
    """Returns the passes that lower thread blocks to threads, for one of NVIDIA's architectures."""
    return f"tloop-set-target{{target=cuda:{arch}}}, accel-to-threads"


@functools.cache
def ptx_of(text: str, arch: str, passes: str) -> bytes:
    """Returns the PTX of a module after `passes`, which lower its kernels to threads."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(f"builtin.module({passes})", module)
        return to_ptx(module, arch)


@functools.cache
def compiled_kernel(text: str, target: str, assembler: str = "") -> DeviceKernel:
    """Compiles a kernel as `mlc compile` does, for a target, which its text names too. With `assembler`
    "report" it has ptxas's report."""
    job = {"text": text, "pipeline": parse_target(target).kernel_pipeline, "target": target, "optimize": 3}
    return DeviceKernel.from_bytes(compile_kernel(job | {"assembler": assembler})["object"])


def check_with_ptxas(ptx: bytes, arch: str) -> None:
    """Checks for each kernel that ptxas has no warnings, such as C75xx, for serialised `wgmma`; that no
    registers are spilled; that a multiprocessor has enough for a thread block. Skips without ptxas."""
    if find_ptxas() is None:
        pytest.skip("ptxas (CUDA toolkit, or the extra gpu-test) is not installed")
    _, report = assemble_with_report(ptx, arch)
    assert report.warnings == () and report.kernels
    threads = max(map(int, re.findall(rb"\.reqntid (\d+)", ptx)))
    for kernel in report.kernels:
        assert (kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes) == (0, 0, 0)
        assert 0 < kernel.registers * threads <= REGISTERS_PER_SM


@functools.cache
def listing(ptx: bytes, arch: str) -> str:
    """Returns the machine code that ptxas emits. Skips the test without ptxas or nvdisasm."""
    program = find_tool("nvdisasm")
    if find_ptxas() is None or program is None:
        pytest.skip("ptxas or nvdisasm (CUDA toolkit, or the extra gpu-test) is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(assemble_with_report(ptx, arch)[0])
        return subprocess.run([program, "-c", str(path)], capture_output=True, text=True, check=True).stdout


def instructions(ptx: bytes, arch: str) -> Counter[str]:
    """Counts the instructions in that code, by name without suffixes."""
    return Counter(word.split(".")[0] for line in listing(ptx, arch).splitlines() for word in line.split())
