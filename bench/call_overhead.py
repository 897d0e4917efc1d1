"""Measures the overhead of a call of a small model, from C and from Python: `python -m bench.call_overhead`.

All callers run in one process on one thread; batches of calls are interleaved.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np

from bench import models
from bench.entry import CEntry

Batch = Callable[[int], None]


def in_python(call: Callable[..., Any], *arguments: Any) -> Batch:
    """Returns a batch of Python calls."""

    def batch(calls: int) -> None:
        """Calls the function `calls` times."""
        for _ in repeat(None, calls):
            call(*arguments)

    return batch


def measure(
    callers: dict[str, Batch], rounds: int, calls: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Returns the microseconds per call of every batch, by caller. One batch of each warms up before."""
    for batch in callers.values():
        batch(calls)
    times: dict[str, list[float]] = {name: [] for name in callers}
    for _ in range(rounds):
        for name, batch in callers.items():
            start = clock()
            batch(calls)
            times[name].append((clock() - start) / calls * 1e6)
    return times


def calls_within(batch: Batch, seconds: float) -> int:
    """Returns how many calls, at least one, take about `seconds`. A few calls warm up before."""
    batch(3)
    start = time.perf_counter()
    batch(1)
    return max(1, int(seconds / (time.perf_counter() - start)))


def median_ratio(times: dict[str, list[float]], caller: str, other: str) -> float:
    """Returns the median over the rounds of one caller's time over another's, in which drifts of the clock
    cancel."""
    return statistics.median(one / two for one, two in zip(times[caller], times[other], strict=True))


def table(times: dict[str, list[float]]) -> str:
    """Returns a Markdown table with the median and the fastest batch."""
    lines = ["| caller | median, us | fastest, us |", "|---|---|---|"]
    lines += [
        f"| {name} | {statistics.median(found):.2f} | {min(found):.2f} |" for name, found in times.items()
    ]
    return "\n".join(lines)


def _mlc_callers(path: str, inputs: dict[str, np.ndarray]) -> dict[str, Batch]:
    import mlc

    executable = mlc.compile(path, threads=1)
    arrays = [inputs[spec.name] for spec in executable.inputs]
    outputs = executable(*arrays)
    return {
        "mlc, C entry": CEntry(executable, arrays, outputs),
        "mlc, Python, positional": in_python(executable, *arrays),
        "mlc, Python, dict": in_python(executable, inputs),
    }


def _onnxruntime_callers(path: str, inputs: dict[str, np.ndarray]) -> dict[str, Batch]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in inputs.items():
        binding.bind_cpu_input(name, array)
    for output in session.get_outputs():
        binding.bind_output(output.name)
    return {
        "onnxruntime, bound inputs": in_python(session.run_with_iobinding, binding),
        "onnxruntime, run": in_python(session.run, None, inputs),
    }


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.call_overhead", description=__doc__)
    parser.add_argument("--model", default="mlp_small_b1")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--calls", type=int, default=2000, help="calls per batch")
    parser.add_argument("--cpu", type=int, default=0, help="the CPU to pin to")
    parser.add_argument("--quick", action="store_true", help="shows that it works, measures nothing")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, [arguments.cpu])
    try:
        path = str(models.model_path(arguments.model))
    except FileNotFoundError as error:
        sys.exit(f"call_overhead: {error}")
    inputs = models.inputs(arguments.model)
    callers = _mlc_callers(path, inputs) | _onnxruntime_callers(path, inputs)
    rounds, calls = (2, 10) if arguments.quick else (arguments.rounds, arguments.calls)
    print(table(measure(callers, rounds, calls)))


if __name__ == "__main__":
    main()
