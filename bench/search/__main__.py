"""Compare the compiler's default schedules with the best of many sampled ones.

For each kernel: sampled schedules are compiled in worker processes, each is timed beside the default, and the
best are interleaved with it for several rounds. Sampling is deterministic for a seed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click

from bench import machine
from bench.__main__ import RESULTS
from bench.engines.mlc import compiler_options
from bench.kernels.__main__ import cases, select
from bench.kernels.measure import write_model
from bench.measure import RoundBudget
from bench.models.store import write
from bench.search.search import SearchSettings, search
from bench.search.tables import markdown
from bench.summary import Record

# Of `bench.kernels`: products of each type, layers of each stage, wide, narrow, strided and depthwise ones.
KERNELS = (
    "gemm_1024x1024x1024",
    "bert_128x768x3072",
    "bert_128x3072x768",
    "vit_197x768x768",
    "llama_128x512x1376",
    "bert_scores_12x128x64x128",
    "resnet50_3to64_7x7s2_224x224",
    "resnet50_64to64_3x3s1_56x56",
    "resnet50_128to128_3x3s1_28x28",
    "resnet50_256to256_3x3s1_14x14",
    "resnet50_512to512_3x3s1_7x7",
    "resnet50_128to128_3x3s2_56x56",
    "resnet50_256to64_1x1s1_56x56",
    "resnet50_512to2048_1x1s1_7x7",
    "vgg16_128to128_3x3s1_112x112",
    "mobilenet_v2_96to96_3x3s2_112x112",
    "mobilenet_v2_384to384_3x3s1_14x14",
)
SAMPLES = 500
# Makes several kernels of a convolution: there is no single one to search.
LEFT_OUT = ("graph-winograd",)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument(
        "--kernels",
        default=",".join(KERNELS),
        metavar="PATTERN,...",
        help="of 'python -m bench.kernels --list'",
    )
    parser.add_argument(
        "--disable-pass",
        action="append",
        default=[],
        metavar="NAME",
        help=f"leave a pass out, besides {', '.join(LEFT_OUT)}; may be repeated",
    )
    parser.add_argument("--samples", type=int, default=SAMPLES, help="schedules per kernel")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=0, help="processes that compile; default: one per CPU")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of the best and the default")
    parser.add_argument("--quick", action="store_true", help="shows that it works, measures nothing")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="DIR", help="default: %(default)s")
    return parser.parse_args()


def _settings(arguments: argparse.Namespace) -> SearchSettings:
    cpus = sorted(os.sched_getaffinity(0))
    short = RoundBudget(warm_up=0.0, seconds=0.0, calls=1, limit=1.0)
    return SearchSettings(
        samples=arguments.samples,
        seed=arguments.seed,
        cpus=cpus[: arguments.threads],
        jobs=arguments.jobs or len(cpus),
        budget=short if arguments.quick else RoundBudget(warm_up=0.0, seconds=0.03, calls=3, limit=3.0),
        options=tuple(f"disable-pass={name}" for name in (*LEFT_OUT, *arguments.disable_pass)),
        rounds=1 if arguments.quick else arguments.rounds,
        final_budget=short if arguments.quick else RoundBudget(warm_up=0.05, seconds=0.3, calls=5, limit=5.0),
    )


def _store(results: dict[str, Any], stem: Path) -> str:
    text = markdown(results)
    write(stem.with_suffix(".json"), lambda path: path.write_text(json.dumps(results, indent=1)))
    write(stem.with_suffix(".md"), lambda path: path.write_text(text))
    return text


def main() -> int:
    """Runs the command line; returns the exit status."""
    arguments = _arguments()
    chosen = [case for case in select(cases(1 << 20), arguments.kernels) if case.flop]
    settings, described = _settings(arguments), machine.describe()
    if not chosen or not 1 <= arguments.threads <= len(settings.cpus) or arguments.samples < 1:
        print("search: no such kernel, no samples, or more threads than CPUs", file=sys.stderr)
        return 2
    try:
        compiler_options(settings.options)
    except click.UsageError as error:
        print(f"search: {error.message}", file=sys.stderr)
        return 2
    arguments.output.mkdir(parents=True, exist_ok=True)
    stem = arguments.output / time.strftime("search-%Y%m%d-%H%M%S")
    rows: list[Record] = []
    text = ""
    for case in chosen:
        print(case.name, file=sys.stderr)
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            path = write_model(case, Path(folder))
            rows.append({"name": case.name, "threads": arguments.threads, **search(path, settings)})
        # Stored after every kernel, so that what was measured survives an interruption.
        text = _store({"machine": described, "seed": arguments.seed, "rows": rows}, stem)
    print(text)
    return 1 if any("error" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
