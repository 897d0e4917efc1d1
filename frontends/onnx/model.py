"""`import_model`: from an ONNX model to a module of the `graph` dialect and its weights."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx

from mlc import dialects
from mlc.bindings import func, ir
from mlc.dialects.graph.dims.function_dims import NAMES
from mlc.dialects.graph.ops.objects import KIND_ATTRIBUTE, STRINGS_ATTRIBUTE
from mlc.frontends.errors import UnsupportedModelError
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.builder import GraphBuilder
from mlc.frontends.onnx.constants import Constants
from mlc.frontends.onnx.importer import Importer
from mlc.frontends.onnx.inputs import InputType, read_inputs
from mlc.frontends.onnx.load import LoadedModel, load_model
from mlc.frontends.onnx.model_checks import check_model
from mlc.frontends.onnx.outputs import Output
from mlc.frontends.onnx.problem_report import report
from mlc.frontends.onnx.runtime_objects import unpacked
from mlc.frontends.onnx.scopes import Frame
from mlc.frontends.onnx.values import from_ir
from mlc.frontends.weights.store import WeightStore

# Attribute of @main's arguments and results: the name in the model.
NAME_ATTRIBUTE = "graph.name"


@dataclass(frozen=True)
class ImportedModel:
    """`module` holds `@main`; `inputs` and `outputs` are the model's names in the order of its arguments and
    results, `declared` the names that it gives to the dims of outputs ("" for others)."""

    module: ir.Module
    weights: WeightStore
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str
    declared: tuple[tuple[str, ...], ...]


def import_model(
    model: str | os.PathLike | bytes | onnx.ModelProto,
    *,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    context: ir.Context | None = None,
    name: str = "<memory>",
) -> ImportedModel:
    """Imports a model from a file, its bytes, or an object (which messages call `name`).

    `dims` fixes dynamic dims by name, `shapes` gives whole input shapes (-1: leave the dim). Weights are
    referenced, not
    copied. Raises `ModelError` with one message: what is wrong, in which file, at which node or tensor;
    operators that are not supported are named all at once, by `UnsupportedModelError`, a kind of it.
    """
    loaded = load_model(model, name)
    opsets = check_model(loaded.proto, loaded.name)
    inputs = read_inputs(loaded.proto.graph, loaded.name, dims or {}, shapes or {})
    context = context or dialects.create_context()
    dialects.load(context)
    with context, ir.Location.name(loaded.name):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            texts = _build_main(loaded, inputs, Frame(opsets))
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
        tuple(
            tuple(each.dim_param for each in o.type.tensor_type.shape.dim) for o in loaded.proto.graph.output
        ),
    )


def _build_main(loaded: LoadedModel, inputs: Sequence[InputType], frame: Frame) -> list[str]:
    """Builds @main; the text that it knows."""
    graph = loaded.proto.graph
    arguments = [
        element_types.tensor_type([d if isinstance(d, int) else None for d in i.shape], i.number)
        for i in inputs
    ]
    main = func.FuncOp("main", (arguments, []))
    block = main.add_entry_block([ir.Location.name(i.name) for i in inputs])
    with ir.InsertionPoint(block):
        builder = GraphBuilder(inputs, Constants(loaded.store))
        importer = Importer(loaded, builder)
        values = [
            from_ir(each.name, value, each.shape) for each, value in zip(inputs, block.arguments, strict=True)
        ]
        builder.named_sizes.name_inputs(values)
        scope: dict[str, Any] = {
            each.name: unpacked(value, each.holds) if each.holds else value
            for each, value in zip(inputs, values, strict=True)
        }
        outputs = importer.import_graph(graph, scope, frame)
        if importer.problems:
            raise UnsupportedModelError(*report(loaded.name, importer.problems))
        given = [Output(loaded.name, *each, builder) for each in zip(graph.output, outputs, strict=True)]
        results = [each.result() for each in given]
        func.ReturnOp(results)
    main.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(arguments, [r.type for r in results])
    )
    _describe(main, "arg_attrs", [_argument(i) for i in inputs])
    _describe(main, "res_attrs", [_described(each.info.name, each.kind) for each in given])
    return list(builder.constants.texts)


def _argument(entry: InputType) -> dict[str, ir.Attribute]:
    """What is said of an argument: its name, and those of its dynamic dims."""
    said = _described(entry.name, entry.kind)
    if all(isinstance(dim, int) for dim in entry.shape):
        return said
    texts = ["" if isinstance(dim, int) else str(dim) for dim in entry.shape]
    return said | {NAMES: ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])}


def _described(name: str, kind: str) -> dict[str, ir.Attribute]:
    """The name of an argument or result, and what it is unless a tensor of numbers."""
    said = {NAME_ATTRIBUTE: ir.StringAttr.get(name)}
    return said | ({KIND_ATTRIBUTE: ir.StringAttr.get(kind)} if kind else {})


def _describe(main: func.FuncOp, attribute: str, entries: Sequence[dict[str, ir.Attribute]]) -> None:
    if entries:
        main.attributes[attribute] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in entries])
