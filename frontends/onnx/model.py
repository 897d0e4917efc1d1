"""`import_model`: from an ONNX model to a module of the `graph` dialect and its weights."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx
from mlc import dialects
from mlc.bindings import func, ir
from mlc.dialects.graph.dims import NAMES
from mlc.dialects.graph.objects import KIND_ATTRIBUTE, STRINGS_ATTRIBUTE
from mlc.frontends.errors import ImportFailure, UnsupportedModel
from mlc.frontends.onnx import types
from mlc.frontends.onnx.builder import GraphBuilder
from mlc.frontends.onnx.check import check_model
from mlc.frontends.onnx.importer import MISSING, Frame, Importer
from mlc.frontends.onnx.inputs import InputType, read_inputs
from mlc.frontends.onnx.load import LoadedModel, load_model
from mlc.frontends.onnx.node import NodeFailure
from mlc.frontends.onnx.report import report
from mlc.frontends.onnx.values import Nothing, OpenList, ValueList, from_ir
from mlc.frontends.weights import WeightStore

# Attribute of @main's arguments and results: the name in the model.
NAME_ATTRIBUTE = "graph.name"


@dataclass(frozen=True)
class ImportedModel:
    """`module` holds `@main`; `inputs` and `outputs` are the model's names in the order of its arguments and
    results."""

    module: ir.Module
    weights: WeightStore
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str


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
    copied. Raises `ImportFailure` with one message: what is wrong, in which file, at which node or tensor;
    operators that are not supported are named all at once, by `UnsupportedModel`, a kind of it.
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
    )


def _build_main(loaded: LoadedModel, inputs: Sequence[InputType], frame: Frame) -> list[str]:
    """Builds @main; the text that it knows."""
    graph = loaded.proto.graph
    arguments = [
        types.tensor_type([d if isinstance(d, int) else None for d in i.shape], i.number) for i in inputs
    ]
    main = func.FuncOp("main", (arguments, []))
    block = main.add_entry_block([ir.Location.name(i.name) for i in inputs])
    with ir.InsertionPoint(block):
        builder = GraphBuilder(inputs, loaded.store)
        importer = Importer(loaded, builder)
        scope: dict[str, Any] = {
            entry.name: from_ir(entry.name, argument, entry.shape)
            for entry, argument in zip(inputs, block.arguments, strict=True)
        }
        builder.name_inputs(list(scope.values()))
        outputs = importer.import_graph(graph, scope, frame)
        if importer.problems:
            raise UnsupportedModel(*report(loaded.name, importer.problems))
        results = [_result(loaded.name, o, v) for o, v in zip(graph.output, outputs, strict=True)]
        func.ReturnOp(results)
    main.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(arguments, [r.type for r in results])
    )
    _describe(main, "arg_attrs", [_argument(i) for i in inputs])
    _describe(main, "res_attrs", [_output(*each) for each in zip(graph.output, outputs, strict=True)])
    return list(builder.texts)


def _output(output: onnx.ValueInfoProto, value: Any) -> dict[str, ir.Attribute]:
    """What is said of a result."""
    name = {NAME_ATTRIBUTE: ir.StringAttr.get(output.name)}
    if value.number == onnx.TensorProto.STRING:
        return name | {KIND_ATTRIBUTE: ir.StringAttr.get("string")}
    return name


def _result(file: str, output: onnx.ValueInfoProto, value: Any) -> ir.Value:
    """The SSA value of a model's output; its element type must be the declared one."""
    if value is None or value is MISSING:
        raise ImportFailure(
            f"{file}: the node that should define the model's output '{output.name}' leaves it out"
        )
    if isinstance(value, ValueList | OpenList | Nothing):
        raise UnsupportedModel(f"{file}: output '{output.name}' is {value.described}, which is not supported")
    declared = output.type.tensor_type.elem_type
    if declared not in (onnx.TensorProto.UNDEFINED, value.number):
        names = types.type_name(declared), types.type_name(value.number)
        raise ImportFailure(f"{file}: output '{output.name}' is declared as {names[0]}, but is {names[1]}")
    try:
        return value.ir
    except NodeFailure as error:
        raise ImportFailure(f"{file}: output '{output.name}': {error}") from None


def _argument(entry: InputType) -> dict[str, ir.Attribute]:
    """What is said of an argument: its name, and those of its dynamic dims."""
    name = {NAME_ATTRIBUTE: ir.StringAttr.get(entry.name)}
    if entry.kind:
        name[KIND_ATTRIBUTE] = ir.StringAttr.get(entry.kind)
    if all(isinstance(dim, int) for dim in entry.shape):
        return name
    texts = ["" if isinstance(dim, int) else str(dim) for dim in entry.shape]
    return name | {NAMES: ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])}


def _describe(main: func.FuncOp, attribute: str, entries: Sequence[dict[str, ir.Attribute]]) -> None:
    if entries:
        main.attributes[attribute] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in entries])
