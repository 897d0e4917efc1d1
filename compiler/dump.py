"""Writes the IR of a model at each level to files, for reading and for documentation."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from fnmatch import fnmatch
from itertools import count
from pathlib import Path
from typing import Any

from mlc.bindings import builtin, func, gpu, ir, llvm
from mlc.codegen.emit import OutputFormat, emit
from mlc.codegen.pool import WorkerPool
from mlc.compiler.attempts import may_be_plainer
from mlc.compiler.build import KERNEL_TIMEOUT, job_result
from mlc.compiler.code_path import code_paths
from mlc.compiler.compilation_units import split
from mlc.compiler.device.kernel_job import device_ir
from mlc.compiler.errors import CompileError
from mlc.compiler.kernel_job import convert_pass_errors, schedules_to_skip
from mlc.compiler.levels import levels
from mlc.compiler.options import Options
from mlc.compiler.plainer_schedules import without_schedules
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.plan import PassStep
from mlc.targets import GpuTarget, Target, parse_target

KERNEL_JOB = "mlc.compiler.dump:kernel_job"
_FILES = {
    "import": "0-import.mlir",
    "graph-optimize": "1-graph.mlir",
    "lower-graph": "2-lowered.mlir",
    "lower-graph-gpu": "2-lowered.mlir",
    "form-kernels": "3-kernels.mlir",
    "host-plan-memory": "4-host.mlir",
}
# Pass of a kernel's pipeline, op that it runs on -> the level that the kernel has reached when it begins.
_MODULE = builtin.Module.NAME
_KERNEL_LEVELS = {
    ("tloop-default-schedules", _MODULE): "linalg",
    ("eliminate-empty-tensors", _MODULE): "scheduled",
    ("kernel-entry", _MODULE): "loops",
    ("tloop-schedule-blocks", _MODULE): "linalg",
    ("accel-from-tiles", _MODULE): "scheduled",
    ("accel-pipeline-loops", _MODULE): "blocks",
    ("accel-to-cpu", func.Func.NAME): "blocks",
    ("convert-scf-to-cf", gpu.GPUModule.NAME): "threads",
}


def dump_ir(model: Any, options: Options, folder: Path, kernels: Sequence[str] = ("*",)) -> list[Path]:
    """Writes the levels into `folder`, and returns the files.

    The module is `0-import.mlir` ... `4-host.mlir`. Each kernel whose name one of the patterns `kernels`
    matches is `kernels/NAME/{linalg,scheduled,loops,llvm}.mlir`, `llvm.ll` (optimised) and `asm.s`; for a GPU
    there are `blocks.mlir` and `threads.mlir` instead of loops, and PTX instead of assembly.
    Raises what `compile_program` raises, OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    module = None
    for index, (name, module) in enumerate(levels(model, options)):
        text = module.operation.get_asm(enable_debug_info=False, assume_verified=True)
        written.append(_write(folder / _FILES.get(name, f"{index}-{name}.mlir"), text))
    assert module is not None
    chosen = _choose_kernels(module, options, kernels)
    with WorkerPool(options.workers(), preload=["mlc.compiler.dump"]) as pool:
        jobs = {
            name: pool.submit(KERNEL_JOB, payload, timeout=KERNEL_TIMEOUT) for name, payload in chosen.items()
        }
        for index, (name, future) in enumerate(jobs.items()):
            options.progress("kernels", index, len(jobs))
            for file, text in _texts(future, name, chosen[name], pool).items():
                written.append(_write(folder / "kernels" / name / file, text))
    return written


def _texts(future: Future, name: str, job: dict[str, Any], pool: WorkerPool) -> dict[str, str]:
    """Returns the texts of a kernel's job, after failures those with a plainer schedule, as it is compiled.
    Raises CompileError."""
    for rejected in count(1):
        try:
            return job_result(future, f"kernel @{name}")
        except CompileError as error:
            if not (job["may_be_plainer"] and may_be_plainer(error)):
                raise
        future = pool.submit(KERNEL_JOB, job | {"rejected": rejected}, timeout=KERNEL_TIMEOUT)
    raise AssertionError("the plainest schedule ends it")


def _choose_kernels(module: Any, options: Options, patterns: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Returns the jobs of the kernels that match a pattern, by name. Raises CompileError."""
    units = split(module.operation, code_paths(options))
    everything = {
        name: {
            "text": text,
            "pipeline": unit.pipeline(name),
            "target": str(unit.path_of(name).machine),
            "may_be_plainer": not options.strict and name in unit.with_default_schedules,
        }
        for unit in units.values()
        for name, text in unit.kernels.items()
    }
    unmatched = [
        pattern for pattern in patterns if pattern != "*" and not any(fnmatch(n, pattern) for n in everything)
    ]
    if unmatched:
        raise CompileError(f"no kernel matches '{unmatched[0]}'", [f"there are: {', '.join(everything)}"])
    return {
        name: job for name, job in everything.items() if any(fnmatch(name, pattern) for pattern in patterns)
    }


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8")
    except OSError as error:  # that of a full disk names no file
        raise OSError(error.errno, error.strerror, str(path)) from error
    return path


class _Levels(Instrumentation):
    """Keeps the text of a kernel's module before the passes that begin a new level."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def before(self, step: PassStep, op: ir.Operation) -> None:
        """Keeps the module's text if `step` begins a new level."""
        level = _KERNEL_LEVELS.get((step.name, op.name))
        if level is not None:
            self.texts[f"{level}.mlir"] = op.get_asm(assume_verified=True)


def kernel_job(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"text", "pipeline", "target", "rejected"} of a kernel -> its text at each level, by file name,
    without its first `rejected` default schedules."""
    pipeline = without_schedules(payload["pipeline"], schedules_to_skip(payload))
    found, target = _Levels(), parse_target(payload["target"])
    on_gpu = isinstance(target, GpuTarget)
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(payload["text"])
        with convert_pass_errors():
            run_pipeline(f"builtin.module({pipeline})", module, found, verify_each=False)
        lowered = module.operation.get_asm(assume_verified=True)
        translate = device_ir if on_gpu else llvm.translate_module_to_llvmir
        text = translate(module.operation)
    code = {name: emit(text, target, form).decode() for name, form in _code(target)}
    return {**found.texts, "llvm.mlir": lowered, **code}


_Code = tuple[tuple[str, OutputFormat], ...]
_CODE: _Code = (("llvm.ll", "llvm-ir"), ("asm.s", "asm"))
_DEVICE_CODE: _Code = (("llvm.ll", "llvm-ir"), ("kernel.ptx", "asm"))


def _code(target: Target) -> _Code:
    return _DEVICE_CODE if isinstance(target, GpuTarget) and target.is_nvidia else _CODE
