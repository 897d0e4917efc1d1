"""Operators that make tensors: constants, shapes, identity matrices.

Range.
"""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
    checked,
    counted,
    declared_length,
    filled,
    number_of,
    of_declared_rank,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("Range", since=11)
def range_(node: Node) -> Value:
    bounds = [node.reshape(node.input(i), []) for i in range(3)]
    if not all(b.is_constant for b in bounds):
        return _computed(node, *bounds)
    start, limit, delta = (b.known.item() for b in bounds if b.known is not None)
    if delta == 0:
        raise NodeError("delta is 0")
    count = max(0, math.ceil((limit - start) / delta))
    return node.emit("range", *bounds, result_type=node.type_of([count], bounds[0].number))


def _computed(node: Node, start: Value, limit: Value, delta: Value) -> Value:
    """start + i * delta, for as many i as come before the limit."""
    number = start.number
    if element_types.is_integer(number):
        whole = TensorProto.INT64
    else:
        whole = TensorProto.DOUBLE if number == TensorProto.DOUBLE else TensorProto.FLOAT
    start, limit, delta = (node.cast(each, whole) for each in (start, limit, delta))
    zero = node.scalar(0, delta)
    delta = checked(node, delta, node.emit("not", node.emit("equal", delta, zero)), "delta is 0")
    distance = node.emit("sub", limit, start)
    if whole == TensorProto.INT64:
        # Away from 0 towards the limit, as division cuts off.
        rest = node.emit("sub", delta, node.emit("sign", delta))
        count = node.emit("div", node.emit("add", distance, rest), delta)
    else:
        quotient = node.emit("ceil", node.emit("div", distance, delta))
        is_count = node.emit("less", node.emit("abs", quotient), node.scalar(2.0**62, quotient))
        quotient = checked(node, quotient, is_count, "the number of elements is not finite")
        count = node.cast(quotient, TensorProto.INT64)
    count = node.emit("max", count, number_of(node, 0))
    [length] = node.read_dims(node.reshape(count, [1]))
    steps = node.emit("mul", counted(node, length, whole), delta)
    return node.cast(node.emit("add", steps, start), number)


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
    raise UnsupportedNodeError(f"the attribute {', '.join(node.attributes) or 'value'} is not supported")


@onnx_operator("ConstantOfShape", since=9)
def constant_of_shape(node: Node) -> Value:
    value = node.attributes.get("value")
    wanted = node.input(0)
    dims = node.read_dims(declared_length(node, wanted))
    if value is not None and value.texts is not None:
        return node.numbered(filled(node, dims, node.text_numbers(value.texts)[0]))
    element = np.float32(0) if value is None else value.known.reshape(-1)[0]
    return of_declared_rank(node, filled(node, dims, element), wanted)


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
