"""LabelEncoder between numbers."""

from __future__ import annotations

import numpy as np
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.lookup import looked_up
from mlc.frontends.onnx.operators.ml.trees import MACHINE_LEARNING
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

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
    result = looked_up(node, x, sorted_keys, values[~nan][::-1][places], default)
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
