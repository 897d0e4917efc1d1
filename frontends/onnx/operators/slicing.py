"""Slice, Split and Pad."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlc.dialects.graph.sizes import Size
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("Slice")
def slice_(node: Node) -> Value:
    """Attributes up to opset 9, then inputs."""
    x = node.input(0)
    starts, ends = _bound(node, 1, "starts"), _bound(node, 2, "ends")
    default_axes = list(range(len(starts)))
    axes = [node.axis(a, x.rank) for a in node.ints_or_attr(3, "axes", default_axes)]
    steps = node.ints(4) if node.optional(4) is not None else [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise NodeFailure("starts, ends, axes and steps have different lengths")
    if 0 in steps:
        raise NodeFailure("a step is 0")
    if len(axes) == 1 and steps == [1] and (length := _moving_length(x.shape[axes[0]], starts[0], ends[0])):
        return _moving(node, x, axes[0], length)
    ranges: dict[int, tuple[int, int, int]] = {}
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        bounds = _bounds(node, x.shape[axis], start, end, step)
        if bounds is not None:
            ranges[axis] = bounds
    return sliced(node, x, ranges)


def _moving_length(dim: Dim, start: Dim, end: Dim) -> int | None:
    """The number of elements of a part of a dim of known size that begins where only the run says; None where
    it begins at a known place, or its length is not known."""
    if not (isinstance(dim, int) and isinstance(start, Size)):
        return None
    length = end - start
    return length if isinstance(length, int) and length > 0 else None


def _moving(node: Node, x: Value, axis: int, length: int) -> Value:
    """`length` elements of a dim from the place that input 1 says, all of them inside."""
    places = node.emit("add", node.input(1), node.constant(np.arange(length, dtype=node.input(1).dtype)))
    return node.emit("gather", x, places, axis=axis)


def _bound(node: Node, index: int, name: str) -> list[Dim]:
    return node.dims(index) if node.optional(index) is not None else list(node.attr(name))


def _bounds(node: Node, dim: Dim, start: Dim, end: Dim, step: int) -> tuple[int, int, int] | None:
    """(first index, number of elements, step), or None if the slice is everything."""
    if step == 1 and start == 0 and (end == dim or (isinstance(end, int) and end >= 2**31 - 1)):
        return None
    size, first, last = node.static([dim, start, end], "a sliced dim")
    if step > 0:
        first = min(max(first + size if first < 0 else first, 0), size)
        last = min(max(last + size if last < 0 else last, 0), size)
    else:
        first = min(max(first + size if first < 0 else first, 0), size - 1)
        last = min(max(last + size if last < 0 else last, -1), size - 1)
    count = max(0, -(-(last - first) // step))
    return first, count, step


def sliced(node: Node, x: Value, ranges: dict[int, tuple[int, int, int]]) -> Value:
    """Takes (first index, number of elements, step) along the given axes; the others are whole."""
    if not ranges:
        return x
    sizes = [-1 if isinstance(d, Size) else d for d in x.shape]
    whole = [(0, size, 1) for size in sizes]
    starts, counts, steps = zip(*[ranges.get(i, w) for i, w in enumerate(whole)], strict=True)
    return node.emit("slice", x, starts=list(starts), sizes=list(counts), steps=list(steps))


@onnx_operator("Split")
def split(node: Node) -> list[Value]:
    x = node.input(0)
    axis = node.axis(node.attr("axis", 0), x.rank)
    (size,) = node.static([x.shape[axis]], f"the split dim {axis}")
    parts = _parts(node, size)
    if sum(parts) != size or min(parts, default=0) < 0 or len(parts) < len(node.outputs):
        raise NodeFailure(
            f"split {parts} does not divide the dim {axis} of size {size} into {len(node.outputs)} outputs"
        )
    starts = [sum(parts[:i]) for i in range(len(parts))]
    return [
        sliced(node, x, {axis: (start, part, 1)})
        for start, part, _ in zip(starts, parts, node.outputs, strict=False)
    ]


def _parts(node: Node, size: int) -> Sequence[int]:
    given = node.ints_or_attr(1, "split")
    if given is not None:
        return list(given)
    count = int(node.attr("num_outputs", len(node.outputs)))
    # Equal parts; what is left over makes the last one smaller (opset 18).
    length = -(-size // count) if count else 0
    return [max(0, min(length, size - i * length)) for i in range(count)]


@onnx_operator("Pad")
def pad(node: Node) -> Value:
    """`paddings` (opset 1) and `pads` (2 to 10) are attributes, later inputs; `axes` exists from 18 on."""
    x = node.input(0)
    pads = node.ints(1) if node.opset >= 11 else list(node.attr("paddings" if node.opset == 1 else "pads"))
    listed = node.ints(3) if node.optional(3) is not None else range(x.rank)
    axes = [node.axis(a, x.rank) for a in listed]
    if len(pads) != 2 * len(axes):
        raise NodeFailure(f"pads {pads} must hold two numbers for each of {len(axes)} axes")
    low, high = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(axes):
        low[axis], high[axis] = pads[i], pads[len(axes) + i]
    mode = node.attr("mode", "constant")
    if mode not in ("constant", "reflect", "edge", "wrap"):
        raise NodeFailure(f"mode must be constant, reflect, edge or wrap, not {mode!r}")
    return _padded(
        node, _cropped(node, x, low, high), [max(p, 0) for p in low], [max(p, 0) for p in high], mode
    )


def _cropped(node: Node, x: Value, low: list[int], high: list[int]) -> Value:
    """Negative pads take away."""
    ranges = {}
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        if min(before, after) < 0:
            (size,) = node.static([x.shape[axis]], f"the cropped dim {axis}")
            first = max(-before, 0)
            ranges[axis] = (first, size - first - max(-after, 0), 1)
    return sliced(node, x, ranges) if ranges else x


def _padded(node: Node, x: Value, low: list[int], high: list[int], mode: str) -> Value:
    if not any(low) and not any(high):
        return x
    value: float = 0
    if mode == "constant":
        value = node.attr("value", 0.0)
        given = node.optional(2)
        if given is not None and not given.is_constant:
            raise NodeFailure(
                f"input 2 ('{given.name}'), the padding value, must be known when the model is compiled"
            )
        if given is not None and given.known is not None:
            value = given.known.reshape(-1)[0].item()
    return node.emit("pad", x, low=low, high=high, mode=mode, value=value)
