"""Modules of the graph dialect as sources: .mlir files and modules of other front ends, with input sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.sources.imported_module import Imported, main_of
from mlc.compiler.sources.input_dims import check_inputs, require_ranks
from mlc.frontends.input_sizes import sizes_by_name, wrong_sizes
from mlc.frontends.option_names import entry, shape_option
from mlc.frontends.weights.store import WeightStore


def with_dims(
    main: Any, names: Sequence[str], dims: Mapping[str, int], shapes: Mapping[str, Sequence[int]]
) -> dict[str, Sequence[int]]:
    """Returns `shapes`, and those of inputs with dims that `dims`, or shapes of other inputs, fix by name.

    Raises CompileError for dims that no input has, and where a name gets two sizes.
    """
    from mlc.compiler.sources.input_dims import dim_names, unknown_dim
    from mlc.dialects.graph.dims.function_dims import named_dims
    from mlc.dialects.graph.sizes import name_of

    for wrong in sorted(set(dims) - set(dim_names(main))):
        raise unknown_dim(main, wrong)
    arguments = main.operation.regions[0].blocks[0].arguments
    found = {
        name: [name_of(dim) if dim is not None else None for dim in named_dims(argument)]
        for name, argument in zip(names, arguments, strict=True)
    }
    try:
        sizes = sizes_by_name(found.items(), dims, shapes)
    except ValueError as error:
        raise CompileError(str(error)) from None
    result = dict(shapes)
    for name, own in found.items():
        given = shapes.get(name, [-1] * len(own))
        if len(given) == len(own) and any(dim in sizes for dim in own):
            result[name] = [sizes.get(dim or "", size) for dim, size in zip(own, given, strict=True)]
    return result


def give_shapes(main: Any, names: Sequence[str], shapes: Mapping[str, Sequence[int]]) -> None:
    """Gives inputs of `@main`, whose names are `names`, the shapes of that name; -1 leaves a dim as it is.

    Types of results are left to graph-infer-shapes. Raises CompileError for names of no input, and for shapes
    that contradict the input's type.
    """
    from mlc.bindings import func, ir

    for name in shapes:
        if name not in names:
            listed = ", ".join(map(repr, names)) or "none"
            raise CompileError(f"{entry('shapes', name)}: @main has no input '{name}' (it has: {listed})")
    function = main.operation
    with function.location:
        arguments = list(function.regions[0].blocks[0].arguments)
        for name, argument in zip(names, arguments, strict=True):
            if name in shapes:
                argument.set_type(_sized_type(name, argument.type, shapes[name]))
        results = func.Func(function).function_type.results
        signature = ir.FunctionType.get([argument.type for argument in arguments], results)
        func.Func(function).function_type = signature


def _sized_type(name: str, type_: Any, given: Sequence[int]) -> Any:
    """Returns the tensor type with the given dims. Raises CompileError where they contradict it."""
    from mlc.bindings import ir

    text = shape_option(name, given)
    if not isinstance(type_, ir.RankedTensorType):
        raise CompileError(f"{text}: the input is a {type_}, no tensor of known rank")
    if wrong := wrong_sizes(given, -1):
        raise CompileError(f"{entry('shapes', name)}: {wrong}")
    if len(given) != type_.rank:
        raise CompileError(f"{text}: the input has rank {type_.rank}")
    dims = list(type_.shape)
    for axis, (old, new) in enumerate(zip(dims, given, strict=True)):
        if new != -1 and not type_.is_dynamic_dim(axis) and new != old:
            raise CompileError(f"{text}: the input's type fixes dim {axis} to {old}")
    shape = [old if new == -1 else new for old, new in zip(dims, given, strict=True)]
    return ir.RankedTensorType.get(shape, type_.element_type, type_.encoding)


class ModuleSource:
    """A module of the graph dialect, or a .mlir file, whose weights are files beside it."""

    def __init__(self, module: Any, path: Path | None = None) -> None:
        self.module = module
        self.path = path

    @property
    def name(self) -> str:
        """The name of the file without its suffix, or "model"."""
        return self.path.stem if self.path is not None else "model"

    def digest(self) -> str | None:
        """Returns None: modules are not cached."""
        return None

    def load(self, options: Options) -> Imported:
        """Returns the module, or a copy, with the options' sizes. Raises CompileError."""
        from mlc.bindings import parse_file
        from mlc.dialects import create_context

        if self.path is not None:
            module = parse_file(self.path, create_context()).operation
            _distrust(module)
        else:
            module = self.module.operation.clone()
        store = WeightStore.for_module(module, self.path.parent if self.path else Path.cwd())
        main = main_of(module)
        if main is None or not main.operation.regions[0].blocks:
            raise CompileError(f"{self.path or 'the module'} has no function @main with a body")
        inputs, outputs = _names(main, "arg_attrs", "input"), _names(main, "res_attrs", "output")
        _apply_sizes(module, inputs, options)
        return Imported(module, store, self.name, inputs, outputs, file=str(self.path or ""))


def _distrust(module: Any) -> None:
    """Withdraws the claim of a file that its tables are checked, as importers do: kernels would read
    wherever they lead."""
    from mlc.bindings import ir
    from mlc.dialects import graph
    from mlc.passes.common.rewriting import collect_ops

    for op in collect_ops(module, graph.TreeEnsemble.NAME):
        op.attributes["checked"] = ir.BoolAttr.get(False, module.context)


class ImportedSource:
    """A module of another front end, with its weights."""

    def __init__(self, imported: Imported) -> None:
        self.imported = imported

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.imported.name

    def digest(self) -> str | None:
        """Returns None: modules are not cached."""
        return None

    def load(self, options: Options) -> Imported:
        """Returns a copy of the module with the options' sizes. Raises CompileError."""
        module = self.imported.module.operation.clone()
        _apply_sizes(module, self.imported.inputs, options)
        return replace(self.imported, module=module)


def _apply_sizes(module: Any, inputs: tuple[str, ...], options: Options) -> None:
    """Applies the options' sizes to a module's inputs, and infers the other shapes. Raises CompileError."""
    main = main_of(module)
    require_ranks(main, inputs)
    if options.shapes or options.fixed_dims():
        from mlc.pipelines.driver import run_pipeline

        give_shapes(main, inputs, with_dims(main, inputs, options.fixed_dims(), options.shapes))
        run_pipeline("builtin.module(graph-infer-shapes)", module)
    check_inputs(main, inputs, options)


def _names(main: Any, attribute: str, prefix: str) -> tuple[str, ...]:
    """Returns the names in `graph.name`, or "input0", "output0", ..."""
    from mlc.bindings import func

    signature = func.Func(main.operation).function_type
    count = len(signature.inputs if attribute == "arg_attrs" else signature.results)
    given: list[Mapping[str, Any]] = (
        list(main.operation.attributes[attribute]) if attribute in main.operation.attributes else []
    )
    names = []
    for index in range(count):
        entry = given[index] if index < len(given) else {}
        names.append(entry["graph.name"].value if "graph.name" in entry else f"{prefix}{index}")
    return tuple(names)
