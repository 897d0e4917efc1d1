"""Operators that make tensors: constants, shapes, ranges, one-hot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.run_time import counted
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.tensors import SMALL
from mlc.frontends.onnx.values import Dim, Value
from onnx import TensorProto

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
    raise Unsupported(f"the attribute {', '.join(node.attributes) or 'value'} is not supported")


@onnx_operator("ConstantOfShape", since=9)
def constant_of_shape(node: Node) -> Value:
    value = node.attributes.get("value")
    element = np.float32(0) if value is None else value.known.reshape(-1)[0]
    return filled(node, node.read_dims(node.input(0)), element)


def filled(node: Node, shape: Sequence[Dim], element: np.generic) -> Value:
    """A tensor whose elements are all `element`; small ones are known at import."""
    kind = node.type_of(shape, types.onnx_number(element.dtype))
    known = [d for d in shape if isinstance(d, int)]
    if any(d < 0 for d in known):
        raise NodeFailure(f"the shape {known} has a negative dim")
    if len(known) < len(shape):
        told = node.sizes(shape)
        return node.named(node.emit("full", told, result_type=kind, value=element.item()), shape)
    if math.prod(known) * element.itemsize <= SMALL:
        return node.constant(np.full(known, element, element.dtype))
    return node.emit("full", result_type=kind, value=element.item())


@onnx_operator("Shape")
def shape(node: Node) -> Value:
    x = node.input(0)
    start, end, _ = slice(node.attr("start", 0), node.attr("end", None)).indices(x.rank)
    return node.sizes(x.shape[start:end])


@onnx_operator("Size")
def size(node: Node) -> Value:
    return node.size(product(node.input(0).shape))


@onnx_operator("Range", since=11)
def range_(node: Node) -> Value:
    bounds = [node.input(i) for i in range(3)]
    if not all(b.is_constant for b in bounds):
        for i in range(3):
            node.dims(i)
        raise NodeFailure(f"its bounds depend on dynamic dims; {node.emitter.dynamic_hint()}")
    start, limit, delta = (b.known.item() for b in bounds if b.known is not None)
    if delta == 0:
        raise NodeFailure("delta is 0")
    count = max(0, math.ceil((limit - start) / delta))
    return node.emit("range", *bounds, result_type=node.type_of([count], bounds[0].number))


@onnx_operator("EyeLike", since=9)
def eye_like(node: Node) -> Value:
    x = node.input(0)
    rows, columns = node.shape(x)
    number = int(node.attr("dtype", x.number))
    down = node.reshape(counted(node, rows, TensorProto.INT64), [rows, 1])
    diagonal = node.emit("add", down, node.constant(np.int64(node.attr("k", 0))))
    return node.cast(node.emit("equal", diagonal, counted(node, columns, TensorProto.INT64)), number)


@onnx_operator("OneHot", since=9)
def one_hot(node: Node) -> Value:
    """where(index == position, on, off); negative indices count from the back from opset 11 on."""
    indices, values = node.cast(node.input(0), TensorProto.INT64), node.input(2)
    depth_input = node.input(1)
    if not depth_input.is_constant or depth_input.known is None:
        raise Unsupported(f"input 1 ('{depth_input.name}') must be known when the model is compiled")
    depth = int(depth_input.known.reshape(-1)[0])
    axis = node.axis(node.attr("axis", -1), indices.rank + 1)
    if node.opset >= 11:
        negative = node.emit("less", indices, node.constant(np.int64(0)))
        wrapped = node.emit("add", indices, node.constant(np.int64(depth)))
        indices = node.emit("where", negative, wrapped, indices)
    index = node.emit("unsqueeze", indices, axes=[axis])
    positions = node.reshape(counted(node, depth, TensorProto.INT64), [depth, *[1] * (indices.rank - axis)])
    off, on = (node.emit("slice", values, starts=[i], sizes=[1], steps=[1]) for i in (0, 1))
    return node.emit("where", node.emit("equal", index, positions), on, off)


@onnx_operator("Hardmax", since=13)
def hardmax(node: Node) -> Value:
    """1 at the first largest element along the axis, 0 elsewhere."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", -1), x.rank)
    (length,) = node.static([x.shape[axis]], f"the dim {axis}")
    largest = node.emit("arg_max", x, axis=axis, keepdims=True, select_last_index=False)
    positions = node.reshape(counted(node, length, TensorProto.INT64), [length, *[1] * (x.rank - 1 - axis)])
    return node.cast(node.emit("equal", largest, positions), x.number)
