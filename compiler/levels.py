"""The module of a model at each level above the kernels' own pipelines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlc.compiler.code_path import code_paths
from mlc.compiler.compilation_units import Units, split
from mlc.compiler.errors import CompileError
from mlc.compiler.model_pipeline import run_on_model
from mlc.compiler.options import Options
from mlc.compiler.reproducer import reproducer_path
from mlc.compiler.sources.imported_module import main_of
from mlc.compiler.sources.input_dims import require_static
from mlc.compiler.sources.open_source import load_for_target, open_source
from mlc.compiler.user_schedules import attach_schedules
from mlc.pipelines.instrumentation import Instrumentation


def levels(
    model: Any,
    options: Options,
    instrumentation: Instrumentation | None = None,
    *,
    static: bool = False,
    verify_each: bool = False,
) -> Iterator[tuple[str, Any]]:
    """("import", module), then (pipeline, module) after each graph-level pipeline; it is one module.

    `instrumentation` watches the pipelines. `static`: raises CompileError for inputs of unknown sizes.
    `verify_each`: the module is verified after each pass.
    """
    pipelines, names = options.graph_pipelines(), options.pipeline_names()
    options.progress("import", 0, 1)
    imported = load_for_target(open_source(model), options)
    if static:
        require_static(main_of(imported.module), imported.inputs)
    yield "import", imported.module
    for index, pipeline in enumerate(pipelines):
        options.progress("optimise", index, len(pipelines))
        reproducer = reproducer_path(options.reproducer_dir)
        run_on_model(pipeline, imported, instrumentation, verify_each=verify_each, reproducer=reproducer)
        if index == len(pipelines) - 1:
            attach_schedules(imported.module.operation, options.schedules)
        yield names[index], imported.module


def planned_module(model: Any, options: Options) -> Any:
    """The module after all graph-level pipelines: planned host functions and the kernels that they launch."""
    return list(levels(model, options))[-1][1]


def units_of(model: Any, options: Options) -> dict[str, Units]:
    """The units of `model` that compile on their own, by host function; "main" is there.

    Raises what `compile_program` raises.
    """
    module = planned_module(model, options)
    units = split(module.operation, code_paths(options))
    if "main" not in units:
        raise CompileError("the module has no function @main after the graph pipelines")
    return units
