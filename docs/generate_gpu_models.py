"""Writes docs/gpu-models.md: the models that compile whole for GPUs, kernels without a lowering, and ptxas's
report on the others.

    python -P docs/generate_gpu_models.py bench/models/build cuda:sm_80 cuda:sm_90a

Needs ptxas. Not part of `make docs`: it compiles all kernels of all models in a folder, in f32, tf32, f16 and
bf16, which takes half an hour on two cores. A run that was stopped finds its kernels in the disk cache, as
long as the compiler's sources do not change. `test/docs/test_gpu_models.py` checks that the page has a table
for each precision, with a row for each model of the set.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlc.codegen.ptxas import find_ptxas
from mlc.compiler import CompileError, Options, worker_pool
from mlc.compiler.build import Builder
from mlc.compiler.compilation_units import Units
from mlc.compiler.device.kernel import DeviceKernel
from mlc.compiler.device.plan import program_plan
from mlc.compiler.levels import units_of
from mlc.runtime.cuda import Plan

PRECISIONS = ("f32", "tf32", "f16", "bf16")
PAGE = Path(__file__).resolve().parent / "gpu-models.md"
_NAME = re.compile(r"kernel @(\w+?)_[0-9a-f]{12},")
_CAUSE = re.compile(r".* operation: (@\w+: )?")


@dataclass(frozen=True)
class Missing:
    """A kernel without a lowering: the ops in its name, and the reason."""

    ops: str
    reason: str


@dataclass
class ModelCoverage:
    """The number of a model's kernels for a target, the missing ones, and ptxas's report on the launches."""

    kernels: int
    missing: list[Missing]
    launches: list[dict[str, Any]] = field(default_factory=list)
    warnings: int = 0

    @property
    def spilled(self) -> list[str]:
        """The functions of launches that spill registers."""
        parts = ("spill_store_bytes", "spill_load_bytes")
        return [launch["function"] for launch in self.launches if any(launch[part] for part in parts)]


def attempt(path: Path, options: Options) -> ModelCoverage:
    """Compiles the kernels of a model's `@main`, and builds the plan that launches them."""
    assert options.pool is not None
    units = units_of(path, options)["main"]
    try:
        objects = Builder(options, options.pool).build(units)
        kernels = {name: DeviceKernel.from_bytes(objects[name]) for name in dict.fromkeys(units.host.kernels)}
        _plan(units, kernels)
    except CompileError as error:
        causes = error.causes or (error,)
        return ModelCoverage(len(units.kernels), [_missing(cause) for cause in causes])
    launches = [launch for kernel in kernels.values() for launch in kernel.resources()]
    return ModelCoverage(
        len(units.kernels), [], launches, sum(len(kernel.warnings) for kernel in kernels.values())
    )


def _plan(units: Units, kernels: Mapping[str, DeviceKernel]) -> Plan:
    host = units.host
    assert units.step_list is not None
    sides = {"input": host.inputs, "output": host.outputs, "weight": host.weight_types}
    names = {role: [f"{role}{index}" for index in range(len(infos))] for role, infos in sides.items()}
    return program_plan(units.path.machine.cpu, host, units.step_list, kernels, names)


def _missing(error: CompileError) -> Missing:
    where = error.notes[0] if error.notes else "the plan"
    name = _NAME.match(where)
    first = error.message.partition("\n")[0]
    return Missing(name[1] if name else where, _CAUSE.sub("", first, count=1))


def page(folder: Path, targets: list[str]) -> str:
    """Returns the text of the page on the models in `folder`."""
    lines = _introduction()
    with worker_pool() as pool:
        for precision in PRECISIONS:
            results: dict[str, dict[str, ModelCoverage]] = defaultdict(dict)
            for path in _models(folder):
                for target in targets:
                    print(path.stem, target, precision, file=sys.stderr, flush=True)
                    options = Options(target=target, precision=precision, pool=pool)
                    results[path.stem][target] = attempt(path, options)
            lines += [f"## In {precision}", "", *_table(results, targets), *_reasons(results)]
    return "\n".join(lines)


def _models(folder: Path) -> list[Path]:
    """Returns the models that `python -m bench.models` has built: they have inputs, and so static sizes."""
    return [path for path in sorted(folder.glob("*.onnx")) if path.with_suffix(".npz").exists()]


def _introduction() -> list[str]:
    return [
        "# Models on GPUs",
        "",
        "How many kernels of the models of [benchmarks.md](benchmarks.md) compile. A model that compiles",
        "whole is a program for the CUDA runtime. For it the table has ptxas's report (CUDA 13.0) on the",
        "launches: the most registers of a thread, the launches that keep registers in memory (spills), and",
        "the warnings of lost speed, if there are any. `docs/generate_gpu_models.py` writes this page.",
        "",
    ]


def _table(results: dict[str, dict[str, ModelCoverage]], targets: list[str]) -> list[str]:
    lines = [f"| model | {' | '.join(targets)} |", f"|---|{'---|' * len(targets)}"]
    for model, by_target in results.items():
        cells = [_cell(by_target[target]) for target in targets]
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return [*lines, ""]


def _cell(result: ModelCoverage) -> str:
    if result.missing:
        return f"{result.kernels - len(result.missing)} of {result.kernels} kernels"
    registers = max(launch["registers"] for launch in result.launches)
    parts = [f"whole: {result.kernels} kernels, {len(result.launches)} launches, {registers} registers"]
    if result.spilled:
        parts.append(f"spills: {', '.join(result.spilled)}")
    if result.warnings:
        parts.append(f"{result.warnings} warnings")
    return "; ".join(parts)


def _reasons(results: dict[str, dict[str, ModelCoverage]]) -> list[str]:
    """Returns the section on missing kernels, with the models that need them."""
    models: dict[tuple[str, str], set[str]] = defaultdict(set)
    for model, by_target in results.items():
        for result in by_target.values():
            for kernel in result.missing:
                models[kernel.reason, kernel.ops].add(model)
    if not models:
        return []
    lines = ["### What is missing", "", "| kernel | reason | models |", "|---|---|---|"]
    for (reason, ops), names in sorted(models.items()):
        lines.append(f"| `{ops}` | {reason.replace('|', chr(92) + '|')} | {', '.join(sorted(names))} |")
    return [*lines, ""]


if __name__ == "__main__":
    if find_ptxas() is None:
        sys.exit("ptxas (CUDA toolkit, or the extra gpu-test) is not installed")
    PAGE.write_text(page(Path(sys.argv[1]), sys.argv[2:]))
