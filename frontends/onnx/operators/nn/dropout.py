"""Dropout."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.element_types import numpy_dtype
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import full
from mlc.frontends.onnx.operators.tensor.random_generation import uniform
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

Results = tuple[Value, Value | None]


@onnx_operator("Dropout", until=11)
def dropout_attributes(node: Node) -> Results:
    """Imports Dropout up to opset 11. Up to opset 6 a node without `is_test` drops elements; from 7 on none
    does."""
    x = node.input(0)
    if node.opset < 7 and not node.attr("is_test", 0):
        y, kept = drop_elements(node, x, node.scalar(node.attr("ratio", 0.5), x), None)
    else:
        y, kept = x, None
    if not node.wants(1):
        return y, None
    onnx_type = TensorProto.BOOL if node.opset >= 10 else x.onnx_type
    return y, _everything(node, x, onnx_type) if kept is None else node.cast(kept, onnx_type)


@onnx_operator("Dropout", since=12)
def dropout(node: Node) -> Results:
    """Imports Dropout from opset 12 on. `training_mode` may be dynamic; without it nothing is dropped."""
    x, ratio, training = node.input(0), node.optional(1), node.optional(2)
    off = training is None or (training.is_constant and not np.any(training.known))
    never = ratio is not None and ratio.is_constant and not np.any(ratio.known)
    if off or never:
        return x, _everything(node, x, TensorProto.BOOL) if node.wants(1) else None
    share = node.scalar(0.5, x) if ratio is None else node.reshape(ratio, [])
    flag = None if training is None or training.is_constant else node.reshape(training, [])
    return drop_elements(node, x, share, flag)


def drop_elements(node: Node, x: Value, ratio: Value, training: Value | None) -> tuple[Value, Value]:
    """Returns x / (1 - ratio) or 0, and which elements are kept.

    Where `training` is false, all elements are kept unchanged.
    """
    onnx_type = TensorProto.DOUBLE if x.onnx_type == TensorProto.DOUBLE else TensorProto.FLOAT
    share, wide = node.cast(ratio, onnx_type), node.cast(x, onnx_type)
    kept = node.emit("greater_equal", uniform(node, x.shape, onnx_type), share)
    factor = node.emit("reciprocal", node.emit("sub", node.scalar(1, share), share))
    y = node.emit("where", kept, node.emit("mul", wide, factor), node.scalar(0, wide))
    if training is None:
        return node.cast(y, x.onnx_type), kept
    off = node.emit("not", training)
    return node.cast(node.emit("where", off, wide, y), x.onnx_type), node.emit("or", kept, off)


def _everything(node: Node, x: Value, onnx_type: int) -> Value:
    return full(node, x.shape, numpy_dtype(onnx_type).type(1))
