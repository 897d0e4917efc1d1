"""Measures cells interleaved: all engines of a model stay loaded.

With interleaving, a drift of the clock or of the machine's load affects all engines equally.
"""

from __future__ import annotations

import itertools
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench import engines, environments, models, summary
from bench.cell import BenchCell, CellError, Key
from bench.measure import RoundBudget
from bench.models import reference
from bench.summary import Record
from bench.tensor_files import load_tensors, save_tensors


@dataclass(frozen=True)
class RunSettings:
    """Settings of a measurement.

    An engine runs in its interpreter of `pythons`, else in the one of its environment in `environments`, else
    in this one. Outputs whose error is over `tolerance` are wrong; engines in `unchecked` compute no outputs.
    """

    rounds: int
    seeds: int
    budget: RoundBudget
    cpus: list[int]
    timeout: float
    pythons: dict[str, str]
    logs: Path
    directory: Path = models.BUILD
    environments: Path = environments.FOLDER
    cache: Path | None = None
    tolerance: float = 0.05
    unchecked: Sequence[str] = ()

    def python(self, engine: str) -> str:
        """Returns the interpreter for `engine`, a name without options."""
        return self.pythons.get(engine) or environments.python(engine, self.environments) or sys.executable


@dataclass(frozen=True)
class Subject:
    """A model to measure: its file, the names of its outputs, and its inputs for every seed."""

    name: str
    path: Path
    outputs: Sequence[str]
    inputs: Sequence[Mapping[str, np.ndarray]]


@dataclass
class _Running:
    """A worker and its measurements."""

    cell: BenchCell
    record: Record
    rounds: list[Record] = field(default_factory=list)

    def attempt(self, action: Callable[[], Record | None]) -> Record | None:
        """Runs `action` unless the cell failed before, and records a failure."""
        if "error" in self.record:
            return None
        try:
            return action()
        except (CellError, ValueError) as error:
            self.record["error"] = str(error)
            return None


def run_group(
    model: str, names: Sequence[str], threads: Sequence[int], settings: RunSettings
) -> list[Record]:
    """Measures `model` on every engine of `names` with each thread count, all in the same rounds.

    Returns one record each, with "error" if it failed.
    """
    path = models.model_path(model, settings.directory)
    inputs = [models.inputs(model, seed, settings.directory) for seed in range(settings.seeds)]
    outputs = models.manifest(settings.directory)[model]["outputs"]
    return run_subject(Subject(model, path, outputs, inputs), names, threads, settings)


def run_subject(
    subject: Subject, names: Sequence[str], threads: Sequence[int], settings: RunSettings
) -> list[Record]:
    """Measures a model as `run_group` does."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        expected = _compute_expected(subject, scratch)
        running = []
        for name, count in itertools.product(names, threads):
            entry = _start(stack, subject, Key(subject.name, name, count), settings, scratch)
            running.append(entry)
            entry.attempt(lambda entry=entry: _prepare(entry, subject, expected, settings, scratch))
        _interleave(running, settings)
        return [_finish(entry) for entry in running]


def _compute_expected(subject: Subject, scratch: Path) -> list[list[np.ndarray]]:
    """Writes the inputs of every seed and returns ONNX Runtime's outputs for them."""
    found = []
    for seed, inputs in enumerate(subject.inputs):
        save_tensors(scratch / f"{seed}.npz", inputs)
        found.append(engines.as_list(reference.run(subject.path, inputs)))
    return found


def _start(stack: ExitStack, subject: Subject, key: Key, settings: RunSettings, scratch: Path) -> _Running:
    label = re.sub(r"[^\w.-]", "_", key.engine)
    cache = (settings.cache or scratch / f"cache-{label}-{key.threads}").resolve()
    cache.mkdir(parents=True, exist_ok=True)
    settings.logs.mkdir(parents=True, exist_ok=True)
    log = settings.logs / f"{key.model.replace('/', '-')}-{label}-{key.threads}.log"
    path = subject.path.resolve()
    python = settings.python(engines.EngineVariant.parse(key.engine).name)
    cell = stack.enter_context(
        BenchCell(key, path, settings.cpus[: key.threads], python=python, cache=cache, log=log)
    )
    return _Running(cell, {"model": key.model, "engine": key.engine, "threads": key.threads})


def _prepare(
    entry: _Running,
    subject: Subject,
    expected: Sequence[Sequence[np.ndarray]],
    settings: RunSettings,
    scratch: Path,
) -> None:
    """Loads the engine and compares its outputs for every seed."""
    entry.record["ready"] = entry.cell.load(scratch / "0.npz", settings.timeout)
    if engines.EngineVariant.parse(entry.cell.key.engine).name in settings.unchecked:
        return
    errors = [_compare(entry.cell, scratch, seed, outputs, settings) for seed, outputs in enumerate(expected)]
    entry.record["errors"] = dict(zip(subject.outputs, map(max, zip(*errors, strict=True)), strict=True))
    worst = max(entry.record["errors"].values())
    if not worst <= settings.tolerance:
        raise ValueError(f"wrong results: error {worst:.2g} against ONNX Runtime")


def _compare(
    cell: BenchCell, scratch: Path, seed: int, expected: Sequence[np.ndarray], settings: RunSettings
) -> list[float]:
    target = scratch / "outputs.npz"
    cell.request(
        settings.timeout, command="outputs", inputs=str(scratch / f"{seed}.npz"), outputs=str(target)
    )
    return summary.relative_errors(list(load_tensors(target).values()), expected)


def _interleave(running: list[_Running], settings: RunSettings) -> None:
    """Times every engine once in every round; the order rotates from round to round."""
    budget = settings.budget.as_dict()
    for index in range(settings.rounds):
        shift = index % len(running)
        for entry in running[shift:] + running[:shift]:
            measured = entry.attempt(
                lambda entry=entry: entry.cell.request(settings.timeout, command="time", budget=budget)
            )
            if measured is not None:
                entry.rounds.append(measured)


def _finish(entry: _Running) -> Record:
    if "error" not in entry.record:
        entry.record["rounds"] = entry.rounds
        entry.record["latency"] = summary.latency(entry.rounds)
    return entry.record


def results(
    records: list[Record],
    baseline: str,
    machine: dict[str, Any],
    skipped: Mapping[str, str] | None = None,
    together: bool = False,
) -> dict[str, Any]:
    """Returns everything that is stored: machine, records and ratios, and the reasons of skipped engines.

    `together`: all thread counts were measured in the same rounds.
    """
    versions = {record["engine"]: record["ready"]["version"] for record in records if "ready" in record}
    return {
        "machine": {**machine, "versions": versions},
        "baseline": baseline,
        "skipped": dict(skipped or {}),
        "together": together,
        "records": records,
        "ratios": summary.ratios(records, baseline),
        "against_peers": summary.against_peers(records),
    }
