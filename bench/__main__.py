"""Compare engines on the model set, side by side.

Prints Markdown tables and stores them, with all measurements as JSON, in a folder. Build the models first:
python -m bench.models --light --direct.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from bench import available, environments, machine, models, run, tables
from bench.measure import RoundBudget
from bench.models.store import write

RESULTS = Path(__file__).parent / "results"
LOGS = Path(__file__).parent / "build" / "logs"
ALL = ("onnxruntime", "openvino", "iree", "tvm", "torch", "torch:compile", "xla", "mlc")
QUICK = RoundBudget(warm_up=0.0, seconds=0.05, calls=2, limit=1.0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    _add_subjects(parser.add_argument_group("what is compared"))
    _add_measurement(parser.add_argument_group("how it is measured"))
    _add_paths(parser.add_argument_group("where things are"))
    arguments = parser.parse_args()
    arguments.cpus = arguments.cpus or sorted(os.sched_getaffinity(0))
    return arguments


def _add_subjects(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--models", type=_names, metavar="NAME,...", help="default: every model that is built")
    group.add_argument(
        "--engines",
        type=_engines,
        metavar="NAME[:OPTION...],...",
        default=["onnxruntime", "mlc"],
        help="'all' stands for every engine; default: onnxruntime,mlc",
    )
    group.add_argument("--baseline", default="onnxruntime", help="engine that ratios refer to")
    group.add_argument("--threads", type=_integers, metavar="N,...", default=[1, 2])
    group.add_argument(
        "--scaling",
        action="store_true",
        help="all thread counts in the same rounds, which compares them; takes more memory",
    )
    group.add_argument("--seeds", type=int, default=3, help="inputs for which outputs are compared")
    group.add_argument(
        "--tolerance", type=float, default=0.05, help="largest error of results that are not wrong"
    )


def _add_measurement(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--rounds", type=int, default=5, help="rounds, in which each engine is measured once")
    group.add_argument("--seconds", type=float, default=1.0, help="seconds per engine and round")
    group.add_argument(
        "--quick", action="store_true", help="few calls: shows that it works, measures nothing"
    )
    group.add_argument(
        "--cpus", type=_integers, metavar="N,...", help="CPUs to pin to, in order; default: all"
    )
    group.add_argument(
        "--timeout", type=float, default=1500.0, help="limit of seconds for one load or measurement"
    )


def _add_paths(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--cache", type=Path, help="compile cache to use; default: empty ones, so compiles are cold"
    )
    group.add_argument("--python", type=_pair, action="append", default=[], metavar="ENGINE=PATH")
    group.add_argument(
        "--environments", type=Path, default=environments.FOLDER, metavar="DIR", help="default: %(default)s"
    )
    group.add_argument("--built", type=Path, default=models.BUILD, metavar="DIR", help="where the models are")
    group.add_argument("--output", type=Path, default=RESULTS, metavar="DIR", help="default: %(default)s")


def _names(text: str) -> list[str]:
    return text.split(",")


def _engines(text: str) -> list[str]:
    named = (ALL if name == "all" else (name,) for name in text.split(","))
    return list(dict.fromkeys(name for names in named for name in names))


def _integers(text: str) -> list[int]:
    return [int(value) for value in text.split(",")]


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("expected ENGINE=PATH")
    return name, value


def _settings(arguments: argparse.Namespace) -> run.RunSettings:
    return run.RunSettings(
        rounds=arguments.rounds,
        seeds=arguments.seeds,
        budget=QUICK if arguments.quick else RoundBudget(seconds=arguments.seconds),
        cpus=arguments.cpus,
        timeout=arguments.timeout,
        pythons=dict(arguments.python),
        environments=arguments.environments,
        tolerance=arguments.tolerance,
        logs=LOGS,
        directory=arguments.built,
        cache=arguments.cache,
    )


def _check(arguments: argparse.Namespace, names: list[str]) -> None:
    """Raises ValueError or FileNotFoundError for what cannot be run."""
    available.check_engines(arguments.engines)
    if not names:
        raise FileNotFoundError("no model is built; build some: python -m bench.models --light --direct")
    for name in names:
        models.model_path(name, arguments.built)
    if min(arguments.rounds, arguments.seeds, *arguments.threads) < 1:
        raise ValueError("--rounds, --seeds and --threads must be at least 1")
    if max(arguments.threads) > len(arguments.cpus):
        raise ValueError(f"{max(arguments.threads)} threads need as many --cpus, given: {arguments.cpus}")


def store(results: dict[str, Any], text: str, stem: Path) -> None:
    """Writes `results` as JSON, and the Markdown `text` beside it."""
    write(stem.with_suffix(".json"), lambda path: path.write_text(json.dumps(results, indent=1)))
    write(stem.with_suffix(".md"), lambda path: path.write_text(text))


def main() -> int:
    """Runs the command line; returns the exit status."""
    arguments = _arguments()
    names = arguments.models or list(models.manifest(arguments.built))
    try:
        _check(arguments, names)
        arguments.output.mkdir(parents=True, exist_ok=True)
    except (ValueError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    settings = _settings(arguments)
    skipped = available.missing(arguments.engines, settings)
    for engine, reason in skipped.items():
        print(f"skipped: {engine}: {reason}", file=sys.stderr)
    present = [engine for engine in arguments.engines if engine not in skipped]
    if not present:
        print("bench: no engine is left to run", file=sys.stderr)
        return 2
    records = _measure(arguments, names, present, settings, skipped)
    return 1 if any("error" in record for record in records) else 0


def _measure(
    arguments: argparse.Namespace,
    names: list[str],
    engines: list[str],
    settings: run.RunSettings,
    skipped: dict[str, str],
) -> list[dict[str, Any]]:
    """Measures each model with each thread count. Results are stored after every group, so that they survive
    an interruption, and printed at the end."""
    described, stem = machine.describe(), arguments.output / time.strftime("%Y%m%d-%H%M%S")
    groups = [arguments.threads] if arguments.scaling else [[count] for count in arguments.threads]
    records: list[dict[str, Any]] = []
    text = ""
    for model, threads in itertools.product(names, groups):
        print(f"{model}, {' and '.join(map(str, threads))} threads", file=sys.stderr)
        records += run.run_group(model, engines, threads, settings)
        results = run.results(records, arguments.baseline, described, skipped, arguments.scaling)
        text = tables.markdown(results)
        store(results, text, stem)
    print(text)
    return records


if __name__ == "__main__":
    sys.exit(main())
