"""Measure kernels alone against the machine's limits, interleaved.

Prints one Markdown table and stores it, with all measurements as JSON. The kernels are those of compiled
models of one operator, whose results are compared with ONNX Runtime.
"""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import os
import sys
import time
from pathlib import Path

from bench import machine, run
from bench.__main__ import LOGS, QUICK, RESULTS, store
from bench.kernels import measure, tables
from bench.kernels.case import KernelCase
from bench.kernels.products import convolutions, products
from bench.kernels.streams import WORKING_SET, last_level_bytes, streams
from bench.measure import RoundBudget
from bench.summary import Record
from mlc.compiler import Options
from mlc.pipelines.grammar import PipelineError


def cases(least_bytes: int) -> list[KernelCase]:
    """Returns all kernels; memory-bound ones move `least_bytes` or more."""
    return [*products(), *convolutions(), *streams(least_bytes)]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.kernels", description=__doc__)
    parser.add_argument(
        "--only", default="*", metavar="PATTERN,...", help="kernels or groups by name, * stands for anything"
    )
    parser.add_argument("--list", action="store_true", help="list the kernels and exit")
    parser.add_argument(
        "--disable-pass",
        action="append",
        default=[],
        metavar="NAME",
        help="a further column: the compiler without this pass; may be repeated",
    )
    parser.add_argument("--threads", type=_integers, metavar="N,...", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5, help="rounds, in which each is measured once")
    parser.add_argument("--seconds", type=float, default=0.3, help="seconds per measurement")
    parser.add_argument("--quick", action="store_true", help="shows that it works, measures nothing")
    parser.add_argument("--cpus", type=_integers, metavar="N,...", help="CPUs to pin to; default: all")
    parser.add_argument("--cache", type=Path, help="compile cache to use; default: empty ones")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="DIR", help="default: %(default)s")
    arguments = parser.parse_args()
    arguments.cpus = arguments.cpus or sorted(os.sched_getaffinity(0))
    return arguments


def _integers(text: str) -> list[int]:
    return [int(value) for value in text.split(",")]


def select(found: list[KernelCase], patterns: str) -> list[KernelCase]:
    """Returns the cases whose name or group matches one of the comma-separated patterns."""
    return [
        case
        for case in found
        if any(
            fnmatch.fnmatch(text, pattern)
            for pattern in patterns.split(",")
            for text in (case.name, case.group)
        )
    ]


def _settings(arguments: argparse.Namespace) -> run.RunSettings:
    return run.RunSettings(
        rounds=arguments.rounds,
        seeds=1,
        budget=QUICK if arguments.quick else RoundBudget(warm_up=0.1, seconds=arguments.seconds, calls=3),
        cpus=arguments.cpus,
        timeout=600.0,
        pythons={},
        logs=LOGS,
        cache=arguments.cache,
    )


def _check(arguments: argparse.Namespace, chosen: list[KernelCase]) -> None:
    """Raises ValueError or PipelineError for what cannot be run."""
    Options(disable_passes=arguments.disable_pass).graph_pipelines()
    if not chosen:
        raise ValueError(f"no kernel matches '{arguments.only}'; --list shows them")
    if max(arguments.threads) > len(arguments.cpus) or min(arguments.threads) < 1:
        raise ValueError(f"threads must be 1 to {len(arguments.cpus)}, the number of CPUs")


def main() -> int:
    """Runs the command line; returns the exit status."""
    arguments = _arguments()
    cache = last_level_bytes()
    chosen = select(cases(WORKING_SET * cache), arguments.only)
    if arguments.list:
        print("\n".join(f"{case.group:12} {case.name}" for case in chosen))
        return 0
    try:
        _check(arguments, chosen)
        arguments.output.mkdir(parents=True, exist_ok=True)
    except (ValueError, OSError, PipelineError) as error:
        print(f"kernels: {error}", file=sys.stderr)
        return 2
    columns = ["", *(f":disable-pass={name}" for name in arguments.disable_pass)]
    settings, described = _settings(arguments), machine.describe()
    stem = arguments.output / time.strftime("kernels-%Y%m%d-%H%M%S")
    rows: list[Record] = []
    text = ""
    for case, threads in itertools.product(chosen, arguments.threads):
        print(f"{case.name}, {threads} threads", file=sys.stderr)
        rows.append(measure.measure(case, columns, threads, WORKING_SET * cache, settings))
        # Stored after every kernel, so that what was measured survives an interruption.
        results = measure.results(rows, columns, described)
        text = tables.markdown(results)
        store(results, text, stem)
    print(text)
    return 1 if any("error" in entry for row in rows for entry in row["columns"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
