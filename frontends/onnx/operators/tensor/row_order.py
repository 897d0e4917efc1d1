"""The order of slices along an axis."""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value


def order_of_rows(node: Node, x: Value, axis: int) -> Value:
    """For each slice along the axis how many others are less than it: the first element in which two differ
    decides. Equal slices have equal numbers."""
    others = [each for each in range(x.rank) if each != axis]
    moved = node.emit("transpose", x, permutation=[axis, *others])
    count, length = x.shape[axis], product([x.shape[each] for each in others])
    rows = node.reshape(moved, [count, length])
    if not isinstance(length, int) or length == 0:
        # So that there is a first element.
        rows = node.emit("concat", node.expand(node.scalar(0, x), [count, 1]), rows, axis=1)
    one, other = (node.emit("unsqueeze", rows, axes=[at]) for at in (1, 0))
    differs = node.cast(node.emit("not", node.emit("equal", one, other)), TensorProto.INT32)
    first = node.emit("arg_max", differs, axis=2, keepdims=True, select_last_index=False)
    greater = node.cast(node.emit("greater", one, other), TensorProto.INT64)
    less = node.emit("gather_elements", greater, first, axis=2)
    return node.emit("reduce_sum", less, axes=[1, 2], keepdims=False)
