"""Operators that make tensors: constants, shapes, identity matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.common.dynamic_values import counted, declared_length, of_declared_rank
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.tensors import SMALL
from mlc.frontends.onnx.values import Dim, Value

_CONSTANT_DTYPES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


@onnx_operator("Constant")
def constant(node: Node) -> Value:
    if "value" in node.attributes:
        return node.attr("value")
    for name, dtype in _CONSTANT_DTYPES.items():
        if name in node.attributes:
            return node.constant(np.asarray(node.attr(name), dtype))
    if "value_string" in node.attributes:
        return node.strings([node.attr("value_string")], [])
    if "value_strings" in node.attributes:
        return node.strings(node.attr("value_strings"))
    raise Unsupported(f"the attribute {', '.join(node.attributes) or 'value'} is not supported")


@onnx_operator("ConstantOfShape", since=9)
def constant_of_shape(node: Node) -> Value:
    value = node.attributes.get("value")
    wanted = node.input(0)
    dims = node.read_dims(declared_length(node, wanted))
    if value is not None and value.texts is not None:
        return node.numbered(filled(node, dims, node.text_numbers(value.texts)[0]))
    element = np.float32(0) if value is None else value.known.reshape(-1)[0]
    return of_declared_rank(node, filled(node, dims, element), wanted)


def filled(node: Node, shape: Sequence[Dim], element: np.generic) -> Value:
    """A tensor whose elements are all `element`; small ones are known at import."""
    kind = node.type_of(shape, element_types.onnx_number(element.dtype))
    known = [d for d in shape if isinstance(d, int)]
    if any(d < 0 for d in known):
        raise NodeFailure(f"the shape {known} has a negative dim")
    if len(known) < len(shape):
        told = node.sizes(shape)
        return node.named(node.emit("full", told, result_type=kind, value=_number(element)), shape)
    if math.prod(known) * element.itemsize <= SMALL:
        return node.constant(np.full(known, element, element.dtype))
    return node.emit("full", result_type=kind, value=_number(element))


def _number(element: np.generic) -> int | float:
    """The element as `graph.full` says it: complex ones are zeros."""
    return element.real.item() if isinstance(element, np.complexfloating) else element.item()


@onnx_operator("Shape")
def shape(node: Node) -> Value:
    x = node.input(0)
    start, end, _ = slice(node.attr("start", 0), node.attr("end", None)).indices(x.rank)
    return node.sizes(x.shape[start:end])


@onnx_operator("Size")
def size(node: Node) -> Value:
    return node.size(product(node.input(0).shape))


@onnx_operator("EyeLike", since=9)
def eye_like(node: Node) -> Value:
    x = node.input(0)
    rows, columns = x.shape
    number = int(node.attr("dtype", x.number))
    down = node.reshape(counted(node, rows, TensorProto.INT64), [rows, 1])
    diagonal = node.emit("add", down, node.constant(np.int64(node.attr("k", 0))))
    return node.cast(node.emit("equal", diagonal, counted(node, columns, TensorProto.INT64)), number)
