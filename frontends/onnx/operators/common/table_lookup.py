"""Lookup of elements by key: an indexed table, a few comparisons, or a binary search."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value

# At most this many keys are compared one after the other.
FEW = 8
# An indexed table has at most SPARSE entries per key plus SPARE.
SPARSE, SPARE = 4, 64


def look_up(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """Returns the value of each element's key among the sorted, distinct `keys`, of x's element type; else
    `default`."""
    if len(keys) <= FEW:
        return _compare(node, x, keys, values, default)
    if np.issubdtype(keys.dtype, np.integer) and int(keys[-1]) - int(keys[0]) < SPARSE * len(keys) + SPARE:
        return _from_table(node, x, keys, values, default)
    return _search(node, x, keys, values, default)


def _compare(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    result = node.expand(node.constant(default), x.shape)
    for key, value in zip(keys, values, strict=True):
        found = node.emit("equal", x, node.constant(key))
        result = node.emit("where", found, node.constant(value), result)
    return result


def _from_table(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """Looks up integer keys that are close to each other in a table with an entry per integer of their range,
    and one before and after it for all others."""
    first, last = int(keys[0]), int(keys[-1])
    table = np.full(last - first + 3, default, values.dtype)
    table[keys.astype(np.int64) - first + 1] = values
    wide = node.cast(x, TensorProto.INT64)
    # Clamped before the difference, which then cannot overflow.
    inside = node.emit("clamp", wide, min=first - 1, max=last + 1)
    index = node.emit("sub", inside, node.constant(np.int64(first - 1)))
    return node.emit("gather", node.constant(table), index, axis=0)


def _search(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """Searches for the last key that is not above x, in as many steps as the count has bits."""
    size = 1 << (len(keys) - 1).bit_length()
    padded = node.constant(np.concatenate([keys, np.full(size - len(keys), keys[-1], keys.dtype)]))
    index = node.expand(node.constant(np.int64(0)), x.shape)
    step = size // 2
    while step:
        next_index = node.emit("add", index, node.constant(np.int64(step)))
        key = node.emit("gather", padded, next_index, axis=0)
        index = node.emit("where", node.emit("less_equal", key, x), next_index, index)
        step //= 2
    found = node.emit("equal", node.emit("gather", padded, index, axis=0), x)
    repeated = np.concatenate([values, np.full(size - len(values), values[-1], values.dtype)])
    value = node.emit("gather", node.constant(repeated), index, axis=0)
    return node.emit("where", found, value, node.constant(default))
