"""Operators that put elements in order."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.ops.ordering import ALL
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import checked, filled, number_of, sliced, taken
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("TopK")
def top_k(node: Node) -> list[Value]:
    """`k` is an attribute before opset 10; `largest` and `sorted` exist from 11 on."""
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
        return [filled(node, shape, kind.type(0)) for kind in (x.dtype, np.dtype(np.int64))]
    if not isinstance(x.shape[axis], int):
        ordered = _ordered(node, x, axis, flags["largest"])
        return [sliced(node, each, {axis: (0, k, 1)}) for each in ordered]
    return node.emit_several("top_k", x, axis=axis, k=k, **flags)


def _computed_top_k(node: Node, x: Value, axis: int, largest: bool) -> list[Value]:
    """The first k, which only running tells, of all elements in order."""
    ordered = _ordered(node, x, axis, largest)
    wanted = node.reshape(node.cast(node.input(1), TensorProto.INT64), [1])
    exist = node.emit("less_equal", wanted, number_of(node, x.shape[axis]))
    wrong = f"k is larger than the dim of axis {axis}"
    if wanted.known is None:
        [k] = node.read_dims(checked(node, wanted, exist, wrong))
        return [taken(node, each, axis, 0, k) for each in ordered]
    # A dim that follows from others goes on to do so: the first place is checked in its stead.
    [k] = node.read_dims(wanted)
    first = checked(node, number_of(node, 0), node.reshape(exist, []), wrong)
    return [taken(node, each, axis, 0 if first.is_constant else first, k) for each in ordered]


def _ordered(node: Node, x: Value, axis: int, largest: bool) -> list[Value]:
    """All elements along an axis in order, and their places."""
    return node.emit_several("top_k", x, axis=axis, k=ALL, largest=largest, sorted=True)
