"""Measures the effect of each graph pass, of fusion and of the memory planner by switching it off.

Counts take all models that are built, latencies those of --latency-models. Results are stored after every
step in bench/results/ablation.json; --resume goes on where an earlier run was stopped.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench import machine, models
from bench.__main__ import LOGS, QUICK, RESULTS
from bench.ablation.counts import count_variants, optimizer_seconds
from bench.ablation.latency import LatencySettings, measure
from bench.ablation.page import load, page, store
from bench.ablation.variants import DEFAULT, AblationVariant, passes, variants
from bench.measure import RoundBudget
from bench.models.store import write
from mlc.codegen.version import compiler_version

PAGE = Path(__file__).parents[2] / "docs" / "ablation.md"
# One of each type of network; the others differ in size.
LATENCY_MODELS = (
    "resnet50,mobilenet_v2,squeezenet,shufflenet,densenet121,inception_v2,bert_base_s128,gpt2_s128,"
    "llama_s128,mlp_wide_b64"
).split(",")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.ablation", description=__doc__)
    parser.add_argument(
        "--models", type=_names, metavar="NAME,...", help="default: every model that is built"
    )
    parser.add_argument(
        "--passes", type=_names, metavar="NAME,...", help="default: all that can be switched off"
    )
    parser.add_argument("--latency-models", type=_names, metavar="NAME,...", default=LATENCY_MODELS)
    parser.add_argument("--no-latency", action="store_true", help="only what can be counted")
    parser.add_argument(
        "--rounds", type=int, default=5, help="rounds, in which each program is measured once"
    )
    parser.add_argument("--seconds", type=float, default=0.4, help="seconds per program and round")
    parser.add_argument("--together", type=int, default=4, help="variants loaded at one time")
    parser.add_argument("--repetitions", type=int, default=3, help="measurements of the optimizer")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--jobs", type=int, default=len(os.sched_getaffinity(0)), help="models counted at a time"
    )
    parser.add_argument(
        "--quick", action="store_true", help="few calls: shows that it works, measures nothing"
    )
    parser.add_argument("--resume", action="store_true", help="keep what a run of the same compiler stored")
    parser.add_argument("--update-docs", action="store_true", help=f"write docs/{PAGE.name}")
    parser.add_argument(
        "--built", type=Path, default=models.BUILD, metavar="DIR", help="where the models are"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="DIR", help="default: %(default)s")
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return text.split(",")


def without_folders(words: list[str]) -> list[str]:
    """Returns the command line without folders of this machine."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--built")
    parser.add_argument("--output")
    return parser.parse_known_args(words)[1]


def _check(arguments: argparse.Namespace) -> None:
    """Raises ValueError or FileNotFoundError for what cannot be run."""
    unknown = [name for name in arguments.passes if name not in passes()]
    if unknown:
        raise ValueError(
            f"no pass to switch off named {', '.join(unknown)}; there are: {', '.join(passes())}"
        )
    if not arguments.models:
        raise FileNotFoundError("no model is built; build some: python -m bench.models --light --direct")
    for name in arguments.models:
        models.model_path(name, arguments.built)
    if not 1 <= arguments.threads <= len(os.sched_getaffinity(0)):
        raise ValueError(f"{arguments.threads} threads need as many CPUs")
    if min(arguments.rounds, arguments.together, arguments.repetitions, arguments.jobs) < 1:
        raise ValueError("--rounds, --together, --repetitions and --jobs must be at least 1")


class AblationRun:
    """One run: its settings and its results so far, stored after every step."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.file = arguments.output / "ablation.json"
        self.variants = variants(arguments.passes)
        self.data = self.fresh()
        if arguments.resume:
            self.data = load(self.file, self.data)

    def fresh(self) -> dict[str, Any]:
        """Returns the data of a run without results."""
        return {
            "compiler": compiler_version(),
            "command": f"python -m bench.ablation {shlex.join(without_folders(sys.argv[1:]))}".strip(),
            "passes": self.arguments.passes,
            "threads": self.arguments.threads,
            "repetitions": self.arguments.repetitions,
            "machine": machine.describe(),
            "models": {},
            "optimizer": {},
        }

    def say(self, text: str) -> None:
        """Stores the results and prints progress."""
        store(self.file, self.data)
        print(text, file=sys.stderr, flush=True)

    def count(self) -> None:
        """Counts all variants of all models, several models at a time."""
        known = self.data["models"]
        names = {variant.name for variant in self.variants}
        todo = [model for model in self.arguments.models if not names <= known.get(model, {}).keys()]
        # Not forked: the parent has threads and MLIR contexts.
        with ProcessPoolExecutor(self.arguments.jobs, get_context("spawn")) as pool:
            jobs = [pool.submit(count_variants, self.path(model), self.variants) for model in todo]
            for model, job in zip(todo, jobs, strict=True):
                known[model] = job.result()
                self.say(f"counted {model}")
        self.data["models"] = {model: known[model] for model in self.arguments.models}

    def path(self, model: str) -> Path:
        """Returns the file of a model."""
        return models.model_path(model, self.arguments.built)

    def time_optimizer(self) -> None:
        """Measures the passes on all models."""
        for model in self.arguments.models:
            if model not in self.data["optimizer"]:
                seconds = optimizer_seconds(self.path(model), self.arguments.repetitions)
                self.data["optimizer"][model] = seconds
                self.say(f"timed the optimizer on {model}")

    def time_programs(self, settings: LatencySettings) -> None:
        """Measures the programs of the models for latencies."""
        for model in self.arguments.models:
            found = self.data["models"][model]
            wanted = self.to_time(found)
            if model in self.arguments.latency_models and len(wanted) > 1:
                for name, record in measure(model, wanted, settings).items():
                    found[name] |= record
                self.say(f"timed {model}, {len(wanted)} programs")

    def to_time(self, found: dict[str, Any]) -> list[AblationVariant]:
        """Returns the program with all passes, and those that differ from it and were not timed."""
        first, *rest = self.variants
        default = found[DEFAULT]
        if "error" in default:
            return []
        distinct = [variant for variant in rest if found[variant.name].get("program") != default["program"]]
        return [
            first,
            *(variant for variant in distinct if {"error", "ratio"}.isdisjoint(found[variant.name])),
        ]


def _settings(arguments: argparse.Namespace) -> LatencySettings:
    return LatencySettings(
        rounds=arguments.rounds,
        budget=QUICK if arguments.quick else RoundBudget(warm_up=0.1, seconds=arguments.seconds, calls=3),
        cpus=sorted(os.sched_getaffinity(0))[: arguments.threads],
        cache=LOGS.parent / "ablation-cache",
        logs=LOGS,
        together=arguments.together,
        built=arguments.built,
    )


def main() -> int:
    """Runs the command line; returns the exit status."""
    arguments = _arguments()
    arguments.models = arguments.models or list(models.manifest(arguments.built))
    arguments.passes = arguments.passes or passes()
    try:
        _check(arguments)
        arguments.output.mkdir(parents=True, exist_ok=True)
    except (ValueError, OSError) as error:
        print(f"ablation: {error}", file=sys.stderr)
        return 2
    run = AblationRun(arguments)
    run.count()
    run.time_optimizer()
    if not arguments.no_latency:
        run.time_programs(_settings(arguments))
    text = page(run.data)
    if arguments.update_docs:
        write(PAGE, lambda path: path.write_text(text))
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
