"""Operators that read or write elements at the coordinates in a tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.dialects.graph.sizes import Size
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.checked_data import expect_in_range
from mlc.frontends.onnx.operators.common.dynamic_values import declared_rank, i64_scalar, iota, with_length
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

_REDUCTIONS = ("none", "add", "mul", "max", "min")


@onnx_operator("GatherND", since=11)
def gather_nd(node: Node) -> Value:
    """Imports GatherND."""
    x, indices = node.input(0), node.input(1)
    batch = int(node.attr("batch_dims", 0))
    length = indices.shape[-1]
    if isinstance(length, Size):
        # The ranks say how many dims an index has.
        length = indices.rank - 1 + x.rank - batch - declared_rank(node)
        indices = node.reshape(indices, [*indices.shape[:-1], length])
    expect_in_range(node, indices, x.shape[batch : batch + length], axis=batch)
    return node.emit("gather_nd", x, indices, batch_dims=batch)


@onnx_operator("Scatter", since=9, until=10)
@onnx_operator("ScatterElements", since=11)
def scatter_elements(node: Node) -> Value:
    """Imports Scatter and ScatterElements. `reduction` exists from opset 16 on, max and min from 18 on."""
    x, indices, updates = (node.input(i) for i in range(3))
    axis = node.axis(node.attr("axis", 0), x.rank)
    expect_in_range(node, indices, [x.shape[axis]], axis=axis)
    return node.emit("scatter_elements", x, indices, updates, axis=axis, reduction=_reduction(node))


@onnx_operator("ScatterND", since=11)
def scatter_nd(node: Node) -> Value:
    """Imports ScatterND."""
    x, indices, updates = (node.input(i) for i in range(3))
    expect_in_range(node, indices, x.shape[: max(indices.rank - 1 + x.rank - updates.rank, 0)])
    return node.emit("scatter_nd", x, indices, updates, reduction=_reduction(node))


def _reduction(node: Node) -> str:
    found = node.attr("reduction", "none")
    if found not in _REDUCTIONS:
        raise NodeError(f"reduction must be one of {', '.join(_REDUCTIONS)}, not {found!r}")
    return str(found)


@onnx_operator("TensorScatter", since=24)
def tensor_scatter(node: Node) -> Value:
    """Imports TensorScatter: scatter_nd at (coordinates before the axis, write_indices[batch] + index in the
    update).

    Raises NodeError for other axes and modes.
    """
    cache, update = node.input(0), node.input(1)
    axis = node.axis(node.attr("axis", -2), cache.rank)
    mode = node.attr("mode", "linear")
    if axis == 0:
        raise NodeError("axis must not be 0, the batch")
    if mode not in ("linear", "circular"):
        raise NodeError(f"mode must be linear or circular, not {mode!r}")
    shape = update.shape[: axis + 1]
    coordinates = [_along(node, shape, dim) for dim in range(axis + 1)]
    if node.optional(2) is not None:
        first = node.reshape(with_length(node, node.input(2), shape[0]), [shape[0], *[1] * axis])
        coordinates[axis] = node.emit("add", coordinates[axis], first)
    if mode == "circular":
        extent = i64_scalar(node, cache.shape[axis])
        coordinates[axis] = node.emit("mod", coordinates[axis], extent, fmod=False)
    indices = tuples(node, coordinates, shape)
    if mode == "linear":
        expect_in_range(node, indices, cache.shape[: axis + 1], negative=False)
    return node.emit("scatter_nd", cache, indices, update, reduction="none")


def _along(node: Node, shape: Sequence[Dim], dim: int) -> Value:
    """Returns the coordinate along a dim, in a shape that broadcasts to `shape`."""
    return node.reshape(
        iota(node, shape[dim]), [size if axis == dim else 1 for axis, size in enumerate(shape)]
    )


def tuples(node: Node, coordinates: Sequence[Value], shape: Sequence[Dim]) -> Value:
    """Returns indices for gather_nd and scatter_nd: the coordinates, broadcast to `shape`, stacked along a
    last dim."""
    whole = [node.expand(coordinate, shape) for coordinate in coordinates]
    parts = [node.reshape(coordinate, [*shape, 1]) for coordinate in whole]
    return parts[0] if len(parts) == 1 else node.emit("concat", *parts, axis=len(shape))


@onnx_operator("ReverseSequence", since=10)
def reverse_sequence(node: Node) -> Value:
    """Imports ReverseSequence: gather_nd of the time sequence_lens[batch] - 1 - time, and of the time itself
    after the sequence.

    The call fails for lengths that the time does not have. Raises NodeError for axes other than 0 and 1.
    """
    x = node.input(0)
    time, batch = int(node.attr("time_axis", 0)), int(node.attr("batch_axis", 1))
    if {time, batch} != {0, 1}:
        raise NodeError(f"time_axis {time} and batch_axis {batch} must be 0 and 1")
    shape = x.shape[:2]
    coordinate = _along(node, shape, time)
    lengths = with_length(node, node.input(1), shape[batch])
    expect_in_range(node, lengths, [shape[time] + 1], negative=False)
    lengths = node.reshape(lengths, [size if axis == batch else 1 for axis, size in enumerate(shape)])
    back = node.emit("sub", node.emit("sub", lengths, node.constant(np.int64(1))), coordinate)
    source = node.emit("where", node.emit("less", coordinate, lengths), back, coordinate)
    if batch == 0:
        return node.emit("gather_nd", x, tuples(node, [source], shape), batch_dims=1)
    return node.emit("gather_nd", x, tuples(node, [source, _along(node, shape, batch)], shape), batch_dims=0)
