"""Split."""

from __future__ import annotations

from mlc.dialects.graph.sizes import differ, floordiv, maximum, minimum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import i64_scalar, require, slice_axes, vector_of
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

# The most elements along a dim that 64-bit integers count.
LONGEST = 2**63 - 1


@onnx_operator("Split")
def split(node: Node) -> list[Value]:
    """Imports Split. `split` is an attribute up to opset 12, then an input; without it parts are equal.
    Raises NodeError."""
    x = node.input(0)
    axis = node.axis(node.attr("axis", 0), x.rank)
    parts = _parts(node, x.shape[axis], axis)
    _check(node, axis, x.shape[axis], parts)
    total = sum(parts, start=0)
    if total != x.shape[axis]:
        # Whether they are equal is dynamic: a reshape checks it.
        x = node.reshape(x, [total if dim_axis == axis else dim for dim_axis, dim in enumerate(x.shape)])
    results: list[Value] = []
    start: Dim = 0
    for part, _ in zip(parts, node.outputs, strict=False):
        results.append(slice_axes(node, x, {axis: (start, part, 1)}))
        start = start + part
    return results


def _check(node: Node, axis: int, size: Dim, parts: list[Dim]) -> None:
    known = [part for part in parts if isinstance(part, int)]
    is_known = isinstance(size, int) and len(known) == len(parts)
    wrong = (is_known and sum(known) != size) or sum(known) > LONGEST
    if wrong or min(known, default=0) < 0 or len(parts) < len(node.outputs):
        raise NodeError(
            f"split [{', '.join(map(str, parts))}] does not divide the dim {axis} of size {size} into "
            f"{len(node.outputs)} outputs"
        )


def _parts(node: Node, size: Dim, axis: int) -> list[Dim]:
    if node.optional(1) is not None:
        lengths = vector_of(node, node.input(1), len(node.outputs))
        return node.read_dims(lengths if lengths.known is not None else _whole(node, lengths, size, axis))
    given = node.attr("split", None)
    if given is not None:
        return list(given)
    if node.opset >= 18 and node.attr("num_outputs", None) is None:
        raise NodeError(f"neither parts of {node.input(0).shape_text} nor num_outputs are given")
    count = int(node.attr("num_outputs", len(node.outputs)))
    if count != len(node.outputs):
        raise NodeError(f"num_outputs is {count}, but the number of its outputs is {len(node.outputs)}")
    if node.opset < 18 and count and differ(size % count, 0):
        raise NodeError(f"the dim {axis} of size {size} cannot be divided into {count} equal parts")
    # Equal parts, of which the last one may be smaller (opset 18).
    length = floordiv(size + count - 1, count) if count else 0
    return [maximum(0, minimum(length, size - i * length)) for i in range(count)]


def _whole(node: Node, lengths: Value, size: Dim, axis: int) -> Value:
    """Returns dynamic lengths of parts, in a call that fails unless they make up the dim."""
    total = node.emit("reduce_sum", lengths, axes=[0], keepdims=False)
    fits = node.emit("equal", total, i64_scalar(node, size))
    return require(node, lengths, fits, f"the parts do not make up the dim of axis {axis}")
