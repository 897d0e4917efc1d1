"""Squeeze and Unsqueeze."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import (
    axis_mask,
    declared_rank,
    dims_where,
    is_declared,
    number_of,
    places_before,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("Squeeze")
def squeeze(node: Node) -> Value:
    """`axes` is an attribute up to opset 12, then an input; without it every dim of 1 goes."""
    x, given = node.input(0), node.optional(1)
    axes = node.ints(1) if given is not None and given.is_constant else node.attr("axes", None)
    if axes is None and given is None and x.is_static:
        axes = [i for i, d in enumerate(x.shape) if d == 1]
    if axes is not None:
        return node.emit("squeeze", x, axes=node.axes(axes, x.rank))
    return _squeezed(node, x, given) if x.rank else x


def _squeezed(node: Node, x: Value, axes: Value | None) -> Value:
    """A reshape to the dims that stay; how many there are follows from the number of axes, or the model says
    it."""
    if axes is None:
        if not is_declared(node):
            return _without_known_ones(node, x)
        goes = node.emit("equal", node.sizes(x.shape), number_of(node, 1))
        count: Dim = declared_rank(node)
    else:
        goes, count = axis_mask(node, axes, x.rank), x.rank - axes.shape[0]
    if not isinstance(count, int):
        count = declared_rank(node)
    return node.reshape(x, dims_where(node, x.shape, node.emit("not", goes), count))


def _without_known_ones(node: Node, x: Value) -> Value:
    """x without the dims that are certainly 1. The rank would be another if one were 1 that only running
    tells: it is asked for as 0 then, which a reshape refuses when it runs."""
    kept = node.emit("squeeze", x, axes=[i for i, d in enumerate(x.shape) if d == 1])
    own = node.sizes([dim for dim in kept.shape if not isinstance(dim, int)])
    one, none = number_of(node, 1), number_of(node, 0)
    told = iter(node.read_dims(node.emit("where", node.emit("equal", own, one), none, own)))
    return node.reshape(kept, [dim if isinstance(dim, int) else next(told) for dim in kept.shape])


@onnx_operator("Unsqueeze")
def unsqueeze(node: Node) -> Value:
    """`axes` is an attribute up to opset 12, then an input."""
    x, given = node.input(0), node.optional(1)
    if given is not None and not given.is_constant:
        return _unsqueezed(node, x, given)
    axes = node.ints_or_attr(1, "axes", ())
    return node.emit("unsqueeze", x, axes=node.axes(axes, x.rank + len(axes)))


def _unsqueezed(node: Node, x: Value, axes: Value) -> Value:
    count = axes.shape[0] if axes.rank else 1
    rank = x.rank + count if isinstance(count, int) else declared_rank(node)
    if not x.rank:
        return node.reshape(x, [1] * rank)
    is_new = axis_mask(node, node.reshape(axes, [count]), rank)
    # Behind x's last dim, what is read is not taken.
    source = node.emit("min", places_before(node, node.emit("not", is_new)), number_of(node, x.rank - 1))
    own = node.emit("gather", node.sizes(x.shape), source, axis=0)
    return node.reshape(x, node.read_dims(node.emit("where", is_new, number_of(node, 1), own)))
