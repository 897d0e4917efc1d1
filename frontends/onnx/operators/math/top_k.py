"""TopK, with static and dynamic k."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.ops.ordering import ALL
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
    full,
    i64_scalar,
    require,
    slice_axes,
    take_range,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("TopK")
def top_k(node: Node) -> list[Value]:
    """Imports TopK. `k` is an attribute before opset 10; `largest` and `sorted` exist from 11 on."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", -1), x.rank)
    flags = {name: bool(node.attr(name, 1)) for name in ("largest", "sorted")}
    if node.opset >= 10 and not node.input(1).is_constant:
        return _computed_top_k(node, x, axis, flags["largest"])
    k = int(node.attr("k")) if node.opset < 10 else node.ints(1)[0]
    if k < 0:
        raise NodeError(f"k is {k}")
    if k == 0:
        shape = [0 if dim == axis else size for dim, size in enumerate(x.shape)]
        return [full(node, shape, dtype.type(0)) for dtype in (x.dtype, np.dtype(np.int64))]
    if not isinstance(x.shape[axis], int):
        ordered = _order(node, x, axis, flags["largest"])
        return [slice_axes(node, result, {axis: (0, k, 1)}) for result in ordered]
    return node.emit_several("top_k", x, axis=axis, k=k, **flags)


def _computed_top_k(node: Node, x: Value, axis: int, largest: bool) -> list[Value]:
    """Returns the first k elements, for a dynamic k, of all elements in order."""
    ordered = _order(node, x, axis, largest)
    wanted = node.reshape(node.cast(node.input(1), TensorProto.INT64), [1])
    exist = node.emit("less_equal", wanted, i64_scalar(node, x.shape[axis]))
    wrong = f"k is larger than the dim of axis {axis}"
    if wanted.known is None:
        [k] = node.read_dims(require(node, wanted, exist, wrong), node.input(1).name)
        return [take_range(node, result, axis, 0, k) for result in ordered]
    # A dim that follows from others must continue to do so: the check is on the first index instead.
    [k] = node.read_dims(wanted)
    first = require(node, i64_scalar(node, 0), node.reshape(exist, []), wrong)
    return [take_range(node, result, axis, 0 if first.is_constant else first, k) for result in ordered]


def _order(node: Node, x: Value, axis: int, largest: bool) -> list[Value]:
    """Returns all elements along an axis in order, and their indices."""
    return node.emit_several("top_k", x, axis=axis, k=ALL, largest=largest, sorted=True)
