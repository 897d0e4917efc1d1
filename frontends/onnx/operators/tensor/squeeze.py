"""Squeeze and Unsqueeze."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
    axis_mask,
    count_before,
    declared_rank,
    dims_where,
    i64_scalar,
    is_declared,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("Squeeze")
def squeeze(node: Node) -> Value:
    """Imports Squeeze. `axes` is an attribute up to opset 12, then an input; without it every dim of 1 is
    removed."""
    x, given = node.input(0), node.optional(1)
    axes = node.ints(1) if given is not None and given.is_constant else node.attr("axes", None)
    if axes is None and given is None and x.is_static:
        axes = [i for i, d in enumerate(x.shape) if d == 1]
    if axes is not None:
        return node.emit("squeeze", x, axes=node.axis_set(axes, x.rank))
    if x.rank == 0 and given is not None and given.is_static and given.shape != (0,):
        raise NodeError(f"x has no axes, and input 1 ('{given.name}') of shape {given.shape_text} names some")
    return _dynamic_squeeze(node, x, given) if x.rank else x


def _dynamic_squeeze(node: Node, x: Value, axes: Value | None) -> Value:
    """Reshapes x to the dims that stay; the rank follows from the length of `axes` or the declared shape."""
    if axes is None:
        if not is_declared(node):
            return _without_known_ones(node, x)
        goes = node.emit("equal", node.sizes(x.shape), i64_scalar(node, 1))
        count: Dim = declared_rank(node)
    else:
        goes, count = axis_mask(node, axes, x.rank, distinct=True), x.rank - axes.shape[0]
    if not isinstance(count, int):
        count = declared_rank(node)
    return node.reshape(x, dims_where(node, x.shape, node.emit("not", goes), count))


def _without_known_ones(node: Node, x: Value) -> Value:
    """Removes the dims that are statically 1.

    A dynamic dim of 1 would change the rank: such a dim is requested as 0, which the reshape refuses at run
    time.
    """
    kept = node.emit("squeeze", x, axes=[i for i, d in enumerate(x.shape) if d == 1])
    own = node.sizes([dim for dim in kept.shape if not isinstance(dim, int)])
    one, none = i64_scalar(node, 1), i64_scalar(node, 0)
    dims = iter(node.read_dims(node.emit("where", node.emit("equal", own, one), none, own)))
    return node.reshape(kept, [dim if isinstance(dim, int) else next(dims) for dim in kept.shape])


@onnx_operator("Unsqueeze")
def unsqueeze(node: Node) -> Value:
    """Imports Unsqueeze. `axes` is an attribute up to opset 12, then an input."""
    x, given = node.input(0), node.optional(1)
    if given is not None and not given.is_constant:
        return _dynamic_unsqueeze(node, x, given)
    axes = node.ints_or_attr(1, "axes", ())
    return node.emit("unsqueeze", x, axes=sorted(node.axes(axes, x.rank + len(axes))))


def _dynamic_unsqueeze(node: Node, x: Value, axes: Value) -> Value:
    count = axes.shape[0] if axes.rank else 1
    rank = x.rank + count if isinstance(count, int) else declared_rank(node)
    if not x.rank:
        return node.reshape(x, [1] * rank)
    is_new = axis_mask(node, node.reshape(axes, [count]), rank, distinct=True)
    # Indices after x's last dim are clamped; the elements that they read are not used.
    source = node.emit("min", count_before(node, node.emit("not", is_new)), i64_scalar(node, x.rank - 1))
    own = node.emit("gather", node.sizes(x.shape), source, axis=0)
    return node.reshape(x, node.read_dims(node.emit("where", is_new, i64_scalar(node, 1), own)))
