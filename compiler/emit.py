"""Emits a program as one LLVM module: its IR, its assembly or its object.

It holds `@main` with its kernels, as an executable does; `@prepare` runs when a model is compiled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mlc.codegen.emit import emit, link_modules
from mlc.codegen.pool import WorkerPool
from mlc.compiler.build import KERNEL_TIMEOUT, job_result
from mlc.compiler.code_path import code_paths
from mlc.compiler.compilation_units import Units
from mlc.compiler.errors import CompileError
from mlc.compiler.kernel_job import convert_pass_errors, lower
from mlc.compiler.levels import units_of
from mlc.compiler.options import Options
from mlc.targets import parse_target

OutputFormat = Literal["llvm-ir", "asm", "obj"]
_CODEGEN_FORMATS = {"llvm-ir": "llvm-ir", "asm": "asm", "obj": "object"}
LOWER_JOB, LINK_JOB = "mlc.compiler.emit:lower_job", "mlc.compiler.emit:link_job"
DEVICE_LOWER_JOB = "mlc.compiler.device.kernel_job:lower_job"


def emit_program(model: Any, options: Options, output_format: OutputFormat) -> bytes:
    """Returns the program of `model` (as `compile_program` takes it), all units linked to one module.

    Text in UTF-8 for "llvm-ir" (optimised) and "asm", an ELF object for "obj". The entry is
    `void mlc_main(void **buffers, int64_t *dims)`; weights are arguments, not part of it. For a GPU it is the
    kernels alone, and "asm" is PTX, or AMDGCN assembly. The cache is not used. Raises what `compile_program`
    raises, and CompileError where the processor computes parts of a GPU's program.
    """
    path = code_paths(options)["main"]
    if path.on_gpu and output_format == "obj":
        raise CompileError(f"there are no object files for {path.machine.name}; asm is {path.assembly}")
    with WorkerPool(options.workers(), preload=["mlc.compiler.emit"]) as pool:
        pool.start()
        units = units_of(model, options)["main"]
        _check_one_machine(units)
        texts = {name: (units.pipeline(name), text) for name, text in units.kernels.items()}
        if path.host is not None:
            texts[units.host.name] = (path.host, units.host.text)
        modules = _lower_all(texts, units, options, pool)
        options.progress("link", 0, 1)
        payload = {"texts": modules, "target": str(path.machine), "format": _CODEGEN_FORMATS[output_format]}
        return job_result(pool.submit(LINK_JOB, payload), f"the linked program, as {output_format}")["data"]


def _check_one_machine(units: Units) -> None:
    others = [name for name in units.kernels if units.path_of(name).machine != units.path.machine]
    if others:
        notes = [f"kernel @{name}, from {units.nodes[name]}" for name in others]
        machine = units.path.machine.name
        raise CompileError(f"the program is of {machine} and of the processor, which no one text is", notes)


def _lower_all(
    texts: Mapping[str, tuple[str, str]], units: Units, options: Options, pool: WorkerPool
) -> list[str]:
    """Returns the LLVM IR of every unit, in order."""
    job = DEVICE_LOWER_JOB if units.path.on_gpu else LOWER_JOB
    jobs = {}
    for name, (pipeline, text) in texts.items():
        payload = {"text": text, "pipeline": pipeline, "reproducer_dir": options.reproducer_dir}
        jobs[name] = pool.submit(job, payload, timeout=KERNEL_TIMEOUT)
    modules: list[str] = []
    for name, future in jobs.items():
        options.progress("kernels", len(modules), len(jobs))
        modules.append(
            job_result(future, f"kernel @{name}, from {units.nodes.get(name, 'the host program')}")["ir"]
        )
    return modules


def lower_job(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"text", "pipeline", "reproducer_dir"} -> {"ir": LLVM IR text}."""
    with convert_pass_errors():
        return {"ir": lower(payload["text"], payload["pipeline"], payload.get("reproducer_dir"))}


def link_job(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"texts", "target", "format"} -> {"data": bytes}; a job because LLVM may abort the process."""
    linked = link_modules(payload["texts"])
    return {"data": emit(linked, parse_target(payload["target"]), payload["format"])}
