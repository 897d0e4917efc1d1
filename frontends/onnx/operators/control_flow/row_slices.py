"""Rows of values, their parts along the first dim, as loops read and stack them."""

from __future__ import annotations

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value


def row(node: Node, x: Value, iteration: Value, backwards: bool = False) -> Value:
    """Returns the row of x with the index `iteration`, counted from the end if `backwards`."""
    if backwards:
        iteration = node.emit("sub", node.size(x.shape[0] - 1), iteration)
    return node.emit("gather", x, iteration, axis=0)


def reversed_rows(node: Node, x: Value) -> Value:
    """Reverses x along its first dim."""
    count = x.shape[0]
    if not x.is_static:
        downwards = node.emit("range", node.size(count - 1), *[node.constant(np.int64(-1))] * 2)
        return node.emit("gather", x, node.name_dims(downwards, [count]), axis=0)
    sizes = node.shape(x)
    starts, steps = [0] * len(sizes), [1] * len(sizes)
    starts[0], steps[0] = sizes[0] - 1, -1
    return node.emit("slice", x, starts=starts, sizes=sizes, steps=steps)


def axis_first(node: Node, x: Value, axis: int) -> Value:
    """Moves the dim `axis` to the front."""
    order = [axis, *(index for index in range(x.rank) if index != axis)]
    return x if axis == 0 else node.emit("transpose", x, permutation=order)


def axis_back(node: Node, x: Value, axis: int) -> Value:
    """Moves the first dim to position `axis`."""
    order = [*range(1, x.rank)]
    order.insert(axis, 0)
    return x if axis == 0 else node.emit("transpose", x, permutation=order)
