"""Operators that make tensors: constants, shapes, ranges, identity matrices."""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
    declared_length,
    full,
    i64_scalar,
    iota,
    of_declared_rank,
    require,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("Range", since=11)
def range_(node: Node) -> Value:
    """Imports Range. Raises NodeError for a delta of 0."""
    bounds = [node.reshape(node.input(i), []) for i in range(3)]
    if not all(b.is_constant for b in bounds):
        return _dynamic_range(node, *bounds)
    start, limit, delta = (b.known.item() for b in bounds if b.known is not None)
    if delta == 0:
        raise NodeError("delta is 0")
    count = max(0, math.ceil((limit - start) / delta))
    return node.emit("range", *bounds, result_type=node.type_of([count], bounds[0].onnx_type))


def _dynamic_range(node: Node, start: Value, limit: Value, delta: Value) -> Value:
    """Returns start + i * delta for all i for which it is before the limit."""
    onnx_type = start.onnx_type
    if element_types.is_integer(onnx_type):
        whole = TensorProto.INT64
    else:
        whole = TensorProto.DOUBLE if onnx_type == TensorProto.DOUBLE else TensorProto.FLOAT
    start, limit, delta = (node.cast(value, whole) for value in (start, limit, delta))
    zero = node.scalar(0, delta)
    delta = require(node, delta, node.emit("not", node.emit("equal", delta, zero)), "delta is 0")
    distance = node.emit("sub", limit, start)
    if whole == TensorProto.INT64:
        # Rounded away from 0, as division truncates.
        rest = node.emit("sub", delta, node.emit("sign", delta))
        count = node.emit("div", node.emit("add", distance, rest), delta)
    else:
        quotient = node.emit("ceil", node.emit("div", distance, delta))
        is_count = node.emit("less", node.emit("abs", quotient), node.scalar(2.0**62, quotient))
        quotient = require(node, quotient, is_count, "the number of elements is not finite")
        count = node.cast(quotient, TensorProto.INT64)
    count = node.emit("max", count, i64_scalar(node, 0))
    [length] = node.read_dims(node.reshape(count, [1]))
    steps = node.emit("mul", iota(node, length, whole), delta)
    return node.cast(node.emit("add", steps, start), onnx_type)


_CONSTANT_DTYPES = {
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


@onnx_operator("Constant")
def constant(node: Node) -> Value:
    """Imports Constant."""
    for name in ("value", "sparse_value"):
        if name in node.attributes:
            return node.attr(name)
    for name, dtype in _CONSTANT_DTYPES.items():
        if name in node.attributes:
            return node.constant(np.asarray(node.attr(name), dtype))
    if "value_string" in node.attributes:
        return node.strings([node.attr("value_string")], [])
    if "value_strings" in node.attributes:
        return node.strings(node.attr("value_strings"))
    raise UnsupportedNodeError(f"the attribute {', '.join(node.attributes) or 'value'} is not supported")


@onnx_operator("ConstantOfShape", since=9)
def constant_of_shape(node: Node) -> Value:
    """Imports ConstantOfShape."""
    value = node.attributes.get("value")
    wanted = node.input(0)
    dims = node.read_dims(declared_length(node, wanted))
    if value is not None and value.texts is not None:
        return node.strings_of(full(node, dims, node.string_ids(value.texts)[0]))
    element = np.float32(0) if value is None else value.known.reshape(-1)[0]
    return of_declared_rank(node, full(node, dims, element), wanted)


@onnx_operator("Shape")
def shape(node: Node) -> Value:
    """Imports Shape."""
    x = node.input(0)
    start, end, _ = slice(node.attr("start", 0), node.attr("end", None)).indices(x.rank)
    return node.sizes(x.shape[start:end])


@onnx_operator("Size")
def size(node: Node) -> Value:
    """Imports Size."""
    return node.size(product(node.input(0).shape))


@onnx_operator("EyeLike", since=9)
def eye_like(node: Node) -> Value:
    """Imports EyeLike."""
    x = node.input(0)
    rows, columns = x.shape
    onnx_type = int(node.attr("dtype", x.onnx_type))
    down = node.reshape(iota(node, rows, TensorProto.INT64), [rows, 1])
    diagonal = node.emit("add", down, node.constant(np.int64(node.attr("k", 0))))
    return node.cast(node.emit("equal", diagonal, iota(node, columns, TensorProto.INT64)), onnx_type)
