"""LabelEncoder and CategoryMapper: tables between numeric labels and strings."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.table_lookup import look_up
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# The specification's defaults.
_DEFAULTS = {"int64": -1, "float": -0.0, "string": "_Unused"}
_DTYPES = {"int64": np.int64, "float": np.float32, "string": object}


@onnx_operator("LabelEncoder", domain=MACHINE_LEARNING)
def label_encoder(node: Node) -> Value:
    """Imports LabelEncoder. Raises NodeError for tables that do not fit."""
    if "classes_strings" in node.attributes:
        return _by_classes(node, node.attr("classes_strings"))
    keys, values = _column(node, "keys"), _column(node, "values")
    if len(keys) != len(values):
        raise NodeError(f"it has {len(keys)} keys and {len(values)} values")
    return _encode(node, keys, values, _default(node, values))


def _by_classes(node: Node, classes: list[str]) -> Value:
    """Maps between strings and their indices, as opset 1 does."""
    texts, indices = np.array(classes, object), np.arange(len(classes))
    if node.input(0).onnx_type == TensorProto.STRING:
        return _encode(node, texts, indices, np.int64(node.attr("default_int64", -1)))
    return _encode(node, indices, texts, node.attr("default_string", "_Unused"))


@onnx_operator("CategoryMapper", domain=MACHINE_LEARNING)
def category_mapper(node: Node) -> Value:
    """Imports CategoryMapper. Raises NodeError for lists of different lengths."""
    integers, texts = (
        np.array(node.attr("cats_int64s"), np.int64),
        np.array(node.attr("cats_strings"), object),
    )
    if len(integers) != len(texts):
        raise NodeError(f"it has {len(integers)} integers and {len(texts)} strings")
    if node.input(0).onnx_type == TensorProto.STRING:
        return _encode(node, texts, integers, np.int64(node.attr("default_int64", -1)))
    return _encode(node, integers, texts, node.attr("default_string", "_Unused"))


def _encode(node: Node, keys: np.ndarray, values: np.ndarray, default: Any) -> Value:
    """Returns the value of each element's key; arrays of objects are strings, looked up by their ids.

    Raises NodeError for keys of another type than the input.
    """
    x = node.input(0)
    is_text = x.onnx_type == TensorProto.STRING
    if is_text != (keys.dtype == object) or (not is_text and keys.dtype != x.dtype):
        category = "strings" if keys.dtype == object else keys.dtype
        raise NodeError(f"its keys are {category}, but its input {'strings' if is_text else x.dtype}")
    if is_text:
        x, keys = node.ids_of(x), node.string_ids(keys.tolist())
    if values.dtype == object:
        [default] = node.string_ids([default])
        return node.strings_of(_looked_up(node, x, keys, node.string_ids(values.tolist()), default))
    return _looked_up(node, x, keys, values, default)


def _looked_up(node: Node, x: Value, keys: np.ndarray, values: np.ndarray, default: np.generic) -> Value:
    nan = np.isnan(keys.astype(np.float64))
    # Of equal keys the last one counts.
    sorted_keys, indices = np.unique(keys[~nan][::-1], return_index=True)
    result = look_up(node, x, sorted_keys, values[~nan][::-1][indices], default)
    if not nan.any():
        return result
    for_nan = node.constant(values[nan][-1])
    return node.emit("where", node.emit("is_nan", x), for_nan, result)


def _column(node: Node, name: str) -> np.ndarray:
    """Returns the keys or values, in their type; strings are objects. Raises NodeError where there are
    none."""
    tensor = node.attributes.get(f"{name}_tensor")
    if isinstance(tensor, Value):
        return _elements(node, tensor)
    for category, dtype in _DTYPES.items():
        if node.attributes.get(f"{name}_{category}s"):
            return np.array(node.attributes[f"{name}_{category}s"], dtype)
    raise NodeError(f"it has no {name}")


def _elements(node: Node, tensor: Value) -> np.ndarray:
    if tensor.texts is not None:
        return np.array(tensor.texts, object)
    return node.elements(tensor).reshape(-1)


def _default(node: Node, values: np.ndarray) -> Any:
    tensor = node.attributes.get("default_tensor")
    if isinstance(tensor, Value):
        return values.dtype.type(_elements(node, tensor)[0]) if values.dtype != object else _text(tensor)
    category = "int64" if np.issubdtype(values.dtype, np.integer) else "float"
    if values.dtype == object:
        return node.attr("default_string", _DEFAULTS["string"])
    return values.dtype.type(node.attr(f"default_{category}", _DEFAULTS[category]))


def _text(tensor: Value) -> str:
    if not tensor.texts:
        raise NodeError("its values are strings, but its default is none")
    return tensor.texts[0]
