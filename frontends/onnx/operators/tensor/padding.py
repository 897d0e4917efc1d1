"""Pad, with static and dynamic amounts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import maximum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import (
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

_MODES = ("constant", "reflect", "edge", "wrap")


@onnx_operator("Pad")
def pad(node: Node) -> Value:
    """Imports Pad. `paddings` (opset 1) and `pads` (2 to 10) are attributes, later inputs; `axes` exists from
    18 on.

    Raises NodeError for modes and amounts that do not fit.
    """
    if node.input(0).onnx_type == TensorProto.STRING:
        values = [node.input(0), node.optional(1), node.optional(2), node.optional(3)]
        return node.strings_of(pad(node.with_inputs(*(_string_ids(node, value) for value in values))))
    mode = node.attr("mode", "constant")
    if mode not in _MODES:
        raise NodeError(f"mode must be constant, reflect, edge or wrap, not {mode!r}")
    if any(node.optional(i) is not None and not node.input(i).is_constant for i in (1, 2, 3)):
        return _computed_pad(node, mode)
    x = node.input(0)
    pads = node.ints(1) if node.opset >= 11 else list(node.attr("paddings" if node.opset == 1 else "pads"))
    listed = node.ints(3) if node.optional(3) is not None else range(x.rank)
    axes = node.axes(listed, x.rank)
    if len(pads) != 2 * len(axes):
        raise NodeError(f"pads {pads} must hold two integers for each of {len(axes)} axes")
    low, high = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(axes):
        low[axis], high[axis] = pads[i], pads[len(axes) + i]
    return _pad(node, _crop(node, x, low, high), [max(p, 0) for p in low], [max(p, 0) for p in high], mode)


def _string_ids(node: Node, value: Value | None) -> Value | None:
    """Returns strings as their ids; other values unchanged."""
    return node.ids_of(value) if value is not None and value.onnx_type == TensorProto.STRING else value


def _crop(node: Node, x: Value, low: list[int], high: list[int]) -> Value:
    """Removes elements where pads are negative."""
    ranges = {}
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        if min(before, after) < 0:
            first = max(-before, 0)
            length = x.shape[axis] - first - max(-after, 0)
            ranges[axis] = (first, length if isinstance(length, int) else maximum(length, 0), 1)
    return slice_axes(node, x, ranges) if ranges else x


def _pad(node: Node, x: Value, low: list[int], high: list[int], mode: str) -> Value:
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
    x, zero = node.input(0), i64_scalar(node, 0)
    axes, low, high = _amounts(node, x)
    is_padded = [not (_is_zero(low, position) and _is_zero(high, position)) for position in range(len(axes))]
    sizes = node.sizes([x.shape[axis] for axis in axes])
    before, after = (node.emit("max", node.emit("neg", amounts), zero) for amounts in (low, high))
    low, high = (node.emit("max", amounts, zero) for amounts in (low, high))
    kept = node.emit("sub", node.emit("sub", sizes, before), after)
    is_there = node.emit("greater_equal", kept, zero)
    # The check is not on `kept`, so that dims that follow from others continue to do so.
    before = require(node, before, is_there, "negative pads take more elements than there are along an axis")
    kept = node.emit("max", kept, zero)
    counts = node.read_dims(node.emit("add", node.emit("add", kept, low), high))
    value = _value(node, x)
    # The other axes keep their dims, which may be known, as the channels of images are.
    for position, axis in enumerate(axes):
        if not is_padded[position]:
            continue
        part = KeptRange(*(element(node, amounts, position) for amounts in (before, kept, low)))
        x = part.pad(node, x, axis, counts[position], mode, value)
    return x


def _is_zero(amounts: Value, position: int) -> bool:
    """Whether an element of a vector is known to be 0."""
    return amounts.known is not None and bool(amounts.known[position] == 0)


def _amounts(node: Node, x: Value) -> tuple[list[int], Value, Value]:
    """Returns axes, and the padding before and after each of them."""
    pads, axes = node.cast(node.input(1), TensorProto.INT64), node.optional(3)
    if axes is None or axes.is_constant:
        listed = node.ints(3) if axes is not None else range(x.rank)
        count = len(listed)
        pads = vector_of(node, pads, 2 * count)
        low, high = (
            node.emit("slice", pads, starts=[start], sizes=[count], steps=[1]) for start in (0, count)
        )
        return node.axes(listed, x.rank), low, high
    length = axes.shape[0]
    halves = (take_range(node, pads, 0, start, length) for start in (0, length))
    low, high = (per_axis(node, half, axes, x.rank, i64_scalar(node, 0)) for half in halves)
    return list(range(x.rank)), low, high


def _value(node: Node, x: Value) -> Value:
    given = node.optional(2)
    if given is not None:
        return node.reshape(given, [])
    return node.constant(np.asarray(node.attr("value", 0.0)).astype(x.dtype))


@dataclass(frozen=True)
class KeptRange:
    """The elements of an axis that are kept: `count` of them from `first` on, after `low` others. All are i64
    scalars."""

    first: Value
    count: Value
    low: Value

    def pad(self, node: Node, x: Value, axis: int, total: Dim, mode: str, value: Value) -> Value:
        """Returns `total` elements: the kept ones, and padding around them according to the mode."""
        indices = node.emit("sub", iota(node, total), self.low)
        if mode != "constant":
            indices = node.emit("add", self._within(node, indices, mode), self.first)
            return node.emit("gather", x, indices, axis=axis)
        zero = i64_scalar(node, 0)
        is_kept = node.emit(
            "and", node.emit("greater_equal", indices, zero), node.emit("less", indices, self.count)
        )
        # The value is appended to the elements, of which there may be none.
        kept = node.emit("add", indices, self.first)
        indices = node.emit("where", is_kept, kept, i64_scalar(node, x.shape[axis]))
        shape = [1 if dim_axis == axis else dim for dim_axis, dim in enumerate(x.shape)]
        padding = node.expand(node.reshape(value, [1] * x.rank), shape)
        return node.emit("gather", node.emit("concat", x, padding, axis=axis), indices, axis=axis)

    def _within(self, node: Node, indices: Value, mode: str) -> Value:
        """Returns indices in [0, count) for those outside."""
        zero, one = i64_scalar(node, 0), i64_scalar(node, 1)
        last = node.emit("sub", self.count, one)
        if mode == "edge":
            return node.emit("min", node.emit("max", indices, zero), last)
        if mode == "wrap":
            return node.emit("mod", indices, node.emit("max", self.count, one), fmod=False)
        period = node.emit("add", last, last)
        there = node.emit("mod", indices, node.emit("max", period, one), fmod=False)
        return node.emit("min", there, node.emit("sub", period, there))
