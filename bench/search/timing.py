"""Times candidates beside the default schedule, in a worker process: a bad candidate may crash it."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bench import measure, models, summary
from bench.engines import mlc_kernel

# Largest error, against the default's results, of a candidate that computes the same.
TOLERANCE = 1e-3


@cache
def _kernels(
    path: Path, threads: int, options: tuple[str, ...]
) -> tuple[mlc_kernel.Kernels, list[np.ndarray]]:
    """The model's kernels, and the results of the program as compiled."""
    kernels = mlc_kernel.load(path, threads, options)
    kernels.run_whole(_inputs(path))
    return kernels, [output.copy() for output in kernels.outputs]


def _inputs(path: Path) -> dict[str, np.ndarray]:
    return models.inputs(path.stem, 0, path.parent)


def time_candidates(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"model", "kernel", "objects", "cpus", "options", "budget"} -> {"times"}.

    First that of the default, then one for each object: of one turn, as `bench.measure.time_calls` gives
    it, or "error" where the results are wrong. The process is pinned to "cpus".
    """
    os.sched_setaffinity(0, payload["cpus"])
    budget = measure.RoundBudget(**payload["budget"])
    kernels, expected = _kernels(Path(payload["model"]), len(payload["cpus"]), tuple(payload["options"]))
    times = [measure.time_calls(lambda: kernels({}), budget)]
    for data in payload["objects"]:
        times.append(_time(kernels, expected, Path(payload["model"]), {payload["kernel"]: data}, budget))
    return {"times": times}


def _time(
    kernels: mlc_kernel.Kernels,
    expected: list[np.ndarray],
    path: Path,
    replaced: dict[str, bytes],
    budget: measure.RoundBudget,
) -> dict[str, Any]:
    for output in kernels.outputs:
        output[:] = 0
    kernels.run_whole(_inputs(path), replaced)
    try:
        pairs = [[array.view(np.float32) for array in arrays] for arrays in (kernels.outputs, expected)]
        error = max(summary.relative_errors(*pairs))
    except ValueError as failure:
        return {"error": str(failure)}
    if error > TOLERANCE:
        return {"error": f"wrong results: error {error:.2g}"}
    image = kernels.image(replaced)
    return measure.time_calls(lambda: kernels.run(image), budget)
