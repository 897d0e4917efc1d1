"""Operators whose result is as long as the data require: Compress, NonZero and Unique."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import always_less, minimum, product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.complex_parts import is_complex, is_not_zero, order
from mlc.frontends.onnx.operators.common.dynamic_values import take_range
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def order_of_rows(node: Node, x: Value, axis: int) -> Value:
    """Returns for each slice along the axis how many others are less than it: the first element in which two
    differ decides.

    Equal slices have equal ranks.
    """
    others = [index for index in range(x.rank) if index != axis]
    moved = node.emit("transpose", x, permutation=[axis, *others])
    count, length = x.shape[axis], product([x.shape[other] for other in others])
    rows = node.reshape(moved, [count, length])
    if not isinstance(length, int) or length == 0:
        # There must be a first element.
        rows = node.emit("concat", node.expand(node.scalar(0, x), [count, 1]), rows, axis=1)
    one, other = (node.emit("unsqueeze", rows, axes=[at]) for at in (1, 0))
    differs = node.cast(node.emit("not", node.emit("equal", one, other)), TensorProto.INT32)
    first = node.emit("arg_max", differs, axis=2, keepdims=True, select_last_index=False)
    greater = node.cast(node.emit("greater", one, other), TensorProto.INT64)
    less = node.emit("gather_elements", greater, first, axis=2)
    return node.emit("reduce_sum", less, axes=[1, 2], keepdims=False)


def first_of(node: Node, values: list[Value], count: Value, axis: int) -> list[Value]:
    """Returns the first `count` elements of the values along an axis; `count` is a scalar that the model
    computes."""
    [length] = node.read_dims(node.reshape(count, [1]))
    return [take_range(node, value, axis, 0, length) for value in values]


@onnx_operator("Compress", since=9)
def compress(node: Node) -> Value:
    """Imports Compress: a gather at the indices where the condition, which may be shorter or longer than the
    dim, holds. Raises NodeError for a condition that is no vector."""
    x, condition = node.input(0), node.input(1)
    axis = node.attr("axis", None)
    if axis is None:
        x, axis = node.reshape(x, [product(x.shape)]), 0
    axis = node.axis(axis, x.rank)
    (flags,), extent = condition.shape, x.shape[axis]
    if flags != extent and not always_less(flags, extent):
        # As in ONNX Runtime, what is beyond the dim does not count.
        condition = take_range(node, condition, 0, 0, minimum(flags, extent))
    if condition.known is None or not condition.is_constant:
        values, count = node.emit_several("compress", x, condition, axis=axis)
        return first_of(node, [values], count, axis)[0]
    return node.emit("gather", x, node.constant(np.flatnonzero(condition.known), np.int64), axis=axis)


@onnx_operator("NonZero", since=9)
def non_zero(node: Node) -> Value:
    """Imports NonZero."""
    x = node.input(0)
    if x.known is None or not x.is_constant:
        found, count = node.emit_several("non_zero", is_not_zero(node, x) if is_complex(x) else x)
        return first_of(node, [found], count, 1)[0]
    # A scalar has no coordinates, but a column if it is not zero.
    coordinates = np.stack(np.nonzero(x.known)) if x.rank else np.zeros((0, np.count_nonzero(x.known)))
    return node.constant(coordinates, np.int64)


@onnx_operator("Unique", since=11)
def unique(node: Node) -> list[Value]:
    """Imports Unique: values, the first index of each, for each element the index of its value, and the
    counts."""
    x, axis = node.input(0), node.attr("axis", None)
    along = None if axis is None else node.axis(axis, x.rank)
    is_sorted = bool(node.attr("sorted", 1))
    if x.onnx_type == TensorProto.STRING:
        # The ranks of strings in the order of their bytes, that of code points.
        ranks = node.call_runtime("string_order", x, onnx_type=TensorProto.INT64, shape=x.shape)
        return _unique_by(node, x, ranks, along, is_sorted)
    if is_complex(x):
        return _unique_by(node, x, order(node, x), along, is_sorted)
    if x.known is None or not x.is_constant:
        onnx_type = TensorProto.UINT8 if x.onnx_type == TensorProto.BOOL else x.onnx_type
        found = _computed_unique(node, node.cast(x, onnx_type), along, is_sorted)
        return [node.cast(found[0], x.onnx_type), *found[1:]]
    values, first, inverse, counts = np.unique(x.known, True, True, True, axis=along)
    kept = np.arange(len(first)) if is_sorted else np.argsort(first)
    inverse_order = np.argsort(kept)
    outputs = (first[kept], inverse_order[inverse.reshape(-1)], counts[kept])
    chosen = node.constant(np.take(values, kept, along or 0), x.dtype)
    return [chosen, *(node.constant(output, np.int64) for output in outputs)]


def _unique_by(node: Node, x: Value, ranks: Value, axis: int | None, is_sorted: bool) -> list[Value]:
    """Returns the outputs of Unique for elements with these ranks."""
    _, indices, inverse, counts = _computed_unique(node, ranks, axis, is_sorted)
    flat = node.reshape(x, [product(x.shape)]) if axis is None else x
    return [node.emit("gather", flat, indices, axis=axis or 0), indices, inverse, counts]


def _computed_unique(node: Node, x: Value, axis: int | None, is_sorted: bool) -> list[Value]:
    """Returns the outputs of Unique; along an axis for slices, by their ranks."""
    length = product(x.shape) if axis is None else x.shape[axis]
    if length in (0, 1):
        outputs = [node.constant(np.full(length, element, np.int64)) for element in (0, 0, 1)]
        return [node.reshape(x, [length]) if axis is None else x, *outputs]
    flat = node.reshape(x, [product(x.shape)]) if axis is None else order_of_rows(node, x, axis)
    values, indices, inverse, counts, count = node.emit_several("unique", flat, sorted=is_sorted)
    values, indices, counts = first_of(node, [values, indices, counts], count, 0)
    if axis is not None:
        values = node.emit("gather", x, indices, axis=axis)
    return [values, indices, inverse, counts]
