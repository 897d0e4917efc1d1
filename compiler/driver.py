"""Compiles a model to a program: import, graph pipelines, kernels, `@prepare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.codegen.cache import Cache
from mlc.codegen.pool import JobRunner
from mlc.codegen.version import compiler_version
from mlc.compiler.build import Builder, BuildReport, worker_pool
from mlc.compiler.code_path import CodePath, code_paths
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.plainer_graph import PlainerGraph
from mlc.compiler.programs.assemble import Names, assemble
from mlc.compiler.programs.bundle import Stage
from mlc.compiler.programs.program import CompiledProgram
from mlc.compiler.programs.stored_program import bundle_of, look_up, prepare, program_of
from mlc.compiler.reproducer import reproducer_path
from mlc.compiler.sources.imported_module import Imported
from mlc.compiler.sources.onnx_model import OnnxSource
from mlc.compiler.sources.open_source import Source, load_for_target, open_source
from mlc.compiler.specialisation import add_specialised_programs
from mlc.compiler.stage_timer import Timer
from mlc.errors import Error
from mlc.frontends.errors import ModelError, UnsupportedModelError
from mlc.frontends.weights.store import Reference, WeightStore
from mlc.pipelines.pass_error import PassRunError
from mlc.runtime.manifest import LAUNCHED
from mlc.threads import importing

if TYPE_CHECKING:
    from mlc.compiler.compilation_units import Units


# Those whose `__init__` imports their modules, which must not happen on two threads.
_PACKAGES = ("dialects.accel", "dialects.graph", "dialects.tloop", "frontends.onnx", "pipelines.driver")


def compile_program(model: Any, options: Options | None = None) -> CompiledProgram:
    """Compiles `model`: a path to .onnx or .mlir, ONNX bytes or ModelProto, or a module of the graph dialect.

    Raises CompileError, ModelError (a model that cannot be read), TargetError, PassRunError.
    """
    options = options or Options()
    # Faults of the target are reported before the model is read, wrong limits for programs in the cache too.
    _check_loadable(code_paths(options)["main"])
    source = open_source(model)
    if isinstance(source, OnnxSource):
        source.check_budget(options)
    try:
        program = _program(source, options)
    except (ModelError, PassRunError) as error:
        if isinstance(error, UnsupportedModelError) or not isinstance(source, OnnxSource):
            raise
        program = _without_shared_dims(source, options, error)
    if program.main.dims and isinstance(source, OnnxSource):
        program = replace(program, independent=partial(_independent, source, options))
    return add_specialised_programs(program, source, options, _program) if options.specialise else program


def _without_shared_dims(source: OnnxSource, options: Options, error: Error) -> CompiledProgram:
    """Compiles a model whose inputs may have different sizes for one name of a dim, the likely cause of
    `error`, which is raised where it has another one."""
    names = source.shared_dims(options)
    if not names:
        raise error
    try:
        program = _independent(source, options, names)
    except (ModelError, CompileError, PassRunError):
        raise error from None
    listed = ", ".join(f"'{name}'" for name in names)
    source.warnings.add(f"{source.name}: dims of inputs with one name ({listed}) are independent: {error}")
    return replace(program, report=program.report | {"warnings": list(source.warnings.texts)})


def _independent(source: OnnxSource, options: Options, names: Sequence[str]) -> CompiledProgram:
    """Compiles the model with independent dims of these names, whose bounds are left out."""
    bounds = options.dim_ranges().keys() & set(names)
    dims = {name: size for name, size in options.dims.items() if name not in bounds}
    every = tuple(dict.fromkeys((*options.independent_dims, *names)))
    changed = replace(options, dims=dims, independent_dims=every, specialise=None, pool=None)
    return _program(source, changed)


def compile_bundle(source: OnnxSource, options: Options) -> bytes:
    """Returns the program of `source` for a process that has the same model; `Bundle.from_bytes` reads it.
    Raises as `compile_program`."""
    paths, timer = code_paths(options), Timer()
    _check_loadable(paths["main"])
    key, bundle = look_up(source, options, paths["main"])
    if bundle is None:
        builder, imported, stages = _build(source, options, paths, timer)
        bundle = bundle_of(source, stages, imported, _report(builder, imported, stages["main"], timer))
        if key is not None:
            Cache().put(key, bundle.to_bytes())
    return bundle.to_bytes()


def _check_loadable(path: CodePath) -> None:
    """Raises CompileError if there is no runtime for the program."""
    if path.is_text_only:
        name = path.machine.name
        raise CompileError(
            f"no program can be linked, loaded or run for {name}: there is no runtime for HIP",
            [
                f"kernels as {path.assembly}: mlc compile --target {name} --emit=asm (or llvm-ir, mlir)",
                f"the same blocks on this processor: --target {name} --blocks-on-cpu",
            ],
        )


def _program(source: Source, options: Options) -> CompiledProgram:
    """Returns the general program, without those for single sizes."""
    paths, timer = code_paths(options), Timer()
    with timer.stage("look up"):
        key, bundle = look_up(source, options, paths["main"])
    if bundle is not None and isinstance(source, OnnxSource):
        program = program_of(source, bundle, paths["main"], timer, options)
        if program is not None:
            for text in bundle.report.get("warnings", ()):
                source.warnings.add(text)
            return program
    return _compile(source, options, paths, timer, key)


def _compile(
    source: Source, options: Options, paths: Mapping[str, CodePath], timer: Timer, key: str | None
) -> CompiledProgram:
    builder, imported, stages = _build(source, options, paths, timer)
    prepared: list[np.ndarray] = []
    if "prepare" in stages:
        options.progress("prepare", 0, 1)
        with timer.stage("prepare"):
            weights = _store_weights(imported.store, stages["prepare"], [])
            prepared = prepare(stages["prepare"], weights)
    main = stages["main"]
    weights = _store_weights(imported.store, main, prepared)
    report = _report(builder, imported, main, timer)
    if isinstance(source, OnnxSource):
        # Programs for single sizes share these weights, even if the files change.
        source.beside.share_files(imported.store)
        if key is not None:
            Cache().put(key, bundle_of(source, stages, imported, report).to_bytes())
    names = Names(source.name, imported.inputs, imported.outputs, options.dim_ranges())
    return assemble(names, paths["main"], main, weights, report)


def _build(
    source: Source, options: Options, paths: Mapping[str, CodePath], timer: Timer
) -> tuple[Builder, Imported, dict[str, Stage]]:
    """Imports the model and compiles its host functions and their kernels."""
    with nullcontext(options.pool) if options.pool else worker_pool(options.workers()) as pool:
        pool.start()
        with timer.stage("import"):
            options.progress("import", 0, 1)
            with importing:
                for package in _PACKAGES:
                    import_module(f"mlc.{package}")
        return _build_plainer(PlainerGraph(options), source, paths, pool, timer)


def _build_plainer(
    plainer: PlainerGraph, source: Source, paths: Mapping[str, CodePath], pool: JobRunner, timer: Timer
) -> tuple[Builder, Imported, dict[str, Stage]]:
    """Imports and compiles the model, with plainer graph-level pipelines until one succeeds. Raises what the
    first attempt raised, ModelError where a pass found the model to be wrong."""
    from mlc.pipelines.pass_error import PassRunError

    while True:
        with timer.stage("import"):
            imported = load_for_target(source, plainer.options)
        builder = Builder(plainer.options, pool)
        try:
            stages = _build_stages(imported, plainer, paths, builder, timer)
        except PassRunError as error:
            if not plainer.skip(error):
                raise plainer.first or error from None
        except CompileError as error:
            if not plainer.divide(builder.failed, error):
                raise plainer.first or error from None
        else:
            builder.report.plainer_graph = plainer.report()
            return builder, imported, stages


def _build_stages(
    imported: Imported, plainer: PlainerGraph, paths: Mapping[str, CodePath], builder: Builder, timer: Timer
) -> dict[str, Stage]:
    from mlc.analysis.launched_kernels import launched_kernels
    from mlc.compiler.compilation_units import split
    from mlc.compiler.host_program.host_function import with_declared_sizes
    from mlc.compiler.model_pipeline import run_on_model
    from mlc.compiler.user_schedules import attach_schedules
    from mlc.pipelines.grammar import NestedElements
    from mlc.pipelines.instrumentation import PassSeconds

    module, options = imported.module, plainer.options
    pipelines = plainer.choose().graph_pipelines()
    pipeline = NestedElements(
        "builtin.module", tuple(element for nest in pipelines for element in nest.elements)
    )
    with timer.stage("graph"):
        options.progress("optimise", 0, 1)
        reproducer = reproducer_path(options.reproducer_dir)
        passes = PassSeconds()
        run_on_model(pipeline, imported, passes, verify_each=plainer.verify_each, reproducer=reproducer)
        builder.report.graph_pass_seconds = passes.seconds
        attach_schedules(module.operation, options.schedules)
        units = split(module.operation, paths)
    if "main" not in units:
        raise CompileError("the module has no function @main after the graph pipelines")
    builder.report.processor = _on_processor(units["main"])
    if not paths["main"].on_gpu:
        builder.report.launched = launched_kernels(module.operation)
    if imported.declared is not None:
        units["main"].host = with_declared_sizes(units["main"].host, imported.declared)
    with timer.stage("kernels"):
        # Workers go on to @prepare's kernels while the last of @main's are compiled.
        pending = {name: builder.submit(unit) for name, unit in units.items()}
        return {
            name: Stage(unit.host, builder.collect(pending[name]), unit.host.weights, unit.step_list)
            for name, unit in units.items()
        }


def _store_weights(store: WeightStore, stage: Stage, prepared: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [
        store.buffer(weight) if isinstance(weight, Reference) else prepared[weight]
        for weight in stage.host.weights
    ]


def _report(builder: Builder, imported: Imported, main: Stage, timer: Timer) -> dict[str, Any]:
    report = builder.report
    slowest = dict(sorted(report.slowest.items(), key=lambda item: -item[1])[:10])
    arena = {
        "arena_bytes": main.host.arena_bytes,
        "arena_lower_bound": main.host.arena_lower_bound,
        "arena_strategy": main.host.arena_strategy,
    }
    return {
        "compiler": compiler_version().splitlines()[0],
        **({"warnings": list(imported.warnings)} if imported.warnings else {}),
        **({"constant_inputs": list(imported.constants)} if imported.constants else {}),
        "kernels": report.kernels,
        "kernels_cached": report.cached,
        "launches": len(main.host.kernels),
        **_describe_launched(report),
        **({"functions": list(main.host.functions)} if main.host.functions else {}),
        **({} if builder.options.checks_data() else {"unchecked_indices": True}),
        "index_checks": main.host.index_checks,
        "divisor_checks": main.host.divisor_checks,
        **(arena if main.host.dims is None else {}),
        **({"processor": {"kernels": report.processor}} if report.processor else {}),
        **({"plainer_schedules": report.plainer} if report.plainer else {}),
        **report.plainer_graph,
        "mlir_seconds": round(report.mlir_seconds, 3),
        "llvm_seconds": round(report.llvm_seconds, 3),
        "slowest_kernels": slowest,
        "graph_pass_seconds": _longest_first(report.graph_pass_seconds),
        "kernel_pass_seconds": _longest_first(report.kernel_pass_seconds),
        "seconds": timer.seconds,
        "from_cache": False,
    }


def _describe_launched(report: BuildReport) -> dict[str, Any]:
    """Returns the report's entry with the kernels that a call launches, which profiles show."""
    if report.launched is None:
        return {}
    kernels = [kernel.to_json(report.schedules.get(kernel.name, "")) for kernel in report.launched]
    return {LAUNCHED: kernels}


def _on_processor(units: Units) -> list[dict[str, Any]]:
    """Returns the kernels of a GPU's program that the processor runs, with their nodes and the reasons."""
    from mlc.passes.remarks import names_in

    return [
        {"kernel": name, "nodes": list(names_in(units.nodes[name])), "reason": reason}
        for name, reason in units.reasons.items()
    ]


def _longest_first(seconds: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in sorted(seconds.items(), key=lambda item: -item[1])}
