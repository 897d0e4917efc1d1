"""The jobs that compile one kernel for a GPU, in worker processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from mlc.bindings import ir
from mlc.bindings.llvm_translation import translate_to_llvm_ir
from mlc.codegen.emit import emit
from mlc.codegen.ptxas import assemble_with_report
from mlc.compiler.device.kernel import DeviceKernel
from mlc.compiler.device.launches import read_launches, read_workspace
from mlc.compiler.kernel_job import convert_pass_errors, lower_module, seconds
from mlc.passes.accel.common.device_module import device_code
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.instrumentation import PassSeconds
from mlc.targets import GpuTarget, Target, parse_target


def compile_kernel(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"text", "pipeline", "target", "optimize", "assembler"} -> {"object": a DeviceKernel as bytes,
    "mlir_seconds", "llvm_seconds", "pass_seconds"}; ptxas's time is counted with LLVM's."""
    start, passes = time.perf_counter(), PassSeconds()
    target = parse_target(payload["target"])
    assert isinstance(target, GpuTarget)
    with _on_device(payload, passes) as module:
        launches, text = read_launches(module, target), device_ir(module)
        workspace = read_workspace(module)
    lowered_at = time.perf_counter()
    image = emit(text, target, "asm", payload["optimize"], own_runtime=False)
    kernel = DeviceKernel(launches, image, workspace_bytes=workspace.nbytes)
    if payload["assembler"]:
        kernel = _assemble(kernel, target, in_place=payload["assembler"] == "code")
    return {"object": kernel.to_bytes(), **seconds(start, lowered_at, passes)}


@contextmanager
def _on_device(payload: dict[str, Any], passes: PassSeconds | None = None) -> Iterator[ir.Operation]:
    """Lowers the kernel to threads, and yields its module. Raises LoweringError, also for PassErrors of the
    `with` block."""
    pipeline, folder = payload["pipeline"], payload.get("reproducer_dir")
    with convert_pass_errors(), lower_module(payload["text"], pipeline, folder, passes) as module:
        yield module


def lower_job(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"text", "pipeline", "reproducer_dir"} -> {"ir": LLVM IR text of the device's code}."""
    with _on_device(payload) as module:
        return {"ir": device_ir(module)}


def device_ir(module: ir.Operation) -> str:
    """Returns the LLVM IR of a module's device code. Raises PassError for ops that cannot be translated."""
    code = device_code(module)
    run_pipeline("builtin.module(llvm-verify-translatable)", code, verify_each=False)
    return translate_to_llvm_ir(code)


def _assemble(kernel: DeviceKernel, target: Target, in_place: bool) -> DeviceKernel:
    """Returns the kernel with ptxas's report, and with `in_place` its code."""
    cubin, report = assemble_with_report(kernel.image, target.cpu)
    image, suffix = (cubin, "cubin") if in_place else (kernel.image, kernel.suffix)
    return replace(kernel, image=image, suffix=suffix, report=report)
