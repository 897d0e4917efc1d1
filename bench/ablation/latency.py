"""Latencies of variants of one model in separate processes, relative to the program with all passes."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench import models, summary
from bench.ablation.variants import DEFAULT, AblationVariant
from bench.cell import BenchCell, CellError, Key
from bench.measure import RoundBudget
from bench.summary import Record
from bench.tensor_files import save_tensors

TIMEOUT = 900.0


@dataclass(frozen=True)
class LatencySettings:
    """Settings of a measurement: `together` variants are loaded at one time, besides the program with all
    passes."""

    rounds: int
    budget: RoundBudget
    cpus: list[int]
    cache: Path
    logs: Path
    together: int = 4
    built: Path = models.BUILD


def measure(model: str, variants: Sequence[AblationVariant], settings: LatencySettings) -> dict[str, Record]:
    """Returns by variant "latency" (as `summary.latency`) and, except for the first, "ratio" to it in the
    same rounds; or "error". The first of `variants` is the program with all passes.
    """
    found: dict[str, Record] = {}
    first, rest = variants[0], variants[1:]
    for start in range(0, max(len(rest), 1), settings.together):
        group = _group(model, [first, *rest[start : start + settings.together]], settings)
        found = {**group, **found}
    return found


def _group(model: str, variants: Sequence[AblationVariant], settings: LatencySettings) -> dict[str, Record]:
    with ExitStack() as stack:
        inputs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-"))) / "inputs.npz"
        save_tensors(inputs, models.inputs(model, 0, settings.built))
        loaded = {variant.name: _load(stack, model, variant, inputs, settings) for variant in variants}
        cells = {name: entry for name, entry in loaded.items() if isinstance(entry, _Loaded)}
        rounds = _rounds(cells, settings)
    errors = {name: {"error": entry} for name, entry in loaded.items() if isinstance(entry, str)}
    return {**errors, **{name: _record(name, rounds, cells[name].seconds) for name in rounds}}


@dataclass(frozen=True)
class _Loaded:
    cell: BenchCell
    seconds: Record


def _load(
    stack: ExitStack, model: str, variant: AblationVariant, inputs: Path, settings: LatencySettings
) -> _Loaded | str:
    """Compiles the variant in a process and calls it once; returns a message if that fails."""
    for folder in (settings.logs, settings.cache):
        folder.mkdir(parents=True, exist_ok=True)
    cell = BenchCell(
        Key(model, variant.engine, len(settings.cpus)),
        models.model_path(model, settings.built).resolve(),
        settings.cpus,
        python=sys.executable,
        cache=settings.cache.resolve(),
        log=settings.logs / f"{model}-{variant.name.replace(' ', '-')}.log",
    )
    try:
        reply = stack.enter_context(cell).load(inputs, TIMEOUT)
    except CellError as error:
        return " ".join(str(error).split())
    return _Loaded(cell, reply["facts"]["seconds"])


def _rounds(cells: dict[str, _Loaded], settings: LatencySettings) -> dict[str, list[Record]]:
    """Times every variant once in every round; the order rotates from round to round."""
    found: dict[str, list[Record]] = {name: [] for name in cells}
    names = list(cells)
    for index in range(settings.rounds if names else 0):
        shift = index % len(names)
        for name in names[shift:] + names[:shift]:
            request = {"command": "time", "budget": settings.budget.as_dict()}
            found[name].append(cells[name].cell.request(TIMEOUT, **request))
    return found


def _record(name: str, rounds: dict[str, list[Record]], seconds: Record) -> Record:
    record: Record = {"latency": summary.latency(rounds[name])}
    if name == DEFAULT:
        return {**record, "prepare_seconds": seconds.get("prepare", 0.0)}
    return {**record, "ratio": summary.ratio(rounds[name], rounds[DEFAULT])} if DEFAULT in rounds else record
