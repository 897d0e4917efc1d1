"""Writes docs/ablation.md, and keeps the measurements of an interrupted run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.ablation import tables
from bench.models.store import write

_PAGE = """# Ablation

The gain of each graph pass, of fusion and of the memory planner. Measured on {machine}, {threads},
load {load:.2f} at the start; repeat with `{command}`.

- A pass is disabled wherever it occurs in `graph-optimize` and `lower-graph`
  (`mlc compile --disable-pass=NAME`), all else is unchanged. Ratios are without the pass over with it:
  above 1 the pass is a gain.
- Kernels: different ones that `@main` launches. Moved bytes: operands and results of all launches. FLOP: two
  per multiply-accumulate, one per element of other ops. Arena: the memory for all values between kernels; its
  bound is the largest sum of bytes that are live at once.
- Latency: programs of a model run in separate processes, their calls interleaved; ratios are computed round
  by round, and shown as median (lowest to highest). Programs that a pass does not change are not timed.

## Passes

Geometric means over the models whose program the pass changes.

{summary}

## Fusion

The same schedules and layouts with each op as a separate kernel
(`--replace-pass='graph-form-kernels=graph-form-kernels{{fuse=false}}'`).

{fusion}

## Memory planner

The arena of `@main` compared with the lower bound, and with a separate buffer for the result of each launch.

{planner}

## Optimizer

Seconds of the import and of each graph-level pipeline, one thread, medians{repetitions}. `@prepare` computes
on the weights; its time is that of the program's first load.

{optimizer}

## Passes by model

{details}
"""


def page(data: dict[str, Any]) -> str:
    """Returns the text of the page from the results of a run."""
    models, machine = data["models"], data["machine"]
    return _PAGE.format(
        machine=f"{machine['processor']}, {machine['cpus']} CPUs",
        threads="1 thread" if data["threads"] == 1 else f"{data['threads']} threads",
        load=machine["load_average"],
        command=data["command"],
        repetitions=f" of {data['repetitions']} runs" if data["repetitions"] > 1 else "",
        summary=tables.summary(models, data["passes"]),
        fusion=tables.fusion(models),
        planner=tables.planner(models),
        optimizer=tables.optimizer(data["optimizer"], models),
        details=tables.details(models, data["passes"]),
    )


def store(path: Path, data: dict[str, Any]) -> None:
    """Writes the results of a run."""
    write(path, lambda temporary: temporary.write_text(json.dumps(data, indent=1) + "\n"))


def load(path: Path, fresh: dict[str, Any]) -> dict[str, Any]:
    """Reads the results of an interrupted run of the same compiler, else returns `fresh`."""
    found = json.loads(path.read_text()) if path.is_file() else {}
    kept = ("models", "optimizer", "machine")
    if found.get("compiler") != fresh["compiler"]:
        return fresh
    return {**fresh, **{name: found[name] for name in kept}}
