"""`import_model`: from an ONNX model to a module of the `graph` dialect and its weights."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx

from mlc import dialects
from mlc.bindings import func, ir
from mlc.dialects.graph.dims.function_dims import NAMES
from mlc.dialects.graph.ops.objects import OBJECT_TYPE_ATTRIBUTE, STRINGS_ATTRIBUTE
from mlc.frontends.errors import ModelError, UnsupportedModelError
from mlc.frontends.import_warnings import ImportWarnings
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.builder import GraphBuilder
from mlc.frontends.onnx.constants import ConstantBuilder
from mlc.frontends.onnx.import_budget import BudgetError, BudgetMeter, ImportBudget
from mlc.frontends.onnx.importer import Importer
from mlc.frontends.onnx.inputs import InputType, dim_names, read_inputs, replaceable_constants
from mlc.frontends.onnx.load import LoadedModel, load_model
from mlc.frontends.onnx.model_checks import check_model
from mlc.frontends.onnx.node import UnlikeBranchesError
from mlc.frontends.onnx.outputs import Output
from mlc.frontends.onnx.problem_report import report
from mlc.frontends.onnx.runtime_objects import unpack
from mlc.frontends.onnx.scopes import Frame
from mlc.frontends.onnx.values import from_ir
from mlc.frontends.weights.store import WeightStore

# Attribute of @main's arguments and results: the name in the model.
NAME_ATTRIBUTE = "graph.name"


@dataclass(frozen=True)
class ImportedModel:
    """An imported model: `module` holds `@main`.

    `inputs` and `outputs` are the model's names in the order of the arguments and results of `@main`,
    `declared` the names that the model gives to the dims of outputs ("" for unnamed ones), `warnings` the
    warnings about the model, `constants` inputs of the model that are constants here.
    """

    module: ir.Module
    weights: WeightStore
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str
    declared: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()


def import_model(
    model: str | os.PathLike | bytes | onnx.ModelProto,
    *,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    independent_dims: Collection[str] = (),
    context: ir.Context | None = None,
    name: str = "<memory>",
    budget: ImportBudget | None = None,
    warnings: ImportWarnings | None = None,
) -> ImportedModel:
    """Imports a model from a file, its bytes, or an object (which messages call `name`).

    `dims` fixes dynamic dims by name, `shapes` gives whole input shapes (-1: leave the dim). Dims of inputs
    with one of the names `independent_dims` have independent sizes. `budget` limits what the model may expand
    to; `warnings` collects the warnings, besides those that it has. Weights are referenced, not copied.
    Raises `ModelError` with one message that names the cause, the file, and the node or tensor; unsupported
    operators are named all at once, by its subclass `UnsupportedModelError`.
    """
    warnings = warnings or ImportWarnings()
    loaded = load_model(model, name)
    opsets = check_model(loaded.proto, loaded.name, warnings)
    inputs = read_inputs(loaded.proto, loaded.name, dims or {}, shapes or {}, warnings, independent_dims)
    context = context or dialects.create_context()
    dialects.load(context)
    with context, ir.Location.name(loaded.name):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            meter = BudgetMeter(budget or ImportBudget())
            try:
                texts = _build_main(loaded, inputs, Frame(opsets), meter, warnings)
            except BudgetError as error:
                raise ModelError(f"{loaded.name}: {error}") from None
        if len(texts) > 1:
            module.operation.attributes[STRINGS_ATTRIBUTE] = ir.ArrayAttr.get(
                [ir.StringAttr.get(text) for text in texts]
            )
    outputs = tuple(o.name for o in loaded.proto.graph.output)
    return ImportedModel(
        module,
        loaded.store,
        tuple(i.name for i in inputs),
        outputs,
        loaded.proto.graph.name or "model",
        tuple(tuple(dim_names(o.type.tensor_type.shape)) for o in loaded.proto.graph.output),
        tuple(warnings.texts),
        tuple(replaceable_constants(loaded.proto, shapes or {})),
    )


def _build_main(
    loaded: LoadedModel,
    inputs: Sequence[InputType],
    frame: Frame,
    meter: BudgetMeter,
    warnings: ImportWarnings,
) -> list[str]:
    """Builds @main; returns the strings that it knows."""
    graph = loaded.proto.graph
    arguments = [
        element_types.tensor_type([d if isinstance(d, int) else None for d in i.shape], i.onnx_type)
        for i in inputs
    ]
    main = func.FuncOp("main", (arguments, []))
    block = main.add_entry_block([ir.Location.name(i.name) for i in inputs])
    with ir.InsertionPoint(block):
        builder = GraphBuilder(inputs, ConstantBuilder(loaded.store), meter=meter)
        importer = Importer(loaded, builder, warnings)
        values = [
            from_ir(entry.name, value, entry.shape)
            for entry, value in zip(inputs, block.arguments, strict=True)
        ]
        builder.named_sizes.name_inputs(values)
        scope: dict[str, Any] = {
            entry.name: unpack(value, entry.value_type) if entry.value_type else value
            for entry, value in zip(inputs, values, strict=True)
        }
        try:
            outputs = importer.import_graph(graph, scope, frame)
        except UnlikeBranchesError as error:
            raise UnsupportedModelError(
                f"{loaded.name}: an If decides the rank of an output: {error}"
            ) from None
        if importer.problems:
            raise UnsupportedModelError(*report(loaded.name, importer.problems))
        given = [Output(loaded.name, *pair, builder) for pair in zip(graph.output, outputs, strict=True)]
        results = [output.result(warnings) for output in given]
        func.ReturnOp(results)
    main.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(arguments, [r.type for r in results])
    )
    _describe(main, "arg_attrs", [_argument(i) for i in inputs])
    _describe(main, "res_attrs", [_name_attributes(output.info.name, output.object_type) for output in given])
    return list(builder.constants.texts)


def _argument(entry: InputType) -> dict[str, ir.Attribute]:
    """Returns the attributes of an argument: its name, and those of its dynamic dims."""
    attributes = _name_attributes(entry.name, entry.object_type)
    if all(isinstance(dim, int) for dim in entry.shape):
        return attributes
    texts = ["" if isinstance(dim, int) else str(dim) for dim in entry.shape]
    return attributes | {NAMES: ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])}


def _name_attributes(name: str, object_type: str) -> dict[str, ir.Attribute]:
    """Returns the attributes of an argument or result: its name, and its type unless a numeric tensor."""
    attributes = {NAME_ATTRIBUTE: ir.StringAttr.get(name)}
    return attributes | ({OBJECT_TYPE_ATTRIBUTE: ir.StringAttr.get(object_type)} if object_type else {})


def _describe(main: func.FuncOp, attribute: str, entries: Sequence[dict[str, ir.Attribute]]) -> None:
    if entries:
        main.attributes[attribute] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in entries])
