"""Slice, with static and dynamic bounds."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, Undecided, floordiv, maximum, minimum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
    Part,
    element,
    i64_scalar,
    iota,
    per_axis,
    require,
    slice_axes,
    take_range,
    vector_of,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("Slice")
def slice_(node: Node) -> Value:
    """Imports Slice, whose bounds are attributes up to opset 9, then inputs."""
    given = _inputs(node)
    if all(value is None or value.known is not None for value in given):
        try:
            return _known_slice(node, *(None if value is None else _dims(value) for value in given))
        except Undecided:
            # The order of two symbolic bounds is undecidable.
            pass
    return _computed_slice(node, *given)


def _inputs(node: Node) -> list[Value | None]:
    """Returns starts, ends, axes and steps."""
    if node.opset >= 10:
        return [node.input(1), node.input(2), node.optional(3), node.optional(4)]
    axes = node.attr("axes", None)
    bounds = [node.constant(node.attr(name), np.int64) for name in ("starts", "ends")]
    return [*bounds, None if axes is None else node.constant(axes, np.int64), None]


def _dims(value: Value) -> list[Dim]:
    known = value.known
    assert known is not None
    return [size if isinstance(size, Size) else int(size) for size in known.reshape(-1)]


def _known_slice(
    node: Node,
    starts: list[Dim] | None,
    ends: list[Dim] | None,
    axes: list[Dim] | None,
    steps: list[Dim] | None,
) -> Value:
    """Slices with bounds known at import. Raises Undecided where the elements depend on the order of symbolic
    bounds."""
    x = node.input(0)
    starts, ends = starts or [], ends or []
    listed = list(range(len(starts))) if axes is None else node.static(axes, "'axes'")
    listed = node.axes(listed, x.rank)
    strides = [1] * len(starts) if steps is None else node.static(steps, "'steps'")
    if not len(starts) == len(ends) == len(listed) == len(strides):
        raise NodeError("starts, ends, axes and steps have different lengths")
    if 0 in strides:
        raise NodeError("a step is 0")
    if len(listed) == 1 and strides == [1] and _moves(x.shape[listed[0]], starts[0], ends[0]):
        return take_range(node, x, listed[0], node.input(1), ends[0] - starts[0])
    ranges: dict[int, Part] = {}
    for axis, start, end, step in zip(listed, starts, ends, strides, strict=True):
        bounds = _bounds(x.shape[axis], start, end, step)
        if bounds is not None:
            ranges[axis] = bounds
    return slice_axes(node, x, ranges)


def _moves(dim: Dim, start: Dim, end: Dim) -> bool:
    """Whether a static number of elements, all inside a static dim, begins at a dynamic index."""
    length = end - start
    return isinstance(dim, int) and isinstance(start, Size) and isinstance(length, int) and length > 0


def _bounds(dim: Dim, start: Dim, end: Dim, step: int) -> Part | None:
    """Returns the part of a dim that is taken, None if it is everything. Raises Undecided."""
    to_end = isinstance(end, int) and end >= 2**31 - 1
    if step == 1 and start == 0 and (end == dim or to_end):
        return None
    if isinstance(dim, Size) and _runs_through(start, end, step, to_end or end == dim):
        return start, -1, step
    backwards = step < 0
    first = start + dim if start < 0 else start
    first = minimum(maximum(first, 0), dim - backwards)
    last = dim if to_end else end + dim if end < 0 else end
    last = minimum(maximum(last, -1 if backwards else 0), dim - backwards)
    distance = first - last if backwards else last - first
    return first, maximum(0, floordiv(distance + abs(step) - 1, abs(step))), step


def _runs_through(start: Dim, end: Dim, step: int, to_end: bool) -> bool:
    """Whether a slice of a dim of any size extends to its end, or from there to its beginning."""
    if step > 0:
        return isinstance(start, int) and start >= 0 and to_end
    return start == -1 and isinstance(end, int) and end <= -(2**31) + 1


def _computed_slice(
    node: Node, starts: Value | None, ends: Value | None, axes: Value | None, steps: Value | None
) -> Value:
    """Slices with dynamic bounds: a gather along each axis that may be sliced."""
    x, one = node.input(0), i64_scalar(node, 1)
    assert starts is not None and ends is not None
    if steps is not None:
        wide = node.cast(steps, TensorProto.INT64)
        steps = require(
            node, wide, node.emit("not", node.emit("equal", wide, i64_scalar(node, 0))), "a step is 0"
        )
    listed = _listed_axes(node, x, starts, axes)
    if listed is None:
        listed = list(range(x.rank))
        named = axes or iota(node, starts.shape[0])
        starts = per_axis(node, starts, named, x.rank, i64_scalar(node, 0))
        ends = per_axis(node, ends, named, x.rank, node.constant(np.int64(2**62)))
        steps = None if steps is None else per_axis(node, steps, named, x.rank, one)
    count = len(listed)
    starts, ends = vector_of(node, starts, count), vector_of(node, ends, count)
    strides = None if steps is None else vector_of(node, steps, count)
    sizes = node.sizes([x.shape[axis] for axis in listed])
    first, counts = _clamp(node, starts, ends, one if strides is None else strides, sizes)
    for position, (axis, length) in enumerate(zip(listed, node.read_dims(counts), strict=True)):
        step = 1 if strides is None else element(node, strides, position)
        x = take_range(node, x, axis, element(node, first, position), length, step)
    return x


def _listed_axes(node: Node, x: Value, starts: Value, axes: Value | None) -> list[int] | None:
    """Returns the axes; None where they are dynamic."""
    if axes is None:
        return list(range(starts.shape[0])) if isinstance(starts.shape[0], int) else None
    if axes.known is None:
        return None
    return node.axes(node.static(_dims(axes), "'axes'"), x.rank)


def _clamp(node: Node, starts: Value, ends: Value, steps: Value, sizes: Value) -> tuple[Value, Value]:
    """Returns the first indices and the numbers of elements; all operands are vectors of one length."""
    zero, one = i64_scalar(node, 0), i64_scalar(node, 1)
    backwards = node.emit("less", steps, zero)
    back = node.cast(backwards, starts.onnx_type)
    most = node.emit("sub", sizes, back)

    def bound(indices: Value, least: Value) -> Value:
        """Returns indices counted from the front, clamped to [least, most]."""
        from_front = node.emit(
            "where", node.emit("less", indices, zero), node.emit("add", indices, sizes), indices
        )
        return node.emit("min", node.emit("max", from_front, least), most)

    first, last = bound(starts, zero), bound(ends, node.emit("neg", back))
    forwards = node.emit("sub", last, first)
    distance = node.emit("where", backwards, node.emit("neg", forwards), forwards)
    whole = node.emit("div", node.emit("sub", distance, one), node.emit("abs", steps))
    some = node.emit("greater", distance, zero)
    return first, node.emit("where", some, node.emit("add", whole, one), zero)
