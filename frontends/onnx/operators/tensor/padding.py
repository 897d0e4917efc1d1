"""Pad, of amounts that are known or that only running tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import maximum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
    checked,
    counted,
    element,
    number_of,
    per_axis,
    sliced,
    taken,
    vector_of,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

_MODES = ("constant", "reflect", "edge", "wrap")


@onnx_operator("Pad")
def pad(node: Node) -> Value:
    """`paddings` (opset 1) and `pads` (2 to 10) are attributes, later inputs; `axes` exists from 18 on."""
    if node.input(0).number == TensorProto.STRING:
        values = [node.input(0), node.optional(1), node.optional(2), node.optional(3)]
        return node.numbered(pad(node.with_inputs(*(_numbers(node, each) for each in values))))
    mode = node.attr("mode", "constant")
    if mode not in _MODES:
        raise NodeError(f"mode must be constant, reflect, edge or wrap, not {mode!r}")
    if any(node.optional(i) is not None and not node.input(i).is_constant for i in (1, 2, 3)):
        return _computed_pad(node, mode)
    x = node.input(0)
    pads = node.ints(1) if node.opset >= 11 else list(node.attr("paddings" if node.opset == 1 else "pads"))
    listed = node.ints(3) if node.optional(3) is not None else range(x.rank)
    axes = [node.axis(a, x.rank) for a in listed]
    if len(pads) != 2 * len(axes):
        raise NodeError(f"pads {pads} must hold two numbers for each of {len(axes)} axes")
    low, high = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(axes):
        low[axis], high[axis] = pads[i], pads[len(axes) + i]
    return _padded(
        node, _cropped(node, x, low, high), [max(p, 0) for p in low], [max(p, 0) for p in high], mode
    )


def _numbers(node: Node, value: Value | None) -> Value | None:
    """Strings as their numbers; what is none as it is."""
    return node.numbers(value) if value is not None and value.number == TensorProto.STRING else value


def _cropped(node: Node, x: Value, low: list[int], high: list[int]) -> Value:
    """Negative pads take away."""
    ranges = {}
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        if min(before, after) < 0:
            first = max(-before, 0)
            length = x.shape[axis] - first - max(-after, 0)
            ranges[axis] = (first, length if isinstance(length, int) else maximum(length, 0), 1)
    return sliced(node, x, ranges) if ranges else x


def _padded(node: Node, x: Value, low: list[int], high: list[int], mode: str) -> Value:
    if not any(low) and not any(high):
        return x
    value: float = 0
    if mode == "constant":
        value = node.attr("value", 0.0)
        given = node.optional(2)
        if given is not None and given.known is not None:
            value = given.known.reshape(-1)[0].item()
    return node.emit("pad", x, low=low, high=high, mode=mode, value=value)


def _computed_pad(node: Node, mode: str) -> Value:
    x, zero = node.input(0), number_of(node, 0)
    axes, low, high = _amounts(node, x)
    sizes = node.sizes([x.shape[axis] for axis in axes])
    before, after = (node.emit("max", node.emit("neg", each), zero) for each in (low, high))
    low, high = (node.emit("max", each, zero) for each in (low, high))
    kept = node.emit("sub", node.emit("sub", sizes, before), after)
    is_there = node.emit("greater_equal", kept, zero)
    # Not what is kept, so that dims that follow from others go on to do so.
    before = checked(node, before, is_there, "negative pads take more elements than there are along an axis")
    kept = node.emit("max", kept, zero)
    counts = node.read_dims(node.emit("add", node.emit("add", kept, low), high))
    value = _value(node, x)
    for place, axis in enumerate(axes):
        part = Part(*(element(node, each, place) for each in (before, kept, low)))
        x = part.padded(node, x, axis, counts[place], mode, value)
    return x


def _amounts(node: Node, x: Value) -> tuple[list[int], Value, Value]:
    """Axes, and what is added before and behind each of them."""
    pads, axes = node.cast(node.input(1), TensorProto.INT64), node.optional(3)
    if axes is None or axes.is_constant:
        listed = node.ints(3) if axes is not None else range(x.rank)
        count = len(listed)
        pads = vector_of(node, pads, 2 * count)
        low, high = (
            node.emit("slice", pads, starts=[start], sizes=[count], steps=[1]) for start in (0, count)
        )
        return [node.axis(each, x.rank) for each in listed], low, high
    length = axes.shape[0]
    halves = (taken(node, pads, 0, start, length) for start in (0, length))
    low, high = (per_axis(node, half, axes, x.rank, number_of(node, 0)) for half in halves)
    return list(range(x.rank)), low, high


def _value(node: Node, x: Value) -> Value:
    given = node.optional(2)
    if given is not None:
        return node.reshape(given, [])
    return node.constant(np.asarray(node.attr("value", 0.0)).astype(x.dtype))


@dataclass(frozen=True)
class Part:
    """The elements of an axis that are kept: `count` of them from `first` on, with `low` others before them
    (all of them i64 scalars)."""

    first: Value
    count: Value
    low: Value

    def padded(self, node: Node, x: Value, axis: int, total: Dim, mode: str, value: Value) -> Value:
        """`total` elements: the kept ones, and around them what the mode says."""
        places = node.emit("sub", counted(node, total), self.low)
        if mode != "constant":
            places = node.emit("add", self._within(node, places, mode), self.first)
            return node.emit("gather", x, places, axis=axis)
        zero = number_of(node, 0)
        is_kept = node.emit(
            "and", node.emit("greater_equal", places, zero), node.emit("less", places, self.count)
        )
        # The value stands behind the elements: there may be none.
        kept = node.emit("add", places, self.first)
        places = node.emit("where", is_kept, kept, number_of(node, x.shape[axis]))
        shape = [1 if each == axis else dim for each, dim in enumerate(x.shape)]
        behind = node.expand(node.reshape(value, [1] * x.rank), shape)
        return node.emit("gather", node.emit("concat", x, behind, axis=axis), places, axis=axis)

    def _within(self, node: Node, places: Value, mode: str) -> Value:
        """Places in [0, count) for those around them."""
        zero, one = number_of(node, 0), number_of(node, 1)
        last = node.emit("sub", self.count, one)
        if mode == "edge":
            return node.emit("min", node.emit("max", places, zero), last)
        if mode == "wrap":
            return node.emit("mod", places, node.emit("max", self.count, one), fmod=False)
        period = node.emit("add", last, last)
        there = node.emit("mod", places, node.emit("max", period, one), fmod=False)
        return node.emit("min", there, node.emit("sub", period, there))
