"""Modules of the graph dialect: .mlir files, and what other front ends have made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.sources.imported_module import Imported, main_of
from mlc.compiler.sources.input_dims import check_inputs, require_ranks
from mlc.frontends.weights.store import WeightStore


class ModuleSource:
    """A module of the graph dialect, or a .mlir file, whose weights are files beside it."""

    def __init__(self, module: Any, path: Path | None = None) -> None:
        self.module = module
        self.path = path

    @property
    def name(self) -> str:
        return self.path.stem if self.path is not None else "model"

    def digest(self) -> str | None:
        return None

    def load(self, options: Options) -> Imported:
        from mlc.bindings import parse_file
        from mlc.dialects import create_context

        if self.path is not None:
            module = parse_file(self.path, create_context()).operation
        else:
            module = self.module.operation.clone()
        store = WeightStore.for_module(module, self.path.parent if self.path else Path.cwd())
        main = main_of(module)
        if main is None or not main.operation.regions[0].blocks:
            raise CompileError(f"{self.path or 'the module'} has no function @main with a body")
        inputs, outputs = _names(main, "arg_attrs", "input"), _names(main, "res_attrs", "output")
        _sized(module, inputs, options)
        return Imported(module, store, self.name, inputs, outputs)


class ImportedSource:
    """A module with its weights that another front end has made."""

    def __init__(self, imported: Imported) -> None:
        self.imported = imported

    @property
    def name(self) -> str:
        return self.imported.name

    def digest(self) -> str | None:
        return None

    def load(self, options: Options) -> Imported:
        module = self.imported.module.operation.clone()
        _sized(module, self.imported.inputs, options)
        return replace(self.imported, module=module)


def _sized(module: Any, inputs: tuple[str, ...], options: Options) -> None:
    """Gives a module's inputs their sizes, and the rest what follows from them. Raises CompileError."""
    main = main_of(module)
    require_ranks(main, inputs)
    if options.shapes or options.fixed_dims():
        from mlc.compiler.sources.module_sizes import give_shapes, with_dims
        from mlc.pipelines.driver import run_pipeline

        give_shapes(main, inputs, with_dims(main, inputs, options.fixed_dims(), options.shapes))
        run_pipeline("builtin.module(graph-infer-shapes)", module)
    check_inputs(main, inputs, options)


def _names(main: Any, attribute: str, prefix: str) -> tuple[str, ...]:
    """Names from `graph.name`, or numbered ones."""
    kind = main.operation.attributes["function_type"].value
    count = len(kind.inputs if attribute == "arg_attrs" else kind.results)
    given: list[Mapping[str, Any]] = (
        list(main.operation.attributes[attribute]) if attribute in main.operation.attributes else []
    )
    names = []
    for index in range(count):
        entry = given[index] if index < len(given) else {}
        names.append(entry["graph.name"].value if "graph.name" in entry else f"{prefix}{index}")
    return tuple(names)
