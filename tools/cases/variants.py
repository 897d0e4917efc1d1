"""The variants in which a case can be run: as it is, with constant inputs, with dynamic dims."""

from __future__ import annotations

from typing import Any

from onnx import ModelProto, TypeProto, numpy_helper

from mlc.tools.cases.suite import DataSet, Loaded

# Before IR version 4 every initializer had to be an input too.
_FREE_INITIALIZERS = 4


def in_variant(loaded: Loaded, variant: str) -> Loaded:
    """Returns model and data in a variant; the given model stays as it is.

    "static": the suite's own model. "const": every tensor input is an initializer. "dynamic": every dim of an
    input is a separate symbol.
    """
    model, sets = loaded
    if variant == "static":
        return loaded
    copy = ModelProto.FromString(model.SerializeToString())
    if variant == "dynamic":
        _make_dims_dynamic(copy)
        return copy, sets
    [only] = sets
    return copy, [DataSet(_fix_inputs(copy, only.inputs), only.outputs)]


def _make_dims_dynamic(model: ModelProto) -> None:
    graph = model.graph
    stored = {tensor.name for tensor in graph.initializer}
    for index, info in enumerate(graph.input):
        if info.name not in stored:
            _name_dims(info.type, f"in{index}")
    for index, info in enumerate(graph.output):
        _name_dims(info.type, f"out{index}")
    del graph.value_info[:]


def _name_dims(value_type: TypeProto, prefix: str) -> None:
    match value_type.WhichOneof("value"):
        case "sequence_type":
            _name_dims(value_type.sequence_type.elem_type, prefix)
        case "optional_type":
            _name_dims(value_type.optional_type.elem_type, prefix)
        case "tensor_type" if value_type.tensor_type.HasField("shape"):
            for axis, dim in enumerate(value_type.tensor_type.shape.dim):
                dim.dim_param = f"{prefix}_{axis}"


def _fix_inputs(model: ModelProto, values: list[Any]) -> list[Any]:
    """Makes tensor inputs initializers; returns the values of the inputs that are left."""
    graph = model.graph
    stored = {tensor.name for tensor in graph.initializer}
    infos = list(graph.input)
    if len(values) != len(infos):
        infos = [info for info in infos if info.name not in stored]
    left = []
    for info, value in zip(infos, values, strict=False):
        if info.type.WhichOneof("value") != "tensor_type" or value is None:
            left.append(value)
            continue
        for old in [tensor for tensor in graph.initializer if tensor.name == info.name]:
            graph.initializer.remove(old)
        graph.initializer.append(numpy_helper.from_array(value, info.name))
        graph.input.remove(info)
    model.ir_version = max(_FREE_INITIALIZERS, model.ir_version)
    return left
