"""Elements of an axis at static indices, and weighted sums of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.values import Value

# At most this many elements are added one by one, in one kernel; more of them are gathered first.
ADDED = 4


def take(node: Node, x: Value, axis: int, indices: np.ndarray) -> Value:
    """Returns x at `indices` (not negative) along the axis, which their dims replace."""
    steps = np.diff(indices) if indices.ndim == 1 else np.zeros(1)
    if len(indices) and (len(steps) == 0 or (steps[0] > 0 and np.all(steps == steps[0]))):
        first, count, step = int(indices[0]), len(indices), int(steps[0]) if len(steps) else 1
        whole = (first, count, step) == (0, x.shape[axis], 1)
        return x if whole else slice_axes(node, x, {axis: (first, count, step)})
    return node.emit("gather", x, node.constant(indices, np.int32), axis=axis)


def weighted_sum(node: Node, x: Value, axis: int, indices: np.ndarray, weights: np.ndarray) -> Value:
    """Returns for each i along the axis the sum over t of `weights[i, t] * x[indices[i, t]]`, in x's type;
    both are `[length, taps]`."""
    if indices.shape[1] > ADDED:
        spread = take(node, x, axis, indices)
        scaled = _scale(node, spread, axis, weights)
        return node.emit("reduce_sum", scaled, axes=[axis + 1], keepdims=False)
    terms = [
        _scale(node, take(node, x, axis, indices[:, tap]), axis, weights[:, tap])
        for tap in range(indices.shape[1])
    ]
    return add_all(node, terms)


def add_all(node: Node, terms: Sequence[Value]) -> Value:
    """Returns the sum of one or more tensors."""
    return reduce(lambda a, b: node.emit("add", a, b), terms)


def _scale(node: Node, x: Value, axis: int, weights: np.ndarray) -> Value:
    first = weights.flat[0]
    if np.all(weights == first):
        return x if first == 1 else node.emit("mul", x, node.scalar(first, x))
    return node.emit("mul", x, _along(node, weights, axis, x))


def _along(node: Node, values: np.ndarray, axis: int, x: Value) -> Value:
    """Returns a constant of x's type that broadcasts along the dims of x from `axis` on."""
    trailing = x.rank - axis - values.ndim
    return node.constant(values.reshape(*values.shape, *[1] * trailing), x.dtype)
