"""Puts together what the units of a model became: a program of objects, or one of a plan and its images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mlc.compiler.bundle import Stage
from mlc.compiler.code_path import CodePath
from mlc.compiler.options import Range
from mlc.compiler.program import Program, weight_names


@dataclass(frozen=True)
class Names:
    """Those of the model, and of its inputs and outputs, and the bounds of named dims."""

    model: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    dim_ranges: Mapping[str, Range] = field(default_factory=dict)


def assemble(
    names: Names, path: CodePath, main: Stage, weights: Sequence[np.ndarray], report: Mapping[str, Any]
) -> Program:
    """The program of `@main`, whose weights are `weights`. Raises CompileError, for a GPU also
    ExecutableError."""
    program = Program(
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


def _with_plan(program: Program, path: CodePath, main: Stage) -> Program:
    from mlc.compiler.device_kernel import DeviceKernel
    from mlc.compiler.device_plan import program_plan

    assert main.tape is not None, "split gives host functions without code a tape"
    kernels = {name: DeviceKernel.from_bytes(main.objects[name]) for name in dict.fromkeys(main.host.kernels)}
    names = {"input": program.inputs, "output": program.outputs, "weight": weight_names(main.host)}
    program.plan = program_plan(path.machine.cpu, main.host, main.tape, kernels, names)
    program.objects = {
        image.name: each.image for image, each in zip(program.plan.images, kernels.values(), strict=True)
    }
    program.report["gpu"] = {
        "assembled": bool(path.assembler),
        "kernels": [
            {"kernel": name, "image_bytes": len(each.image), **launch}
            for name, each in kernels.items()
            for launch in each.resources()
        ],
        "warnings": [f"{name}: {text}" for name, each in kernels.items() for text in each.warnings],
    }
    return program
