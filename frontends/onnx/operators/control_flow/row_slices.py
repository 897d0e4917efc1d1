"""Parts of values along their first dim, as loops read and stack them."""

from __future__ import annotations

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value


def row(node: Node, x: Value, iteration: Value, backwards: bool = False) -> Value:
    """The part of x that an iteration reads: its part number `iteration` along the first dim, counted from
    the end if `backwards`."""
    if backwards:
        iteration = node.emit("sub", node.size(x.shape[0] - 1), iteration)
    return node.emit("gather", x, iteration, axis=0)


def reversed_rows(node: Node, x: Value) -> Value:
    """x with its first dim in reverse."""
    count = x.shape[0]
    if not x.is_static:
        downwards = node.emit("range", node.size(count - 1), *[node.constant(np.int64(-1))] * 2)
        return node.emit("gather", x, node.named(downwards, [count]), axis=0)
    sizes = node.shape(x)
    starts, steps = [0] * len(sizes), [1] * len(sizes)
    starts[0], steps[0] = sizes[0] - 1, -1
    return node.emit("slice", x, starts=starts, sizes=sizes, steps=steps)


def axis_first(node: Node, x: Value, axis: int) -> Value:
    """x with one dim moved to the front."""
    order = [axis, *(each for each in range(x.rank) if each != axis)]
    return x if axis == 0 else node.emit("transpose", x, permutation=order)


def axis_back(node: Node, x: Value, axis: int) -> Value:
    """x with its first dim moved to place `axis`."""
    order = [*range(1, x.rank)]
    order.insert(axis, 0)
    return x if axis == 0 else node.emit("transpose", x, permutation=order)
