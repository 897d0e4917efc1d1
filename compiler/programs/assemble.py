"""Assembles the compiled units of a model: a program of objects, or one of a plan and its images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.compiler.code_path import CodePath
from mlc.compiler.host_program.step_list import COPY, WAIT, StepList
from mlc.compiler.options import Range
from mlc.compiler.programs.bundle import Stage
from mlc.compiler.programs.program import CompiledProgram, required_features, weight_names
from mlc.passes.common.kernel_functions import CPU
from mlc.runtime.cuda.plan.parts import NO_CODE, CopyStep, Processor

if TYPE_CHECKING:
    from mlc.runtime.cuda.plan.plan import Plan


@dataclass(frozen=True)
class Names:
    """The names of a model, its inputs and outputs, and the bounds of named dims."""

    model: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    dim_ranges: Mapping[str, Range] = field(default_factory=dict)


def assemble(
    names: Names, path: CodePath, main: Stage, weights: Sequence[np.ndarray], report: Mapping[str, Any]
) -> CompiledProgram:
    """Returns the program of `@main`, whose weights are `weights`. Raises CompileError, for a GPU also
    ExecutableError."""
    program = CompiledProgram(
        names.model,
        path.machine,
        main.host,
        names.inputs,
        names.outputs,
        main.objects,
        weights,
        dict(report),
        dim_ranges=names.dim_ranges,
    )
    return _with_plan(program, path, main) if path.on_gpu else program


def _with_plan(program: CompiledProgram, path: CodePath, main: Stage) -> CompiledProgram:
    from mlc.compiler.device.kernel import DeviceKernel
    from mlc.compiler.device.plan import program_plan

    assert main.step_list is not None, "split gives host functions without code a step list"
    names = dict.fromkeys(main.host.kernels)
    calls = [name for name in names if name in _on_processor(main.step_list)]
    kernels = {name: DeviceKernel.from_bytes(main.objects[name]) for name in names if name not in calls}
    roles = {"input": program.inputs, "output": program.outputs, "weight": weight_names(main.host)}
    code = _processor(path, calls)
    program.plan = program_plan(path.machine.cpu, main.host, main.step_list, kernels, roles, code)
    files = [*(value.image for value in kernels.values()), *(main.objects[name] for name in calls)]
    program.objects = dict(zip(program.plan.code_files, files, strict=True))
    program.report["gpu"] = {
        "assembled": bool(path.assembler),
        "kernels": [
            {"kernel": name, "image_bytes": len(kernel.image), **launch}
            for name, kernel in kernels.items()
            for launch in kernel.resources()
        ],
        "warnings": [f"{name}: {text}" for name, kernel in kernels.items() for text in kernel.warnings],
    }
    if calls:
        program.report["processor"] = {**program.report["processor"], **_transfer_bytes(program.plan)}
    return program


def _transfer_bytes(plan: Plan) -> dict[str, int]:
    """Returns the bytes that a call moves to the processor and back."""
    copies = [step for step in plan.steps if isinstance(step, CopyStep)]
    spaces = [plan.buffers[step.target.buffer].space for step in copies]
    there = sum(step.nbytes for step, space in zip(copies, spaces, strict=True) if space == "host")
    back = [step for step in copies if plan.buffers[step.source.buffer].space == "host"]
    return {"to_bytes": there, "from_bytes": sum(step.nbytes for step in back)}


def _on_processor(step_list: StepList) -> set[str]:
    """Returns the kernels of a GPU's program that the processor runs."""
    return {step.kernel for step in step_list.steps if step.device == CPU and step.kernel not in (COPY, WAIT)}


def _processor(path: CodePath, calls: Sequence[str]) -> Processor:
    """Returns the plan's description of the code of these kernels."""
    if not calls:
        return NO_CODE
    assert path.processor is not None, "path_of has found the way"
    machine = path.processor.machine
    return Processor(
        tuple(f"{name}.o" for name in calls),
        tuple(calls),
        machine.triple,
        machine.cpu,
        machine.features,
        tuple(required_features(machine)),
    )
