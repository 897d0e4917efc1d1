"""OneHot and Hardmax."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import always_less, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import i64_scalar, iota
from mlc.frontends.onnx.operators.common.expressions import filled_with
from mlc.frontends.onnx.operators.common.sliding_windows import lowest
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("OneHot", since=9)
def one_hot(node: Node) -> Value:
    """Imports OneHot: where(index == position, on, off); negative indices count from the end from opset 11
    on."""
    indices, values = node.cast(node.input(0), TensorProto.INT64), node.input_of_shape(2, [2])
    [depth] = _depth(node)
    axis = node.axis(node.attr("axis", -1), indices.rank + 1)
    if node.opset >= 11:
        negative = node.emit("less", indices, node.constant(np.int64(0)))
        wrapped = node.emit("add", indices, i64_scalar(node, depth))
        indices = node.emit("where", negative, wrapped, indices)
    index = node.emit("unsqueeze", indices, axes=[axis])
    positions = node.reshape(iota(node, depth), [depth, *[1] * (indices.rank - axis)])
    off, on = (node.emit("slice", values, starts=[i], sizes=[1], steps=[1]) for i in (0, 1))
    return node.emit("where", node.emit("equal", index, positions), on, off)


def _depth(node: Node) -> list[Dim]:
    """Returns the number of classes, which may be a float. Raises NodeError for negative ones."""
    depth = node.input(1)
    if depth.is_constant and depth.known is not None:
        count = int(depth.known.reshape(-1)[0])
        if count < 0:
            raise NodeError(f"input 1 ('{depth.name}') must not be negative, but is {count}")
        return [count]
    return node.read_dims(node.reshape(node.cast(depth, TensorProto.INT64), [1]), depth.name)


@onnx_operator("Hardmax", since=13)
def hardmax(node: Node) -> Value:
    """Imports Hardmax: 1 at the first largest element along the axis, 0 elsewhere."""
    x = node.input(0)
    return _hardmax(node, x, node.axis(node.attr("axis", -1), x.rank))


@onnx_operator("Hardmax", until=12)
def hardmax_flattened(node: Node) -> Value:
    """Imports Hardmax before opset 13, where the dims from `axis` on count as one."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", 1), x.rank)
    flat = node.reshape(x, [*x.shape[:axis], product(x.shape[axis:])])
    return node.reshape(_hardmax(node, flat, axis), x.shape)


def _hardmax(node: Node, x: Value, axis: int) -> Value:
    length, searched = x.shape[axis], _not_empty(node, x, axis)
    largest = node.emit("arg_max", searched, axis=axis, keepdims=True, select_last_index=False)
    positions = node.reshape(iota(node, length), [length, *[1] * (x.rank - 1 - axis)])
    return node.cast(node.emit("equal", largest, positions), x.onnx_type)


def _not_empty(node: Node, x: Value, axis: int) -> Value:
    """Returns x with one more element along an axis that may have none; it is the largest only there."""
    if always_less(0, x.shape[axis]):
        return x
    shape = [1 if index == axis else size for index, size in enumerate(x.shape)]
    return node.emit("concat", x, filled_with(node, shape, lowest(x.dtype), x.onnx_type), axis=axis)
