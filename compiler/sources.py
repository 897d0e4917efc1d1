"""What can be compiled: ONNX files, bytes and objects; .mlir files and modules of the graph dialect."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from mlc.compiler.errors import CompileError
from mlc.compiler.input_dims import check_inputs, require_ranks
from mlc.compiler.options import Options
from mlc.compiler.plugins import load_plugins
from mlc.frontends.weights import INLINE, MappedFile, Reference, WeightStore

MODEL = "<model>"


@dataclass(frozen=True)
class Imported:
    """A module with its weights and the names of inputs and outputs."""

    module: Any
    store: WeightStore
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class OnnxSource:
    """An ONNX model. `view` is its bytes: a mapped file, or memory."""

    def __init__(self, model: Any) -> None:
        self.path = Path(model) if isinstance(model, str | os.PathLike) else None
        self.model = model
        if self.path is not None:
            self.view = MappedFile(self.path, str(self.path)).view
        else:
            self.view = memoryview(model if isinstance(model, bytes) else model.SerializeToString())
            self.model = bytes(self.view)

    @property
    def name(self) -> str:
        return self.path.stem if self.path is not None else "model"

    @cached_property
    def beside(self) -> WeightStore:
        """The files beside the model as they are now."""
        return WeightStore(self.path.parent if self.path is not None else None)

    def digest(self) -> str | None:
        """A hash of the model's own bytes (not of external data, which references carry hashes of).

        None for a model that may use operators of plugins, which change without notice.
        """
        if any(re.search(re.escape(domain.encode()), self.view) for domain in _foreign_domains()):
            return None
        return self._hash

    @cached_property
    def _hash(self) -> str:
        return hashlib.blake2b(self.view, digest_size=16).hexdigest()

    def load(self, options: Options) -> Imported:
        from mlc.frontends.onnx import import_model

        result = import_model(self.model, dims=options.fixed_dims(), shapes=options.shapes)
        check_inputs(main_of(result.module), result.inputs, options)
        return Imported(result.module, result.weights, self.name, result.inputs, result.outputs)

    def portable(self, reference: Reference) -> list[Any]:
        """The reference in a form that holds in another process: a range of the model, or of a file
        beside it."""
        own = INLINE if self.path is None else self.path.name
        if reference.source == own and reference.offset + reference.size <= len(self.view):
            return [MODEL, reference.offset, reference.size, reference.hash]
        return [reference.source, reference.offset, reference.size, reference.hash]

    def buffer(self, portable: list[Any]) -> np.ndarray | None:
        """The bytes of a portable reference; None if they are not there any more or have changed."""
        source, offset, size, digest = portable
        if source == MODEL:
            return np.frombuffer(self.view[offset : offset + size], np.uint8)
        if self.path is None or source == INLINE:
            return None
        reference = self.beside.reference(source, offset, size)
        # Of ranges with equal contents the store knows the first only; either has the right bytes.
        return self.beside.buffer(reference) if reference.hash == digest else None

    def external(self, store: WeightStore) -> tuple[Any, ...]:
        """Portable references to all that was read into `store` from files beside the model."""
        return tuple(each for each in map(self.portable, store.ranges) if each[0] not in (MODEL, INLINE))


def _foreign_domains() -> list[str]:
    """Domains with operators of plugins. Importing the front end takes long, and cached models do without."""
    registry = sys.modules.get("mlc.frontends.onnx.registry")
    return registry.foreign_domains() if registry is not None else []


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


def load_for_target(source: Source, options: Options) -> Imported:
    """The module of `source`, with the target that graph-level passes choose layouts for."""
    from mlc.passes.tloop.target_attribute import set_target

    imported = source.load(options)
    set_target(imported.module.operation, options.resolved_target())
    return imported


def _sized(module: Any, inputs: tuple[str, ...], options: Options) -> None:
    """Gives a module's inputs their sizes, and the rest what follows from them. Raises CompileError."""
    main = main_of(module)
    require_ranks(main, inputs)
    if options.shapes or options.fixed_dims():
        from mlc.compiler.module_sizes import give_shapes, with_dims
        from mlc.pipelines.driver import run_pipeline

        give_shapes(main, inputs, with_dims(main, inputs, options.fixed_dims(), options.shapes))
        run_pipeline("builtin.module(graph-infer-shapes)", module)
    check_inputs(main, inputs, options)


def main_of(module: Any) -> Any:
    """The function `@main` of a module, or None."""
    body = module.operation.regions[0].blocks[0]
    return next((op for op in body if _is_main(op.operation)), None)


def _is_main(op: Any) -> bool:
    return op.name == "func.func" and op.attributes["sym_name"].value == "main"


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


Source = OnnxSource | ModuleSource | ImportedSource


def open_source(model: Any) -> Source:
    """The source for what a user gave. Raises CompileError, ImportFailure."""
    load_plugins()
    if hasattr(model, "imported"):  # a program written in Python
        model = model.imported()
    if isinstance(model, Imported):
        return ImportedSource(model)
    if isinstance(model, str | os.PathLike):
        path = Path(model)
        return ModuleSource(None, path) if path.suffix in (".mlir", ".mlirbc") else OnnxSource(path)
    if isinstance(model, bytes) or hasattr(model, "SerializeToString"):
        return OnnxSource(model)
    if hasattr(model, "operation"):
        return ModuleSource(model)
    raise CompileError(
        f"cannot compile a {type(model).__name__}; give a path, an ONNX model or an MLIR module"
    )
