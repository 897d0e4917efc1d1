"""Operators that put elements in order."""

from __future__ import annotations

import numpy as np
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.creation import filled
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("TopK")
def top_k(node: Node) -> list[Value]:
    """`k` is an attribute before opset 10; `largest` and `sorted` exist from 11 on."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", -1), x.rank)
    k = int(node.attr("k")) if node.opset < 10 else node.ints(1)[0]
    if k < 0:
        raise NodeFailure(f"k is {k}")
    if k == 0:
        shape = [0 if dim == axis else size for dim, size in enumerate(node.shape(x))]
        return [filled(node, shape, kind.type(0)) for kind in (x.dtype, np.dtype(np.int64))]
    flags = {name: bool(node.attr(name, 1)) for name in ("largest", "sorted")}
    return node.emit_several("top_k", x, axis=axis, k=k, **flags)
