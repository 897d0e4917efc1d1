"""Measures what checks cost on models of the zoo: of indices in calls, of files on loading."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

import mlc
from bench import machine
from bench.call_overhead import calls_within, in_python, measure, median_ratio
from bench.zoo.draw import draw
from bench.zoo.model import Model, Sizes

ROUNDS = 15
# The duration of a batch of calls of one program.
BATCH_SECONDS = 0.05


def measure_costs(model: Model, sizes: Sizes, folder: Path, threads: int) -> dict[str, Any]:
    """Measures the general program of a model.

    Returns:
        "index_checks": the latency of a call with checked indices and divisors over the one without, the
        median over rounds in which batches of both are interleaved, or None where the model needs no checks;
        "load_ms": the medians of loading its file, the weights verified and not, each with a first call;
        "file_mb"; the sizes and threads of the call, and the processor.
    """
    inputs = draw(model, sizes)

    def compile_model(unchecked: bool) -> mlc.Executable:
        path = folder / model.file
        return mlc.compile(path, threads=threads, specialise="off", unchecked_indices=unchecked)

    checked = compile_model(False)
    report = checked.manifest["report"]
    has_checks = report["index_checks"] + report["divisor_checks"] > 0
    ratio = _ratio(checked, compile_model(True), inputs) if has_checks else None
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "model.mlcx"
        checked.save(file)
        load_ms = {
            name: round(_load_ms(file, verify, inputs, threads), 3)
            for name, verify in (("unverified", False), ("verified", True))
        }
        file_mb = round(file.stat().st_size / 1e6, 1)
    return {
        "sizes": dict(sizes),
        "threads": threads,
        "processor": machine.describe()["processor"],
        "index_checks": ratio,
        "load_ms": load_ms,
        "file_mb": file_mb,
    }


def _ratio(checked: mlc.Executable, unchecked: mlc.Executable, inputs: dict[str, Any]) -> float:
    callers = {"unchecked": in_python(unchecked, inputs), "checked": in_python(checked, inputs)}
    times = measure(callers, ROUNDS, calls_within(callers["checked"], BATCH_SECONDS))
    return round(median_ratio(times, "checked", "unchecked"), 3)


def _load_ms(file: Path, verify: bool, inputs: dict[str, Any], threads: int) -> float:
    def load_and_call() -> None:
        mlc.Executable.load(file, threads=threads, verify=verify)(inputs)

    times = measure({"load": in_python(load_and_call)}, ROUNDS, 1)
    return statistics.median(times["load"]) / 1e3
