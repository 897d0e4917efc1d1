"""ConvTranspose as a convolution without multiplications by inserted zeros.

Along an axis with stride s the transposed convolution puts `x[i] * w[t]` at `s i + t` (`t` counts dilated
elements). What lands at `s q + r` is the sum over a of `x[q - a] * w[s a + r]`: for each r a convolution of
stride 1 with every s-th element of the flipped filter. The results for all r are channels of one convolution,
whose elements are then interleaved.

Filters or paddings of dynamic size take a convolution of x with zeros between its elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import always_less, differ, floordiv, maximum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes, take_range
from mlc.frontends.onnx.operators.common.expressions import counting, dim, formula, read_along
from mlc.frontends.onnx.operators.common.sliding_windows import kernel_of, per_dim
from mlc.frontends.onnx.operators.nn.convolution import add_bias, in_groups, per_channel
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class SpatialAxis:
    """One spatial axis of a ConvTranspose.

    The kernel's `kernel` elements are `dilation` apart; `length` elements of the result are wanted, from
    `begin` on, counted from the first product of the first element.
    """

    size: Dim
    kernel: Dim
    stride: int
    dilation: int
    begin: Dim
    length: Dim

    @property
    def is_static(self) -> bool:
        """Whether all but the lengths of x and of the result are static."""
        return all(isinstance(size, int) for size in (self.kernel, self.begin, *self.pads))

    @property
    def taps(self) -> Any:
        """The elements of x that add to one of the result: the convolution's kernel size."""
        spread = (self.kernel - 1) * self.dilation + 1
        return self.kernel if self.stride == 1 else -(-spread // self.stride)

    @property
    def tap_distance(self) -> int:
        """The distance of those elements in x: the convolution's dilation."""
        return self.dilation if self.stride == 1 else 1

    @property
    def first(self) -> Any:
        """The first q that is computed."""
        return self.begin // self.stride

    @property
    def positions(self) -> Any:
        """The number of q that are computed."""
        return (self.begin + self.length - 1) // self.stride - self.first + 1

    @property
    def pads(self) -> tuple[Any, Any]:
        """The padding of x; negative where its ends are not read."""
        before = (self.taps - 1) * self.tap_distance - self.first
        return before, self.first + self.positions - self.size


def axes_of(node: Node, x: Value, kernel: list[Dim]) -> list[SpatialAxis]:
    """Returns the spatial axes by the node's attributes. Raises NodeError for attributes that do not
    fit."""
    rank, sizes = len(kernel), x.shape[2:]
    strides, dilations = (per_dim(node, name, rank) for name in ("strides", "dilations"))
    extra = list(node.attr("output_padding", [0] * rank))
    pads = list(node.attr("pads", [0] * (2 * rank)))
    if len(extra) != rank or len(pads) != 2 * rank or min([*extra, *pads], default=0) < 0:
        raise NodeError(f"output_padding {extra} and pads {pads} must be {rank} and {2 * rank} integers")
    # Old models give all dims.
    wanted = list(node.attr("output_shape", []))[-rank:]
    mode = node.attr("auto_pad", "NOTSET")
    found = []
    for i, (size, width, stride, dilation) in enumerate(zip(sizes, kernel, strides, dilations, strict=True)):
        whole = stride * (size - 1) + extra[i] + (width - 1) * dilation + 1
        if wanted or mode in ("SAME_UPPER", "SAME_LOWER"):
            length = wanted[i] if wanted else size * stride
            begin = _begin(maximum(whole - length, 0), mode)
        else:
            begin = 0 if mode == "VALID" else pads[i]
            length = whole - begin - (0 if mode == "VALID" else pads[rank + i])
        found.append(SpatialAxis(size, width, stride, dilation, begin, length))
    return found


def _begin(total: Dim, mode: str) -> Dim:
    """Returns how many of the elements that are cut off are at the begin: the larger half, except for
    SAME_UPPER."""
    return total // 2 if mode == "SAME_UPPER" else total - total // 2


def between_zeros(node: Node, x: Value, w: Value, group: int, axes: list[SpatialAxis]) -> Value:
    """Returns the result without bias for dynamic sizes: a convolution, with the flipped filter, of x with
    zeros between its elements and around them."""
    spread = formula(node, x)
    for position, axis in enumerate(axes, 2):
        reach = (axis.kernel - 1) * axis.dilation
        at = counting(node, axis.length + reach) - dim(node, reach - axis.begin)
        inside = (at >= 0) & (at % axis.stride).equals(0) & (at < dim(node, axis.size * axis.stride))
        spread = read_along(spread, position, (at // axis.stride).within(0, dim(node, axis.size) - 1), inside)
    channels, outputs, *kernel = w.shape
    flipped = formula(node, node.reshape(w, [group, floordiv(channels, group), outputs, *kernel]))
    for position, axis in enumerate(axes, 3):
        flipped = read_along(flipped, position, dim(node, axis.kernel) - 1 - counting(node, axis.kernel))
    order = [0, 2, 1, *range(3, 3 + len(axes))]
    moved = node.emit("transpose", flipped.value, permutation=order)
    weight = node.reshape(moved, [group * outputs, floordiv(channels, group), *kernel])
    return in_groups(
        node,
        spread.value,
        weight,
        group,
        strides=[1] * len(axes),
        dilations=[axis.dilation for axis in axes],
        pads=[0] * (2 * len(axes)),
    )


@onnx_operator("ConvTranspose")
def conv_transpose(node: Node) -> Value:
    """Imports ConvTranspose. Raises NodeError for shapes that do not fit."""
    x, w, group = node.input(0), node.input(1), int(node.attr("group", 1))
    (channels, outputs), kernel = w.shape[:2], kernel_of(node, w)
    fits = not (differ(x.shape[1], channels) or differ(channels % max(group, 1), 0))
    if x.rank != len(kernel) + 2 or group < 1 or not fits:
        raise NodeError(
            f"a weight {w.shape_text} with group {group} does not fit an input of shape {x.shape_text}"
        )
    axes = axes_of(node, x, kernel)
    if any(always_less(axis.length, 1) for axis in axes):
        raise NodeError(f"the result's spatial dims {[axis.length for axis in axes]} are not positive")
    if not (w.is_static and all(axis.is_static for axis in axes)):
        return add_bias(node, between_zeros(node, x, w, group, axes))
    result = _convolution(node, x, _filter(node, w, group, axes), group, axes)
    if node.optional(2) is not None:
        bias = node.input_of_shape(2, [group * outputs])
        result = node.emit("add", result, per_channel(node, _repeat_bias(node, bias, axes), result.rank))
    return _side_by_side(node, result, x.shape[0], group * outputs, axes)


def _filter(node: Node, w: Value, group: int, axes: list[SpatialAxis]) -> Value:
    """Returns the convolution's weight `[group * outputs * strides..., channels / group, taps...]` from w,
    `[channels, outputs, kernel...]`."""
    channels, outputs, *kernel = node.shape(w)
    split = node.reshape(w, [group, channels // group, outputs, *kernel])
    for position, axis in enumerate(axes):
        split = _split_by_stride(node, split, 3 + 2 * position, axis)
    # Each kernel dim has become taps and the stride.
    taps = [3 + 2 * position for position in range(len(axes))]
    order = [0, 2, *(tap + 1 for tap in taps), 1, *taps]
    strides = int(np.prod([axis.stride for axis in axes]))
    moved = node.emit("transpose", split, permutation=order)
    return node.reshape(moved, [group * outputs * strides, channels // group, *(axis.taps for axis in axes)])


def _split_by_stride(node: Node, w: Value, dim: int, axis: SpatialAxis) -> Value:
    """Splits a kernel dim of w into taps, the last one first, and the stride."""
    before, after = node.shape(w)[:dim], node.shape(w)[dim + 1 :]
    spread = 1
    if axis.stride > 1 and axis.dilation > 1:
        # Zeros between the filter's elements.
        spread = axis.dilation
        w = _pad_end(node, node.reshape(w, [*before, axis.kernel, 1, *after]), dim + 1, spread - 1)
        w = node.reshape(w, [*before, axis.kernel * spread, *after])
    missing = axis.taps * axis.stride - axis.kernel * spread
    w = _pad_end(node, w, dim, missing) if missing > 0 else _cut(node, w, dim, axis.taps * axis.stride)
    w = node.reshape(w, [*before, axis.taps, axis.stride, *after])
    return slice_axes(node, w, {dim: (axis.taps - 1, axis.taps, -1)}) if axis.taps > 1 else w


def _pad_end(node: Node, x: Value, dim: int, count: int) -> Value:
    """Pads the end of the dim with `count` zeros."""
    high = [count if index == dim else 0 for index in range(x.rank)]
    return node.emit("pad", x, low=[0] * x.rank, high=high, mode="constant", value=0.0)


def _cut(node: Node, x: Value, dim: int, count: int) -> Value:
    """Returns the first `count` elements of the dim."""
    return x if x.shape[dim] == count else slice_axes(node, x, {dim: (0, count, 1)})


def _convolution(node: Node, x: Value, w: Value, group: int, axes: list[SpatialAxis]) -> Value:
    pads = [axis.pads for axis in axes]
    kept = {
        2 + position: (max(-low, 0), axis.size - max(-low, 0) - max(-high, 0), 1)
        for position, (axis, (low, high)) in enumerate(zip(axes, pads, strict=True))
        if min(low, high) < 0
    }
    if any(always_less(count, 1) for _, count, _ in kept.values()):
        raise NodeError("the wanted part of the result is outside of what the input reaches")
    return node.emit(
        "conv",
        _slice_dims(node, x, kept),
        w,
        strides=[1] * len(axes),
        dilations=[axis.tap_distance for axis in axes],
        pads=[max(low, 0) for low, _ in pads] + [max(high, 0) for _, high in pads],
        group=group,
        layout="NCHW",
    )


def _slice_dims(node: Node, x: Value, ranges: dict[int, tuple[Any, Any, int]]) -> Value:
    """Slices dims to (first index, count, step) of `ranges`, of which count may be dynamic."""
    for axis, (first, count, _) in ranges.items():
        x = (
            slice_axes(node, x, {axis: (first, count, 1)})
            if isinstance(count, int)
            else take_range(node, x, axis, first, count)
        )
    return x


def _repeat_bias(node: Node, bias: Value, axes: list[SpatialAxis]) -> Value:
    """Repeats the bias of each channel for all strides."""
    (count,), strides = node.shape(bias), int(np.prod([axis.stride for axis in axes]))
    if strides == 1:
        return bias
    copies = node.emit("expand", node.reshape(bias, [count, 1]), shape=[count, strides])
    return node.reshape(copies, [count * strides])


def _side_by_side(node: Node, result: Value, batch: Dim, outputs: Dim, axes: list[SpatialAxis]) -> Value:
    """Interleaves `[batch, outputs * strides..., positions...]` to `[batch, outputs, spatial...]` and cuts it
    to the wanted length."""
    strides, positions = [axis.stride for axis in axes], [axis.positions for axis in axes]
    if any(stride > 1 for stride in strides):
        split = node.reshape(result, [batch, outputs, *strides, *positions])
        order = [axis for i in range(len(axes)) for axis in (2 + len(axes) + i, 2 + i)]
        moved = node.emit("transpose", split, permutation=[0, 1, *order])
        spatial = [stride * count for stride, count in zip(strides, positions, strict=True)]
        result = node.reshape(moved, [batch, outputs, *spatial])
    wanted = {
        2 + i: (axis.begin - axis.first * axis.stride, axis.length, 1)
        for i, axis in enumerate(axes)
        if axis.length != axis.stride * axis.positions
    }
    return _slice_dims(node, result, wanted)
