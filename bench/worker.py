"""Runs one engine with one model in a separate process, driven by lines of JSON.

    python -m bench.worker ENGINE[:OPTION]... MODEL.onnx THREADS CPU,CPU

Every request is a line on standard input, every reply a line on standard output:

    {"command": "load", "inputs": "in.npz"}
    {"command": "outputs", "inputs": "in.npz", "outputs": "out.npz"}
    {"command": "time", "budget": {...}}

A reply has the results, or "error". The engine's output goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from bench import engines, measure
from bench.tensor_files import load_tensors, save_tensors


class EngineWorker:
    """The state of the process: the loaded engine and the inputs that are timed."""

    def __init__(self, engine: str, model: Path, threads: int) -> None:
        self.variant = engines.EngineVariant.parse(engine)
        self.model = model
        self.threads = threads
        self.call: engines.Call
        self.inputs: dict[str, np.ndarray]

    def load(self, inputs: str) -> dict[str, Any]:
        """Imports, loads and calls once; returns the seconds of each. `ready_s` is load and first call."""
        self.inputs = load_tensors(inputs)
        base = measure.peak_memory_mb()
        marks = [time.perf_counter()]
        engine = engines.find(self.variant.name)
        marks.append(time.perf_counter())
        self.call = engines.load(engine, self.variant, self.model, self.threads)
        marks.append(time.perf_counter())
        self.call(self.inputs)
        marks.append(time.perf_counter())
        imported, loaded, called = np.diff(marks).tolist()
        return {
            "version": engine.version(),
            "import_s": imported,
            "load_s": loaded,
            "first_call_s": called,
            "ready_s": loaded + called,
            "base_mb": base,
            "process_peak_mb": measure.peak_memory_mb(),
            "facts": engine.facts(self.call) if hasattr(engine, "facts") else {},
        }

    def outputs(self, inputs: str, outputs: str) -> dict[str, Any]:
        """Calls once and writes the results, in order."""
        found = engines.as_list(self.call(load_tensors(inputs)))
        save_tensors(Path(outputs), {f"{index:04}": array for index, array in enumerate(found)})
        return {}

    def time(self, budget: dict[str, Any]) -> dict[str, Any]:
        """Measures one round."""
        return measure.time_calls(lambda: self.call(self.inputs), measure.RoundBudget(**budget))


def _answer(worker: EngineWorker, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return getattr(worker, request.pop("command"))(**request)
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Serves the requests on standard input."""
    engine, model, threads, cpus = sys.argv[1:]
    os.sched_setaffinity(0, [int(cpu) for cpu in cpus.split(",")])
    # Replies have the pipe for themselves; the engine's output goes to the log.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker = EngineWorker(engine, Path(model), int(threads))
    for line in sys.stdin:
        print(json.dumps(_answer(worker, json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
