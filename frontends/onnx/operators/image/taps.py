"""Elements of an axis at places known when the model is compiled, and weighted sums of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import sliced
from mlc.frontends.onnx.values import Value

# Up to so many elements are added one by one, in one kernel; more of them are gathered first.
ADDED = 4


def taken(node: Node, x: Value, axis: int, indices: np.ndarray) -> Value:
    """x at `indices` (not negative) along the axis; their dims replace it."""
    steps = np.diff(indices) if indices.ndim == 1 else np.zeros(1)
    if len(indices) and (len(steps) == 0 or (steps[0] > 0 and np.all(steps == steps[0]))):
        first, count, step = int(indices[0]), len(indices), int(steps[0]) if len(steps) else 1
        whole = (first, count, step) == (0, x.shape[axis], 1)
        return x if whole else sliced(node, x, {axis: (first, count, step)})
    return node.emit("gather", x, node.constant(indices, np.int32), axis=axis)


def weighted_sum(node: Node, x: Value, axis: int, indices: np.ndarray, weights: np.ndarray) -> Value:
    """Element i along the axis is the sum over t of `weights[i, t] * x[indices[i, t]]`, in x's type; both are
    `[length, taps]`."""
    if indices.shape[1] > ADDED:
        spread = taken(node, x, axis, indices)
        scaled = _scaled(node, spread, axis, weights)
        return node.emit("reduce_sum", scaled, axes=[axis + 1], keepdims=False)
    terms = [
        _scaled(node, taken(node, x, axis, indices[:, tap]), axis, weights[:, tap])
        for tap in range(indices.shape[1])
    ]
    return added(node, terms)


def added(node: Node, terms: Sequence[Value]) -> Value:
    """The sum of one or more tensors."""
    return reduce(lambda a, b: node.emit("add", a, b), terms)


def _scaled(node: Node, x: Value, axis: int, weights: np.ndarray) -> Value:
    first = weights.flat[0]
    if np.all(weights == first):
        return x if first == 1 else node.emit("mul", x, node.scalar(first, x))
    return node.emit("mul", x, _along(node, weights, axis, x))


def _along(node: Node, values: np.ndarray, axis: int, x: Value) -> Value:
    """Numbers of x's type that broadcast along the dims of x from `axis` on that they have."""
    trailing = x.rank - axis - values.ndim
    return node.constant(values.reshape(*values.shape, *[1] * trailing), x.dtype)
