"""ZipMap, DictVectorizer and CastMap: maps at a model's edges; inside they are vectors."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.ops.ordering import ALL
from mlc.dialects.graph.sizes import differ
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.runtime_objects import element_at, sequence_call
from mlc.frontends.onnx.value_types import MapKind, MapsKind, TensorKind
from mlc.frontends.onnx.values import Held, RunTimeMap, Value

# What CastMap's attribute `cast_to` says.
_CASTS = {"TO_FLOAT": TensorProto.FLOAT, "TO_INT64": TensorProto.INT64, "TO_STRING": TensorProto.STRING}


@onnx_operator("ZipMap", domain=MACHINE_LEARNING)
def zip_map(node: Node) -> list[Held]:
    """A map from the labels for each row; a vector is one row."""
    x, texts = node.input(0), node.attr("classlabels_strings", [])
    labels = node.text_numbers(texts) if texts else np.array(node.attr("classlabels_int64s", []), np.int64)
    if x.rank not in (1, 2) or differ(x.shape[-1], len(labels)):
        raise NodeError(f"it has {len(labels)} labels for rows of an input of shape {list(x.shape)}")
    rows = node.reshape(x, [1, *x.shape]) if x.rank == 1 else x
    made = sequence_call(node, "sequence_maps", node.constant(labels), rows)
    kind = MapKind(TensorProto.STRING if texts else TensorProto.INT64, x.number)
    return [RunTimeMap(made, MapsKind(kind))]


@onnx_operator("DictVectorizer", domain=MACHINE_LEARNING)
def dict_vectorizer(node: Node) -> Value:
    """The value of each key of the vocabulary; zero, or no text, for one that the map lacks."""
    texts = node.attr("string_vocabulary", [])
    known = texts if texts else node.attr("int64_vocabulary", [])
    keys, values = _entries(node, TensorProto.STRING if texts else TensorProto.INT64)
    vocabulary = node.text_numbers(texts) if texts else np.array(known, np.int64)
    return _row(node, _spread(node, keys, values, vocabulary))


@onnx_operator("CastMap", domain=MACHINE_LEARNING)
def cast_map(node: Node) -> Value:
    """The values in the order of their keys; of a sparse map, each at the place that its key is."""
    keys, values = _entries(node, TensorProto.INT64)
    number = _CASTS.get(node.attr("cast_to", "TO_FLOAT"))
    if number is None:
        raise NodeError(f"cast_to is '{node.attr('cast_to')}' instead of {', '.join(_CASTS)}")
    if node.attr("map_form", "DENSE") == "SPARSE":
        found = _spread(node, keys, values, np.arange(node.attr("max_map", 1)))
    else:
        order = node.emit_several("top_k", keys, axis=0, k=ALL, largest=False, sorted=True)[1]
        found = node.emit("gather", values, order, axis=0)
    return _row(node, node.cast(found, number))


def _entries(node: Node, key: int) -> tuple[Value, Value]:
    """The map's keys, strings as their numbers, and values."""
    given = node.held(0)
    if not isinstance(given, RunTimeMap) or not isinstance(given.kind, MapKind):
        raise NodeError("its input is no map")
    if given.kind.key != key:
        raise NodeError(f"its input is {given.kind}, which does not fit its vocabulary")
    places = (node.constant(np.asarray(place, np.int64)) for place in (0, 1))
    kinds = (TensorKind(number, (None,)) for number in (given.kind.key, given.kind.value))
    keys, values = (element_at(node, given.value, *each) for each in zip(places, kinds, strict=True))
    return (node.numbers(keys) if key == TensorProto.STRING else keys), values


def _spread(node: Node, keys: Value, values: Value, vocabulary: np.ndarray) -> Value:
    """Of each number in the vocabulary the value whose key it is."""
    is_text = values.number == TensorProto.STRING
    numbers = node.numbers(values) if is_text else values
    columns = [node.emit("unsqueeze", each, axes=[1]) for each in (keys, numbers)]
    same = node.emit("equal", columns[0], node.constant(vocabulary))
    found = node.emit("where", same, columns[1], node.scalar(0, numbers))
    # At most one is not 0, which is the number of the empty string, too.
    total = node.emit("reduce_sum", found, axes=[0], keepdims=False)
    return node.numbered(total) if is_text else total


def _row(node: Node, vector: Value) -> Value:
    """The vector, or a row where the model declares a matrix, as other runtimes give it."""
    declared = node.declared[0] if node.declared else None
    if declared is not None and len(declared) == 2:
        return node.reshape(vector, [1, *vector.shape])
    return vector
