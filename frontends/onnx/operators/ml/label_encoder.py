"""LabelEncoder between numbers: a table by key, a few comparisons, or a binary search."""

from __future__ import annotations

import numpy as np
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.ml.trees import MACHINE_LEARNING
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# Up to so many keys are compared one after the other.
FEW = 8
# A table may have so many places per key, and so many more.
SPARSE, SPARE = 4, 64
_STRINGS = ("classes_strings", "keys_strings", "values_strings")
_TYPED = {"int64": np.int64, "float": np.float32}
# What the specification gives where no default is.
_DEFAULTS = {"int64": -1, "float": -0.0}


@onnx_operator("LabelEncoder", domain=MACHINE_LEARNING)
def label_encoder(node: Node) -> Value:
    x, keys, values = node.input(0), _column(node, "keys"), _column(node, "values")
    if keys is None or values is None:
        raise Unsupported("keys and values that are strings are not supported")
    if len(keys) != len(values):
        raise NodeFailure(f"it has {len(keys)} keys and {len(values)} values")
    if keys.dtype != x.dtype:
        raise NodeFailure(f"its keys are {keys.dtype}, but its input {x.dtype}")
    default, nan = _default(node, values), np.isnan(keys.astype(np.float64))
    # Of equal keys the last one counts.
    sorted_keys, places = np.unique(keys[~nan][::-1], return_index=True)
    result = _looked_up(node, x, sorted_keys, values[~nan][::-1][places], default)
    if not nan.any():
        return result
    for_nan = node.constant(values[nan][-1])
    return node.emit("where", node.emit("is_nan", x), for_nan, result)


def _column(node: Node, name: str) -> np.ndarray | None:
    """The keys or values, in their type; None where they are strings or missing."""
    tensor = node.attributes.get(f"{name}_tensor")
    if isinstance(tensor, Value):
        return node.elements(tensor).reshape(-1)
    for kind, dtype in _TYPED.items():
        if node.attributes.get(f"{name}_{kind}s"):
            return np.asarray(node.attributes[f"{name}_{kind}s"], dtype)
    return None


def _default(node: Node, values: np.ndarray) -> np.generic:
    tensor = node.attributes.get("default_tensor")
    if isinstance(tensor, Value):
        return node.elements(tensor).reshape(-1)[0].astype(values.dtype)
    kind = "int64" if np.issubdtype(values.dtype, np.integer) else "float"
    return values.dtype.type(node.attr(f"default_{kind}", _DEFAULTS[kind]))


def _looked_up(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """The value of each element's key among the sorted, different `keys`."""
    if len(keys) <= FEW:
        return _compared(node, x, keys, values, default)
    if np.issubdtype(keys.dtype, np.integer) and int(keys[-1]) - int(keys[0]) < SPARSE * len(keys) + SPARE:
        return _from_table(node, x, keys, values, default)
    return _searched(node, x, keys, values, default)


def _compared(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    result = node.emit("expand", node.constant(default), shape=node.shape(x))
    for key, value in zip(keys, values, strict=True):
        found = node.emit("equal", x, node.constant(key))
        result = node.emit("where", found, node.constant(value), result)
    return result


def _from_table(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """Integer keys close to each other: a place for each number, one before and one behind for all others."""
    first, last = int(keys[0]), int(keys[-1])
    table = np.full(last - first + 3, default, values.dtype)
    table[keys.astype(np.int64) - first + 1] = values
    wide = node.cast(x, node.constant(np.int64(0)).number)
    # Clamped before the difference, which then cannot overflow.
    inside = node.emit("clamp", wide, min=first - 1, max=last + 1)
    place = node.emit("sub", inside, node.constant(np.int64(first - 1)))
    return node.emit("gather", node.constant(table), place, axis=0)


def _searched(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    """A binary search for the last key that is not above x, in as many steps as the count has bits."""
    size = 1 << (len(keys) - 1).bit_length()
    padded = node.constant(np.concatenate([keys, np.full(size - len(keys), keys[-1], keys.dtype)]))
    place = node.emit("expand", node.constant(np.int64(0)), shape=node.shape(x))
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
