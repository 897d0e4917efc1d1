"""ZipMap, DictVectorizer and CastMap: maps are inputs and outputs of models; inside they are vectors."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.ops.ordering import ALL
from mlc.dialects.graph.sizes import differ
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import element_at, sequence_call
from mlc.frontends.onnx.value_types import MapSequenceValueType, MapValueType, TensorValueType
from mlc.frontends.onnx.values import OnnxValue, RunTimeMap, Value

# The data types of CastMap's attribute `cast_to`.
_CASTS = {"TO_FLOAT": TensorProto.FLOAT, "TO_INT64": TensorProto.INT64, "TO_STRING": TensorProto.STRING}


@onnx_operator("ZipMap", domain=MACHINE_LEARNING)
def zip_map(node: Node) -> list[OnnxValue]:
    """Imports ZipMap: a map from the labels for each row; a vector is one row. Raises NodeError for a wrong
    number of labels."""
    x, texts = node.input(0), node.attr("classlabels_strings", [])
    labels = node.string_ids(texts) if texts else np.array(node.attr("classlabels_int64s", []), np.int64)
    if x.rank not in (1, 2) or differ(x.shape[-1], len(labels)):
        raise NodeError(f"it has {len(labels)} labels for rows of an input of shape {x.shape_text}")
    rows = node.reshape(x, [1, *x.shape]) if x.rank == 1 else x
    made = sequence_call(node, "sequence_maps", node.constant(labels), rows)
    value_type = MapValueType(TensorProto.STRING if texts else TensorProto.INT64, x.onnx_type)
    return [RunTimeMap(made, MapSequenceValueType(value_type))]


@onnx_operator("DictVectorizer", domain=MACHINE_LEARNING)
def dict_vectorizer(node: Node) -> Value:
    """Imports DictVectorizer: the value of each key of the vocabulary; zero, or no text, for one that the map
    lacks."""
    texts = node.attr("string_vocabulary", [])
    known = texts if texts else node.attr("int64_vocabulary", [])
    keys, values = _entries(node, TensorProto.STRING if texts else TensorProto.INT64)
    vocabulary = node.string_ids(texts) if texts else np.array(known, np.int64)
    return _row(node, _spread(node, keys, values, vocabulary))


@onnx_operator("CastMap", domain=MACHINE_LEARNING)
def cast_map(node: Node) -> Value:
    """Imports CastMap: the values in the order of their keys; of a sparse map, each at the index that is its
    key."""
    keys, values = _entries(node, TensorProto.INT64)
    onnx_type = _CASTS.get(node.attr("cast_to", "TO_FLOAT"))
    if onnx_type is None:
        raise NodeError(f"cast_to is '{node.attr('cast_to')}' instead of {', '.join(_CASTS)}")
    if node.attr("map_form", "DENSE") == "SPARSE":
        columns = node.attr("max_map", 1)
        node.reserve(columns)
        found = _spread(node, keys, values, np.arange(columns))
    else:
        order = node.emit_several("top_k", keys, axis=0, k=ALL, largest=False, sorted=True)[1]
        found = node.emit("gather", values, order, axis=0)
    return _row(node, node.cast(found, onnx_type))


def _entries(node: Node, key: int) -> tuple[Value, Value]:
    """Returns the map's keys, strings as their ids, and values. Raises NodeError for other inputs."""
    given = node.any_input(0)
    if not isinstance(given, RunTimeMap) or not isinstance(given.value_type, MapValueType):
        raise NodeError("its input is no map")
    if given.value_type.key != key:
        raise NodeError(f"its input is {given.value_type}, which does not fit its vocabulary")
    indices = (node.constant(np.asarray(index, np.int64)) for index in (0, 1))
    value_types = (
        TensorValueType(onnx_type, (None,)) for onnx_type in (given.value_type.key, given.value_type.value)
    )
    keys, values = (element_at(node, given.value, *pair) for pair in zip(indices, value_types, strict=True))
    return (node.ids_of(keys) if key == TensorProto.STRING else keys), values


def _spread(node: Node, keys: Value, values: Value, vocabulary: np.ndarray) -> Value:
    """Returns for each element of the vocabulary the value whose key it is."""
    is_text = values.onnx_type == TensorProto.STRING
    elements = node.ids_of(values) if is_text else values
    columns = [node.emit("unsqueeze", vector, axes=[1]) for vector in (keys, elements)]
    same = node.emit("equal", columns[0], node.constant(vocabulary))
    found = node.emit("where", same, columns[1], node.scalar(0, elements))
    # At most one is not 0, which is the id of the empty string, too.
    total = node.emit("reduce_sum", found, axes=[0], keepdims=False)
    return node.strings_of(total) if is_text else total


def _row(node: Node, vector: Value) -> Value:
    """Returns the vector, or a row where the model declares a matrix, as other runtimes return it."""
    declared = node.declared[0] if node.declared else None
    if declared is not None and len(declared) == 2:
        return node.reshape(vector, [1, *vector.shape])
    return vector
