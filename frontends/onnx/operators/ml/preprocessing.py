"""Preparation of features: scaling, normalising, imputing, thresholds, selection, vectors."""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.checked_data import look_up
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_NORMS = {"MAX": "reduce_max", "L1": "reduce_l1", "L2": "reduce_l2"}


def _as_float(node: Node) -> Value:
    """Returns input 0 as f32, or as f64 where it is."""
    x = node.input(0)
    return x if x.onnx_type == TensorProto.DOUBLE else node.cast(x, TensorProto.FLOAT)


@onnx_operator("Scaler", domain=MACHINE_LEARNING)
def scaler(node: Node) -> Value:
    """Imports Scaler: (x - offset) * scale, each one scalar or one value per feature."""
    x = _as_float(node)
    for op, name in (("sub", "offset"), ("mul", "scale")):
        values = np.asarray(node.attributes.get(name) or [], np.float32)
        x = node.emit(op, x, node.constant(values.astype(x.dtype))) if values.size else x
    return node.cast(x, TensorProto.FLOAT)


@onnx_operator("Normalizer", domain=MACHINE_LEARNING)
def normalizer(node: Node) -> Value:
    """Imports Normalizer: x / norm along the last axis; x stays where the norm is 0.

    The norm MAX is the largest element, not the largest magnitude. Raises NodeError for unknown norms.
    """
    x, norm = _as_float(node), node.attr("norm", "MAX")
    if norm not in _NORMS:
        raise NodeError(f"norm must be MAX, L1 or L2, not {norm!r}")
    divisor = node.emit(_NORMS[norm], x, axes=[x.rank - 1], keepdims=True)
    is_zero = node.emit("equal", divisor, node.scalar(0, x))
    quotient = node.emit("div", x, node.emit("where", is_zero, node.scalar(1, x), divisor))
    return node.cast(quotient, TensorProto.FLOAT)


@onnx_operator("Imputer", domain=MACHINE_LEARNING)
def imputer(node: Node) -> Value:
    """Imports Imputer: elements equal to the replaced value (which may be NaN) become the imputed one of
    their feature.

    Raises NodeError without imputed values.
    """
    x = node.input(0)
    category, default = ("int64", 0) if np.issubdtype(x.dtype, np.integer) else ("float", 0.0)
    values = np.asarray(node.attributes.get(f"imputed_value_{category}s") or [], x.dtype)
    if not values.size:
        raise NodeError(f"imputed_value_{category}s is missing")
    replaced = node.attr(f"replaced_value_{category}", default)
    missing = (
        node.emit("is_nan", x) if math.isnan(replaced) else node.emit("equal", x, node.scalar(replaced, x))
    )
    return node.emit("where", missing, node.constant(values), x)


@onnx_operator("Binarizer", domain=MACHINE_LEARNING)
def binarizer(node: Node) -> Value:
    """Imports Binarizer: 1 where x is above the threshold, else 0.

    An integer is above a threshold where it is above the threshold's floor.
    """
    x, threshold = node.input(0), node.attr("threshold", 0.0)
    if np.issubdtype(x.dtype, np.integer):
        threshold = math.floor(threshold)
    return node.cast(node.emit("greater", x, node.scalar(threshold, x)), x.onnx_type)


@onnx_operator("ArrayFeatureExtractor", domain=MACHINE_LEARNING)
def array_feature_extractor(node: Node) -> Value:
    """Imports ArrayFeatureExtractor: columns of the last axis; the result for a vector is one row."""
    x, indices = node.input(0), node.input(1)
    flat = node.reshape(indices, [product(indices.shape)])
    picked = look_up(node, x, flat, x.rank - 1, negative=False)
    return node.reshape(picked, [1, *picked.shape]) if x.rank == 1 else picked


@onnx_operator("FeatureVectorizer", domain=MACHINE_LEARNING)
def feature_vectorizer(node: Node) -> Value:
    """Imports FeatureVectorizer: the inputs' columns concatenated, each cut or padded with zeros to its given
    width.

    Raises NodeError for a wrong number of widths.
    """
    widths = list(node.attr("inputdimensions"))
    if len(widths) != len(node.inputs):
        raise NodeError(f"inputdimensions has {len(widths)} entries for {len(node.inputs)} inputs")
    parts = [_fit_width(node, node.input(i), width) for i, width in enumerate(widths)]
    return node.emit("concat", *parts, axis=1) if len(parts) > 1 else parts[0]


def _fit_width(node: Node, x: Value, width: int) -> Value:
    if x.rank == 1:
        x = node.reshape(x, [*x.shape, 1])
    if x.rank != 2:
        raise NodeError(f"'{x.name}' has rank {x.rank}, neither 1 nor 2")
    (have,) = node.static(x.shape[1:], "the number of features")
    x = node.cast(x, TensorProto.FLOAT)
    if width < have:
        return slice_axes(node, x, {1: (0, width, 1)})
    if width == have:
        return x
    return node.emit("pad", x, low=[0, 0], high=[0, width - have], mode="constant", value=0.0)


@onnx_operator("OneHotEncoder", domain=MACHINE_LEARNING)
def one_hot_encoder(node: Node) -> Value:
    """Imports OneHotEncoder: 1 at the index of each element's category; zeros where there is none, whatever
    `zeros` is."""
    text = node.attributes.get("cats_strings")
    if bool(text) != (node.input(0).onnx_type == TensorProto.STRING):
        raise NodeError("one of the categories and the input are strings, the other is not")
    if text:
        x, categories = node.ids_of(node.input(0)), node.string_ids(text)
    else:
        x = node.cast(node.input(0), TensorProto.INT64)
        categories = np.asarray(node.attr("cats_int64s"), np.int64)
    found = node.emit("equal", node.emit("unsqueeze", x, axes=[x.rank]), node.constant(categories))
    return node.cast(found, TensorProto.FLOAT)
