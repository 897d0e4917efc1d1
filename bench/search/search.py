"""Searches the schedules of one kernel."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.engines.mlc import compiler_options
from bench.engines.mlc_kernel import only_moves
from bench.measure import RoundBudget
from bench.search.space import SchedulePoint, Shape, sample
from bench.summary import Record
from mlc.codegen.errors import CodegenError
from mlc.codegen.pool import WorkerPool
from mlc.compiler.compilation_units import Units
from mlc.compiler.levels import units_of

TIMEOUT = 300.0
# Candidates per job of the process that times; a crash loses a job.
TOGETHER = 10
FINALISTS = 8


@dataclass(frozen=True)
class SearchSettings:
    """Settings of a search: `samples` schedules from `seed`, first all for `budget`, then the best in
    `rounds`.

    `options` are those of `mlc compile`, without the dashes.
    """

    samples: int
    seed: int
    cpus: list[int]
    jobs: int
    budget: RoundBudget
    rounds: int
    final_budget: RoundBudget
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchedKernel:
    """The one kernel of a model that computes, with the text of its module."""

    name: str
    text: str
    target: str


def kernel_of(path: Path, options: Sequence[str] = ()) -> SearchedKernel:
    """Returns the kernel of a model. Raises ValueError unless exactly one kernel computes."""
    units: Units = units_of(path, compiler_options(options))["main"]
    names = [name for name, text in units.kernels.items() if not only_moves(text)]
    if len(names) != 1:
        raise ValueError(f"{len(names)} kernels compute, not 1: {', '.join(names)}")
    return SearchedKernel(names[0], units.kernels[names[0]], str(units.path.target))


def search(path: Path, settings: SearchSettings) -> Record:
    """Compares the default schedule with the best sampled one; or returns "error"."""
    try:
        kernel = kernel_of(path, settings.options)
        with WorkerPool(settings.jobs, preload=["bench.search.candidate"]) as pool:
            described = pool.submit(
                "bench.search.candidate:describe", {"text": kernel.text}, TIMEOUT
            ).result()
            if not described:
                return {"error": "the kernel has no contraction's schedule"}
            choices = _sample(described, settings)
            _progress(f"compile {len(choices)} schedules")
            objects = list(_compile(pool, kernel, choices))
        _progress("time them")
        whole = len(choices) < settings.samples
        return {**described, "whole_space": whole, **_measure(path, kernel, choices, objects, settings)}
    except (ValueError, CodegenError) as error:
        return {"error": str(error)}


def _sample(described: Record, settings: SearchSettings) -> list[SchedulePoint]:
    fields = described["shape"]
    shape = Shape(**{**fields, "outer": tuple(fields["outer"]), "reductions": tuple(fields["reductions"])})
    # One more, as the default may be among them.
    found = sample(shape, described["lanes"], described["registers"], settings.samples + 1, settings.seed)
    default = SchedulePoint.from_dict(described["default"])
    return [choice for choice in found if choice != default][: settings.samples]


def _progress(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def _compile(
    pool: WorkerPool, kernel: SearchedKernel, choices: Sequence[SchedulePoint]
) -> Iterator[bytes | str]:
    """Yields the object of each choice, or a message if it does not compile."""
    base = {"text": kernel.text, "target": kernel.target}
    futures = [
        pool.submit("bench.search.candidate:compile_candidate", base | {"choice": choice.as_dict()}, TIMEOUT)
        for choice in choices
    ]
    for future in futures:
        try:
            yield future.result()["object"]
        except CodegenError as error:
            yield str(error)


def _measure(
    path: Path,
    kernel: SearchedKernel,
    choices: Sequence[SchedulePoint],
    objects: Sequence[bytes | str],
    settings: SearchSettings,
) -> Record:
    """Times all candidates once, then the best of them and the default in rounds."""
    compiled = {index: data for index, data in enumerate(objects) if isinstance(data, bytes)}
    errors = [data for data in objects if isinstance(data, str)]
    ratios: dict[int, float] = {}
    with WorkerPool(1, preload=["bench.search.timing"]) as pool:
        for index, times in _once(pool, path, kernel, compiled, settings):
            if "error" in times:
                errors.append(times["error"])
            else:
                ratios[index] = times["ratio"]
        best = sorted(ratios, key=lambda index: ratios[index])[:FINALISTS]
        final = _rounds(pool, path, kernel, [compiled[index] for index in best], settings)
    return {
        "sampled": len(choices),
        "timed": len(ratios),
        "slower_than_default": sum(ratio > 1 for ratio in ratios.values()),
        "errors": errors,
        "candidates": [
            {"choice": choices[index].as_dict(), "ratio": ratios[index]} for index in sorted(ratios)
        ],
        **_final(final, [choices[index] for index in best]),
    }


def _once(
    pool: WorkerPool, path: Path, kernel: SearchedKernel, compiled: dict[int, bytes], settings: SearchSettings
) -> Iterator[tuple[int, Record]]:
    """Yields each candidate's time over that of the default in the same job, or "error"."""
    indices = list(compiled)
    for start in range(0, len(indices), TOGETHER):
        group = indices[start : start + TOGETHER]
        yield from zip(group, _job(pool, path, kernel, [compiled[i] for i in group], settings), strict=True)


def _job(
    pool: WorkerPool, path: Path, kernel: SearchedKernel, objects: Sequence[bytes], settings: SearchSettings
) -> list[Record]:
    """Returns a job's entries; after a crash the job is halved down to the candidate that causes it."""
    try:
        default, *times = _time(pool, path, kernel, objects, settings, settings.budget)
    except CodegenError as error:
        if len(objects) == 1:
            return [{"error": str(error)}]
        half = len(objects) // 2
        return [
            entry
            for part in (objects[:half], objects[half:])
            for entry in _job(pool, path, kernel, part, settings)
        ]
    return [
        entry if "error" in entry else {"ratio": entry["median_ms"] / default["median_ms"]} for entry in times
    ]


def _time(
    pool: WorkerPool,
    path: Path,
    kernel: SearchedKernel,
    objects: Sequence[bytes],
    settings: SearchSettings,
    budget: RoundBudget,
) -> list[Record]:
    payload: dict[str, Any] = {
        "model": str(path),
        "kernel": kernel.name,
        "objects": list(objects),
        "cpus": settings.cpus,
        "options": list(settings.options),
        "budget": budget.as_dict(),
    }
    return list(pool.submit("bench.search.timing:time_candidates", payload, TIMEOUT).result()["times"])


def _rounds(
    pool: WorkerPool, path: Path, kernel: SearchedKernel, objects: Sequence[bytes], settings: SearchSettings
) -> list[list[Record]]:
    """Returns by round the times of the default and of each finalist."""
    return [
        _time(pool, path, kernel, objects, settings, settings.final_budget)
        for _ in range(settings.rounds if objects else 0)
    ]


def _final(rounds: Sequence[Sequence[Record]], choices: Sequence[SchedulePoint]) -> Record:
    """Returns the best finalist with the default's time over its time, by rounds."""
    if not rounds:
        return {"error": "no sampled schedule can be timed"}
    ratios = [
        [round_[0]["median_ms"] / round_[1 + index]["median_ms"] for round_ in rounds]
        for index in range(len(choices))
    ]
    best = max(range(len(choices)), key=lambda index: statistics.median(ratios[index]))
    found = ratios[best]
    return {
        "best": choices[best].as_dict(),
        "default_ms": statistics.median(round_[0]["median_ms"] for round_ in rounds),
        "best_ms": statistics.median(round_[1 + best]["median_ms"] for round_ in rounds),
        "default_over_best": {"median": statistics.median(found), "low": min(found), "high": max(found)},
    }
