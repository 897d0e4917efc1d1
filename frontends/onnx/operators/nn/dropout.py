"""Dropout."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.element_types import numpy_dtype
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import filled
from mlc.frontends.onnx.operators.tensor.random_numbers import uniform
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

Results = tuple[Value, Value | None]


@onnx_operator("Dropout", until=11)
def dropout_attributes(node: Node) -> Results:
    """Up to opset 6 a node that does not say `is_test` drops elements; from 7 on none does."""
    x = node.input(0)
    if node.opset < 7 and not node.attr("is_test", 0):
        y, kept = dropped(node, x, node.scalar(node.attr("ratio", 0.5), x), None)
    else:
        y, kept = x, None
    if not node.wants(1):
        return y, None
    number = TensorProto.BOOL if node.opset >= 10 else x.number
    return y, _everything(node, x, number) if kept is None else node.cast(kept, number)


@onnx_operator("Dropout", since=12)
def dropout(node: Node) -> Results:
    """`training_mode` may be known only when the model runs; without it nothing is dropped."""
    x, ratio, training = node.input(0), node.optional(1), node.optional(2)
    off = training is None or (training.is_constant and not np.any(training.known))
    never = ratio is not None and ratio.is_constant and not np.any(ratio.known)
    if off or never:
        return x, _everything(node, x, TensorProto.BOOL) if node.wants(1) else None
    share = node.scalar(0.5, x) if ratio is None else node.reshape(ratio, [])
    flag = None if training is None or training.is_constant else node.reshape(training, [])
    return dropped(node, x, share, flag)


def dropped(node: Node, x: Value, ratio: Value, training: Value | None) -> tuple[Value, Value]:
    """x / (1 - ratio) or 0, and which elements are kept; all, as they are, where `training` is false."""
    number = TensorProto.DOUBLE if x.number == TensorProto.DOUBLE else TensorProto.FLOAT
    share, wide = node.cast(ratio, number), node.cast(x, number)
    kept = node.emit("greater_equal", uniform(node, x.shape, number), share)
    factor = node.emit("reciprocal", node.emit("sub", node.scalar(1, share), share))
    y = node.emit("where", kept, node.emit("mul", wide, factor), node.scalar(0, wide))
    if training is None:
        return node.cast(y, x.number), kept
    off = node.emit("not", training)
    return node.cast(node.emit("where", off, wide, y), x.number), node.emit("or", kept, off)


def _everything(node: Node, x: Value, number: int) -> Value:
    return filled(node, x.shape, numpy_dtype(number).type(1))
