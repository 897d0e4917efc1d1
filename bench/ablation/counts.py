"""Counts of a program that needs no run: kernels, launches, bytes, operations, the arena; and the optimizer's
time."""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.ablation.variants import DEFAULT, AblationVariant
from bench.ablation.watching import ChangedPasses
from bench.summary import Record
from mlc.analysis import module_costs
from mlc.bindings import ir
from mlc.compiler import Options
from mlc.compiler.sources.open_source import open_source
from mlc.passes.base import PassError
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.instrumentation import Instrumentation, PassSeconds

# Lowers kernels to the first level at which an op without a lowering is refused.
LOWERING = "builtin.module(func.func(graph-to-linalg),graph-verify-lowered)"


def count_variants(path: Path, variants: Sequence[AblationVariant]) -> dict[str, Record]:
    """Returns counts of the model's programs by variant; the first is that with all passes.

    Passes that change nothing are not switched off: the program without them is the same.
    """
    first, *rest = variants
    module = _load(path, Options())
    changes = ChangedPasses(module)
    found = {first.name: _count(module, Options(), changes)}
    for variant in rest:
        idle = variant.disable and changes.names.isdisjoint(variant.disable)
        if idle and "error" not in found[DEFAULT]:
            found[variant.name] = dict(found[DEFAULT])
        else:
            options = Options(**variant.keywords)
            found[variant.name] = _count(_load(path, options), options)
    return found


def _load(path: Path, options: Options) -> ir.Operation:
    return open_source(path).load(options).module.operation


def _count(module: ir.Operation, options: Options, listener: Instrumentation | None = None) -> Record:
    """Returns counts of a program, or "error" if a pass fails.

    "program" is a hash of all that is compiled: variants of one hash are one program.
    """
    costs: Record = {}
    try:
        for name, pipeline in zip(options.pipeline_names(), options.graph_pipelines(), strict=True):
            run_pipeline(pipeline, module, listener, verify_each=False)
            if name == "form-kernels":
                costs = _costs(module)
        memory = _memory(module)
        run_pipeline(LOWERING, module, verify_each=False)
    except PassError as error:
        return {"error": error.message.partition("\n")[0]}
    return costs | memory


def _costs(module: ir.Operation) -> Record:
    costs = module_costs(module)
    return {
        "kernels": costs.kernels,
        "launches": costs.launches,
        "moved_bytes": costs.total.moved_bytes,
        "flops": costs.total.flops,
    }


def _memory(module: ir.Operation) -> Record:
    """Returns the planner's attributes of `@main`."""
    functions = [view.operation for view in module.regions[0].blocks[0]]
    main = next(function for function in functions if function.attributes["sym_name"].value == "main")
    text = module.get_asm(assume_verified=True)
    sizes = ("arena_bytes", "arena_lower_bound", "unshared_bytes")
    return {
        **{name: main.attributes[f"tloop.{name}"].value for name in sizes},
        "strategy": main.attributes["tloop.arena_strategy"].value,
        "program": hashlib.blake2b(text.encode(), digest_size=8).hexdigest(),
    }


def optimizer_seconds(path: Path, repetitions: int) -> dict[str, Record]:
    """Returns the seconds of the import, of each graph-level pipeline ("stages") and of each pass in
    graph-optimize ("passes"): medians after a warm-up run.

    `@prepare` is not run; that is no part of any of them.
    """
    runs = [_optimize_once(path) for _ in range(1 + repetitions)][1:]
    return {
        part: {name: statistics.median(run[part][name] for run in runs) for name in runs[0][part]}
        for part in ("stages", "passes")
    }


def _optimize_once(path: Path) -> dict[str, Record]:
    options, stages, passes = Options(), StageCounts(), PassSeconds()
    with stages.watch("import"):
        module = _load(path, options)
    for name in options.pipeline_names():
        with stages.watch(name):
            listener = passes if name == "graph-optimize" else None
            run_pipeline(f"builtin.module({name})", module, listener, verify_each=False)
    return {"stages": stages.seconds, "passes": passes.seconds}


class StageCounts:
    """Wall seconds per stage."""

    def __init__(self) -> None:
        self.seconds: Record = {}

    @contextmanager
    def watch(self, name: str) -> Iterator[None]:
        """Times the body of the `with` block as a stage."""
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start
