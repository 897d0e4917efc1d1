"""ConvTranspose as a convolution: with strides, of as many results per place as there are places between two
elements.

Along an axis with stride s the transposed convolution puts `x[i] * w[t]` at `s i + t` (`t` counts dilated
elements). What lands at `s q + r` is the sum over a of `x[q - a] * w[s a + r]`: for each r a convolution of
stride 1 with every s-th element of the filter, turned round. The results for all r are channels of one
convolution, whose elements are then put side by side. No zeros between elements are multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.convolution import per_channel
from mlc.frontends.onnx.operators.slicing import sliced
from mlc.frontends.onnx.operators.windows import kernel_of, per_dim
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class Axis:
    """One spatial axis. `kernel` elements `dilation` apart reach into the result, of which `length` elements
    from `begin` on (counted from where the first element's first product lands) are wanted."""

    size: int
    kernel: int
    stride: int
    dilation: int
    begin: int
    length: int

    @property
    def taps(self) -> int:
        """Elements of x that add to one of the result, and so the convolution's kernel."""
        spread = (self.kernel - 1) * self.dilation + 1
        return self.kernel if self.stride == 1 else -(-spread // self.stride)

    @property
    def tap_distance(self) -> int:
        """Between those elements: what of the dilation is left in x."""
        return self.dilation if self.stride == 1 else 1

    @property
    def first(self) -> int:
        """The first place q that is computed."""
        return self.begin // self.stride

    @property
    def places(self) -> int:
        """How many q are computed."""
        return (self.begin + self.length - 1) // self.stride - self.first + 1

    @property
    def pads(self) -> tuple[int, int]:
        """Padding of x; negative where its ends are not read."""
        before = (self.taps - 1) * self.tap_distance - self.first
        return before, self.first + self.places - self.size


@onnx_operator("ConvTranspose")
def conv_transpose(node: Node) -> Value:
    x, w, group = node.input(0), node.input(1), int(node.attr("group", 1))
    (channels, outputs), kernel = node.static(w.shape[:2], "the weight's shape"), kernel_of(node, w)
    if x.rank != len(kernel) + 2 or x.shape[1] != channels or group < 1 or channels % group:
        raise NodeFailure(
            f"a weight {list(w.shape)} with group {group} does not fit an input of shape {list(x.shape)}"
        )
    axes = _axes(node, x, kernel)
    if min((axis.length for axis in axes), default=1) < 1:
        raise NodeFailure(f"the result's spatial dims {[axis.length for axis in axes]} are not positive")
    result = _convolution(node, x, _filter(node, w, group, axes), group, axes)
    bias = node.optional(2)
    if bias is not None:
        result = node.emit("add", result, per_channel(node, _repeated(node, bias, axes), result.rank))
    return _side_by_side(node, result, x.shape[0], group * outputs, axes)


def _axes(node: Node, x: Value, kernel: list[int]) -> list[Axis]:
    rank = len(kernel)
    sizes = node.static(x.shape[2:], "the input's spatial shape")
    strides, dilations = (per_dim(node, name, rank) for name in ("strides", "dilations"))
    extra = list(node.attr("output_padding", [0] * rank))
    pads = list(node.attr("pads", [0] * (2 * rank)))
    if len(extra) != rank or len(pads) != 2 * rank or min([*extra, *pads], default=0) < 0:
        raise NodeFailure(f"output_padding {extra} and pads {pads} must be {rank} and {2 * rank} numbers")
    # Old models name all dims.
    wanted = list(node.attr("output_shape", []))[-rank:]
    mode = node.attr("auto_pad", "NOTSET")
    found = []
    for i, (size, width, stride, dilation) in enumerate(zip(sizes, kernel, strides, dilations, strict=True)):
        whole = stride * (size - 1) + extra[i] + (width - 1) * dilation + 1
        if wanted or mode in ("SAME_UPPER", "SAME_LOWER"):
            length = wanted[i] if wanted else size * stride
            begin = _begin(max(whole - length, 0), mode)
        else:
            begin, end = (0, 0) if mode == "VALID" else (pads[i], pads[rank + i])
            length = whole - begin - end
        found.append(Axis(size, width, stride, dilation, begin, length))
    return found


def _begin(total: int, mode: str) -> int:
    """Of the elements that are cut off, those at the begin: the larger half, but for SAME_UPPER."""
    return total // 2 if mode == "SAME_UPPER" else total - total // 2


def _filter(node: Node, w: Value, group: int, axes: list[Axis]) -> Value:
    """The convolution's weight `[group * outputs * strides..., channels / group, taps...]` of w, `[channels,
    outputs, kernel...]`."""
    channels, outputs, *kernel = node.shape(w)
    split = node.reshape(w, [group, channels // group, outputs, *kernel])
    for place, axis in enumerate(axes):
        split = _strided(node, split, 3 + 2 * place, axis)
    # Each kernel dim has become taps and the places between two elements.
    taps = [3 + 2 * place for place in range(len(axes))]
    order = [0, 2, *(tap + 1 for tap in taps), 1, *taps]
    strides = int(np.prod([axis.stride for axis in axes]))
    moved = node.emit("transpose", split, permutation=order)
    return node.reshape(moved, [group * outputs * strides, channels // group, *(axis.taps for axis in axes)])


def _strided(node: Node, w: Value, dim: int, axis: Axis) -> Value:
    """w with a kernel dim split into taps, the last one first, and the places between two elements."""
    before, after = node.shape(w)[:dim], node.shape(w)[dim + 1 :]
    spread = 1
    if axis.stride > 1 and axis.dilation > 1:
        # Zeros between the filter's elements.
        spread = axis.dilation
        w = _padded(node, node.reshape(w, [*before, axis.kernel, 1, *after]), dim + 1, spread - 1)
        w = node.reshape(w, [*before, axis.kernel * spread, *after])
    missing = axis.taps * axis.stride - axis.kernel * spread
    w = _padded(node, w, dim, missing) if missing > 0 else _cut(node, w, dim, axis.taps * axis.stride)
    w = node.reshape(w, [*before, axis.taps, axis.stride, *after])
    return sliced(node, w, {dim: (axis.taps - 1, axis.taps, -1)}) if axis.taps > 1 else w


def _padded(node: Node, x: Value, dim: int, count: int) -> Value:
    """`count` zeros behind the dim's elements."""
    high = [count if each == dim else 0 for each in range(x.rank)]
    return node.emit("pad", x, low=[0] * x.rank, high=high, mode="constant", value=0.0)


def _cut(node: Node, x: Value, dim: int, count: int) -> Value:
    """The first `count` elements of the dim."""
    return x if x.shape[dim] == count else sliced(node, x, {dim: (0, count, 1)})


def _convolution(node: Node, x: Value, w: Value, group: int, axes: list[Axis]) -> Value:
    pads = [axis.pads for axis in axes]
    kept = {
        2 + place: (max(-low, 0), axis.size - max(-low, 0) - max(-high, 0), 1)
        for place, (axis, (low, high)) in enumerate(zip(axes, pads, strict=True))
        if min(low, high) < 0
    }
    if any(count < 1 for _, count, _ in kept.values()):
        raise NodeFailure("the wanted part of the result lies outside of what the input reaches")
    return node.emit(
        "conv",
        sliced(node, x, kept),
        w,
        strides=[1] * len(axes),
        dilations=[axis.tap_distance for axis in axes],
        pads=[max(low, 0) for low, _ in pads] + [max(high, 0) for _, high in pads],
        group=group,
        layout="NCHW",
    )


def _repeated(node: Node, bias: Value, axes: list[Axis]) -> Value:
    """The bias of each channel for all places between two elements."""
    (count,), strides = node.shape(bias), int(np.prod([axis.stride for axis in axes]))
    if strides == 1:
        return bias
    copies = node.emit("expand", node.reshape(bias, [count, 1]), shape=[count, strides])
    return node.reshape(copies, [count * strides])


def _side_by_side(node: Node, result: Value, batch: Dim, outputs: int, axes: list[Axis]) -> Value:
    """`[batch, outputs * strides..., places...]` as `[batch, outputs, spatial...]`, cut to what is wanted."""
    strides, places = [axis.stride for axis in axes], [axis.places for axis in axes]
    if any(stride > 1 for stride in strides):
        split = node.reshape(result, [batch, outputs, *strides, *places])
        order = [each for i in range(len(axes)) for each in (2 + len(axes) + i, 2 + i)]
        moved = node.emit("transpose", split, permutation=[0, 1, *order])
        spatial = [stride * count for stride, count in zip(strides, places, strict=True)]
        result = node.reshape(moved, [batch, outputs, *spatial])
    wanted = {
        2 + i: (axis.begin - axis.first * axis.stride, axis.length, 1)
        for i, axis in enumerate(axes)
        if axis.length != axis.stride * axis.places
    }
    return sliced(node, result, wanted)
