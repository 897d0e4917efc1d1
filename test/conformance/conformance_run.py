"""Runs ONNX's backend test suite: `python test/conformance/conformance_run.py --variant static --jobs 2`.

Each case runs in a worker process, so that a crash or a hang is a result as others are. What mlc does is
compared with the record of the variant, test/conformance/recorded/VARIANT.txt, which names the cases that do
not pass. Exit status: 1 if a case that passed does not any more, or one that was refused now goes wrong; 2 if
nothing could be run.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import conformance_record as records
from conformance_engine import Setup
from conformance_groups import group_cases
from conformance_outcome import Outcome
from conformance_page import write_page
from conformance_pool import Pool
from conformance_report import change_lines, summary

from mlc.tools.cases.suite import CATEGORIES, SuiteCase, suite_cases
from mlc.tools.cases.worker import WorkerError

_MLC = Path(__file__).parent / "engines" / "mlc_engine.py"
_PROGRESS = 100  # cases between two lines of progress


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.engine != _MLC and given.record and given.records == records.RECORDS:
        parser.error("the record is mlc's: give another engine's a folder with --records")
    cases = suite_cases()
    if given.report:
        print(f"wrote {write_page(cases, given.records)}")
        return 0
    path = given.records / f"{given.variant}.txt"
    record = records.read(path) if given.engine == _MLC or given.records != records.RECORDS else None
    chosen = _select(cases, record, given)
    if not chosen:
        print("conformance: no case fits", file=sys.stderr)
        return 2
    try:
        outcomes = _run(chosen, {case.name: case for case in cases}, given)
    except WorkerError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    print(summary(outcomes, group_cases(chosen)))
    if given.json:
        given.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=0))
    if given.record:
        names = [case.name for case in cases]
        records.write(path, records.merge(record, outcomes, names), given.variant)
        print(f"wrote {path}")
        if given.records == records.RECORDS:
            print(f"wrote {write_page(cases, given.records)}")
        return 0
    return _compare(record, outcomes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--variant",
        choices=records.VARIANTS,
        default="static",
        help="inputs as they are, constant, of unknown sizes",
    )
    add(
        "--filter",
        type=re.compile,
        default=re.compile(""),
        help="only cases whose name this expression finds",
    )
    add("--category", action="append", choices=CATEGORIES, help="only cases of these categories")
    add("--passing", action="store_true", help="only cases that the record does not name")
    add("--failing", action="store_true", help="only cases that the record names")
    add("--every", type=int, default=1, metavar="N", help="only every N-th of the cases")
    add("--jobs", type=int, default=2, help="worker processes")
    add("--timeout", type=float, default=60.0, help="seconds for a case")
    add("--json", type=Path, metavar="FILE", help="write the outcomes")
    add("--record", action="store_true", help="record the cases that did not pass, instead of comparing")
    add("--report", action="store_true", help="write docs/conformance.md from the records; runs nothing")
    add(
        "--engine",
        type=Path,
        default=_MLC,
        metavar="FILE",
        help="another engine, which has no record",
    )
    add("--records", type=Path, default=records.RECORDS, metavar="FOLDER", help="other records")
    add("--log", type=Path, metavar="FILE", help="append what the engine prints")
    return parser


def _select(
    cases: list[SuiteCase], record: records.Record | None, given: argparse.Namespace
) -> list[SuiteCase]:
    fitting = [case for case in cases if given.filter.search(case.name)]
    if given.category:
        fitting = [case for case in fitting if case.category in given.category]
    if given.passing:
        fitting = [case for case in fitting if case.name not in (record or {})]
    if given.failing:
        fitting = [case for case in fitting if case.name in (record or {})]
    return fitting[:: given.every]


def _run(chosen: list[SuiteCase], cases: dict[str, SuiteCase], given: argparse.Namespace) -> list[Outcome]:
    pool = Pool(Setup(given.engine, given.variant, cases, given.log), given.jobs, given.timeout)
    outcomes, began = [], time.monotonic()
    for outcome in pool.run(chosen):
        outcomes.append(outcome)
        if len(outcomes) % _PROGRESS == 0:
            seconds = time.monotonic() - began
            print(f"{len(outcomes)} of {len(chosen)} cases, {seconds:.0f} s", file=sys.stderr, flush=True)
    print(f"{pool.engine}, {given.variant}: {len(outcomes)} cases in {time.monotonic() - began:.0f} s")
    return outcomes


def _compare(record: records.Record | None, outcomes: list[Outcome]) -> int:
    if record is None:
        return 0
    changes = records.changes(record, outcomes)
    print("\n".join(change_lines(changes)) or "as recorded")
    return int(changes.bad)


if __name__ == "__main__":
    # Without this, the workers would outlive a termination.
    signal.signal(signal.SIGTERM, lambda signum, frame: sys.exit(128 + signum))
    sys.exit(main())
