"""Measure short calls beside ONNX Runtime: one process, one thread, CPU time, interleaved.

python -m bench.operators tables                       # classifiers, encoders, texts
python -m bench.operators recurrent --only 'GRU*64*'   # of these names

Columns are the general program, whose dims are open, the one for the sizes of the call, and ONNX Runtime:
medians of microseconds of a call from Python, and the medians over rounds of the ratio to ONNX Runtime.
"""

from __future__ import annotations

import argparse
import fnmatch
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

import mlc
from bench.call_overhead import Batch, calls_within, measure, median_ratio
from bench.models.reference import session
from bench.operators import recurrent, tables
from bench.operators.case import Case

GROUPS = {"tables": tables.cases, "recurrent": recurrent.cases}
COLUMNS = ("call", "sizes", "general, us", "fixed, us", "ONNX Runtime, us", "general ratio", "fixed ratio")
BASELINE = "onnxruntime"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    given = _parser().parse_args(arguments)
    print(_line(COLUMNS), _line(["---"] * len(COLUMNS)), sep="\n")
    programs: tuple[Any, ...] = (None, None, None)
    for case in GROUPS[given.group]():
        if not fnmatch.fnmatch(f"{case.name}, {case.sizes}", given.only):
            continue
        if programs[0] is not case.model:
            general = mlc.compile(case.model, threads=1, specialise="off")
            programs = (case.model, general, session(case.model, threads=1))
        print(_row(case, programs[1], programs[2], given.rounds, given.seconds), flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.operators",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="calls whose name and sizes match")
    parser.add_argument("--rounds", type=int, default=15, help="rounds, in which each is measured once")
    parser.add_argument("--seconds", type=float, default=0.01, help="seconds per program and round")
    return parser


def _row(case: Case, general: Any, peer: Any, rounds: int, seconds: float) -> str:
    """Measures a call and returns its row of the table. Raises AssertionError for wrong results."""
    fixed = mlc.compile(case.model, threads=1, shapes=case.shapes)
    calls: dict[str, Callable[[Mapping[str, np.ndarray]], list[Any]]] = {
        "general": lambda given: general(*given.values()),
        "fixed": lambda given: fixed(*given.values()),
        BASELINE: lambda given: peer.run(None, given),
    }
    for given in case.inputs:
        expected = calls[BASELINE](given)
        for name in ("general", "fixed"):
            _check(calls[name](given), expected)
    batches = {name: _batch(call, case.inputs) for name, call in calls.items()}
    count = min(calls_within(batch, seconds) for batch in batches.values())
    times = measure(batches, rounds, count, time.process_time)
    ratios = [f"{median_ratio(times, name, BASELINE):.2f}" for name in ("general", "fixed")]
    return _line([case.name, case.sizes, *(f"{np.median(times[name]):.1f}" for name in calls), *ratios])


def _batch(call: Callable[[Any], Any], inputs: Sequence[Any]) -> Batch:
    given = cycle(inputs)

    def batch(calls: int) -> None:
        """Calls the program `calls` times, with one input after another."""
        for _ in range(calls):
            call(next(given))

    return batch


def _check(found: Sequence[Any], expected: Sequence[Any]) -> None:
    """Compares results: arrays, or lists of maps."""
    for one, other in zip(found, expected, strict=True):
        if isinstance(other, list):
            assert [row.keys() for row in one] == [row.keys() for row in other]
            _check(*([np.array([row[key] for key in other[0]]) for row in maps] for maps in (one, other)))
        elif other.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
        else:
            np.testing.assert_array_equal(one, other)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
