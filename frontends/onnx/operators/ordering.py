"""Operators that put elements in order."""

from __future__ import annotations

import numpy as np
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.creation import filled
from mlc.frontends.onnx.operators.run_time import counted, taken
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value
from onnx import TensorProto


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
        raise NodeFailure(f"k is {k}")
    if k == 0:
        shape = [0 if dim == axis else size for dim, size in enumerate(x.shape)]
        return [filled(node, shape, kind.type(0)) for kind in (x.dtype, np.dtype(np.int64))]
    if not x.is_static:
        ordered = _sorted(node, x, axis, flags["largest"])
        return [taken(node, each, axis, 0, k) for each in ordered]
    return node.emit_several("top_k", x, axis=axis, k=k, **flags)


def _computed_top_k(node: Node, x: Value, axis: int, largest: bool) -> list[Value]:
    """The first k, which only running tells, of all elements in order."""
    dim = x.shape[axis]
    if x.is_static and dim:
        ordered = node.emit_several("top_k", x, axis=axis, k=dim, largest=largest, sorted=True)
    else:
        ordered = _sorted(node, x, axis, largest)
    [k] = node.read_dims(node.reshape(node.cast(node.input(1), TensorProto.INT64), [1]))
    return [taken(node, each, axis, 0, k) for each in ordered]


def _sorted(node: Node, x: Value, axis: int, largest: bool) -> list[Value]:
    """All elements along an axis of a tensor of no known dims in order, and their places. An element's place
    in the order is the number of those that come before it, equal ones as they stand; NaN is larger than
    numbers."""
    dim = x.shape[axis]
    one, other = (node.emit("unsqueeze", x, axes=[axis + at]) for at in (1, 0))
    before = node.emit("greater" if largest else "less", other, one)
    equal = node.emit("equal", other, one)
    if not types.is_integer(x.number):
        nan, other_nan = (node.emit("is_nan", each) for each in (one, other))
        first, second = (other_nan, nan) if largest else (nan, other_nan)
        decided = node.emit("and", first, node.emit("not", second))
        before = node.emit("or", before, decided)
        equal = node.emit("or", equal, node.emit("and", nan, other_nan))
    places = counted(node, dim)
    down = node.reshape(places, [dim, 1, *[1] * (x.rank - 1 - axis)])
    across = node.reshape(places, [1, dim, *[1] * (x.rank - 1 - axis)])
    before = node.emit("or", before, node.emit("and", equal, node.emit("less", across, down)))
    ranks = node.emit("reduce_sum", node.cast(before, TensorProto.INT64), axes=[axis + 1], keepdims=False)
    own = node.expand(node.reshape(places, [dim, *[1] * (x.rank - 1 - axis)]), x.shape)
    indices = node.emit("scatter_elements", own, ranks, own, axis=axis, reduction="none")
    return [node.emit("gather_elements", x, indices, axis=axis), indices]
