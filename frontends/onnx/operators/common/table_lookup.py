"""Tables by key: a table by place, a few comparisons, or a binary search."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value

# Up to so many keys are compared one after the other.
FEW = 8
# A table may have so many places per key, and so many more.
SPARSE, SPARE = 4, 64


def looked_up(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """The value of each element's key among the sorted, different `keys`, of x's element type."""
    if len(keys) <= FEW:
        return _compared(node, x, keys, values, default)
    if np.issubdtype(keys.dtype, np.integer) and int(keys[-1]) - int(keys[0]) < SPARSE * len(keys) + SPARE:
        return _from_table(node, x, keys, values, default)
    return _searched(node, x, keys, values, default)


def _compared(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    result = node.expand(node.constant(default), x.shape)
    for key, value in zip(keys, values, strict=True):
        found = node.emit("equal", x, node.constant(key))
        result = node.emit("where", found, node.constant(value), result)
    return result


def _from_table(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """Integer keys close to each other: a place for each number, one before and one behind for all others."""
    first, last = int(keys[0]), int(keys[-1])
    table = np.full(last - first + 3, default, values.dtype)
    table[keys.astype(np.int64) - first + 1] = values
    wide = node.cast(x, TensorProto.INT64)
    # Clamped before the difference, which then cannot overflow.
    inside = node.emit("clamp", wide, min=first - 1, max=last + 1)
    place = node.emit("sub", inside, node.constant(np.int64(first - 1)))
    return node.emit("gather", node.constant(table), place, axis=0)


def _searched(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """A binary search for the last key that is not above x, in as many steps as the count has bits."""
    size = 1 << (len(keys) - 1).bit_length()
    padded = node.constant(np.concatenate([keys, np.full(size - len(keys), keys[-1], keys.dtype)]))
    place = node.expand(node.constant(np.int64(0)), x.shape)
    step = size // 2
    while step:
        next_place = node.emit("add", place, node.constant(np.int64(step)))
        key = node.emit("gather", padded, next_place, axis=0)
        place = node.emit("where", node.emit("less_equal", key, x), next_place, place)
        step //= 2
    found = node.emit("equal", node.emit("gather", padded, place, axis=0), x)
    repeated = np.concatenate([values, np.full(size - len(values), values[-1], values.dtype)])
    value = node.emit("gather", node.constant(repeated), place, axis=0)
    return node.emit("where", found, value, node.constant(default))
