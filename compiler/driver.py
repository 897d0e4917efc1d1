"""From a model to a program: import, graph pipelines, kernels, `@prepare`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from mlc.codegen.cache import Cache
from mlc.codegen.pool import WorkerPool
from mlc.codegen.version import compiler_version
from mlc.compiler.assemble import Names, assemble
from mlc.compiler.build import Builder
from mlc.compiler.bundle import Bundle, Stage, portable_weights
from mlc.compiler.code_path import CodePath, code_paths
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.program import Program, run_prepare
from mlc.compiler.reproducer import reproducer_path
from mlc.compiler.sources import Imported, OnnxSource, Source, load_for_target, open_source
from mlc.frontends.weights import Reference, WeightStore


class Timer:
    """Wall seconds per stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = round(self.seconds.get(name, 0.0) + time.perf_counter() - start, 4)


def compile_program(model: Any, options: Options | None = None) -> Program:
    """Compiles `model`: a path to .onnx or .mlir, ONNX bytes or ModelProto, or a module of the graph dialect.

    Raises CompileError, ImportFailure (a model that cannot be read), TargetError, PassError.
    """
    options = options or Options()
    paths = code_paths(options)
    source = open_source(model)
    timer = Timer()
    with timer.stage("look up"):
        key, bundle = _look_up(source, options, paths["main"])
    if bundle is not None and isinstance(source, OnnxSource):
        program = _from_bundle(source, bundle, paths["main"], timer, options)
        if program is not None:
            return program
    return _compile(source, options, paths, timer, key)


def _look_up(source: Source, options: Options, path: CodePath) -> tuple[str | None, Bundle | None]:
    """The program's key in the cache (None where it is not cached) and what the cache has."""
    digest = source.digest()
    if digest is None or not options.uses_cache():
        return None, None
    cache = Cache()
    key = cache.key("program", digest, repr(path), options.key_text())
    found = cache.get(key)
    return key, Bundle.from_bytes(found) if found is not None else None


def _from_bundle(
    source: OnnxSource, bundle: Bundle, path: CodePath, timer: Timer, options: Options
) -> Program | None:
    """The cached program on the model's weights; None if files beside the model have changed."""
    if any(source.buffer(each) is None for each in bundle.external):
        return None
    prepared: list[np.ndarray] = []
    if "prepare" in bundle.stages:
        weights = _bundle_weights(source, bundle.stages["prepare"], [])
        if weights is None:
            return None
        with timer.stage("prepare"):
            prepared = _prepare(bundle.stages["prepare"], weights)
    main = bundle.stages["main"]
    weights = _bundle_weights(source, main, prepared)
    if weights is None:
        return None
    report = {**bundle.report, "seconds": timer.seconds, "from_cache": True}
    names = Names(source.name, bundle.inputs, bundle.outputs, options.dim_ranges())
    return assemble(names, path, main, weights, report)


def _bundle_weights(
    source: OnnxSource, stage: Stage, prepared: Sequence[np.ndarray]
) -> list[np.ndarray] | None:
    arrays = [prepared[each] if isinstance(each, int) else source.buffer(each) for each in stage.weights]
    return (
        None if any(array is None for array in arrays) else [array for array in arrays if array is not None]
    )


def _prepare(stage: Stage, weights: Sequence[np.ndarray]) -> list[np.ndarray]:
    assert stage.tape is not None, "split gives @prepare a tape"
    return run_prepare(stage.host, stage.tape, list(stage.objects.values()), weights)


def worker_pool(size: int | None = None) -> WorkerPool:
    """Worker processes that compile kernels, one per core by default; to be closed by the caller, as in
    `with`."""
    return WorkerPool(size, preload=["mlc.compiler.kernel_job"])


def _compile(
    source: Source, options: Options, paths: Mapping[str, CodePath], timer: Timer, key: str | None
) -> Program:
    with nullcontext(options.pool) if options.pool else worker_pool(options.workers()) as pool:
        pool.start()
        with timer.stage("import"):
            options.progress("import", 0, 1)
            imported = load_for_target(source, options)
        builder = Builder(options, pool)
        stages = _build_stages(imported, options, paths, builder, timer)
    prepared: list[np.ndarray] = []
    if "prepare" in stages:
        options.progress("prepare", 0, 1)
        with timer.stage("prepare"):
            weights = _store_weights(imported.store, stages["prepare"], [])
            prepared = _prepare(stages["prepare"], weights)
    main = stages["main"]
    weights = _store_weights(imported.store, main, prepared)
    report = _report(builder, main, timer)
    if key is not None and isinstance(source, OnnxSource):
        _remember(key, source, stages, imported, report)
    names = Names(source.name, imported.inputs, imported.outputs, options.dim_ranges())
    return assemble(names, paths["main"], main, weights, report)


def _build_stages(
    imported: Imported, options: Options, paths: Mapping[str, CodePath], builder: Builder, timer: Timer
) -> dict[str, Stage]:
    from mlc.compiler.modules import split
    from mlc.compiler.schedules import attach_schedules
    from mlc.pipelines.driver import run_pipeline
    from mlc.pipelines.grammar import Nest
    from mlc.pipelines.instrumentation import PassSeconds

    module = imported.module
    pipelines = options.graph_pipelines()
    pipeline = Nest("builtin.module", tuple(each for nest in pipelines for each in nest.elements))
    with timer.stage("graph"):
        options.progress("optimise", 0, 1)
        reproducer = reproducer_path(options.reproducer_dir)
        passes = PassSeconds()
        run_pipeline(pipeline, module, passes, verify_each=False, reproducer=reproducer)
        builder.report.graph_pass_seconds = passes.seconds
        attach_schedules(module.operation, options.schedules)
        units = split(module.operation, paths)
    if "main" not in units:
        raise CompileError("the module has no function @main after the graph pipelines")
    with timer.stage("kernels"):
        # Workers go on to @prepare's kernels while the last of @main's are compiled.
        pending = {name: builder.submit(unit) for name, unit in units.items()}
        return {
            name: Stage(unit.host, builder.collect(pending[name]), unit.host.weights, unit.tape)
            for name, unit in units.items()
        }


def _store_weights(store: WeightStore, stage: Stage, prepared: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [
        store.buffer(each) if isinstance(each, Reference) else prepared[each] for each in stage.host.weights
    ]


def _report(builder: Builder, main: Stage, timer: Timer) -> dict[str, Any]:
    report = builder.report
    slowest = dict(sorted(report.slowest.items(), key=lambda item: -item[1])[:10])
    arena = {
        "arena_bytes": main.host.arena_bytes,
        "arena_lower_bound": main.host.arena_lower_bound,
        "arena_strategy": main.host.arena_strategy,
    }
    return {
        "compiler": compiler_version().splitlines()[0],
        "kernels": report.kernels,
        "kernels_cached": report.cached,
        "launches": len(main.host.kernels),
        **(arena if main.host.dims is None else {}),
        "mlir_seconds": round(report.mlir_seconds, 3),
        "llvm_seconds": round(report.llvm_seconds, 3),
        "slowest_kernels": slowest,
        "graph_pass_seconds": _longest_first(report.graph_pass_seconds),
        "kernel_pass_seconds": _longest_first(report.kernel_pass_seconds),
        "seconds": timer.seconds,
        "from_cache": False,
    }


def _longest_first(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(each, 4) for name, each in sorted(seconds.items(), key=lambda item: -item[1])}


def _remember(
    key: str, source: OnnxSource, stages: dict[str, Stage], imported: Imported, report: dict[str, Any]
) -> None:
    portable = {
        name: replace(stage, weights=portable_weights(stage.host, source)) for name, stage in stages.items()
    }
    external = source.external(imported.store)
    bundle = Bundle(portable, imported.inputs, imported.outputs, report, external)
    Cache().put(key, bundle.to_bytes())
