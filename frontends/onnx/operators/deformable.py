"""DeformConv: a convolution whose window's elements have been moved, each by an offset of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.convolution import per_channel
from mlc.frontends.onnx.operators.coordinates import Sampling, Tap, axis_taps
from mlc.frontends.onnx.operators.sampling import Images, computed_in, interpolated
from mlc.frontends.onnx.operators.windows import Window, kernel_of, window
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_BETWEEN = Sampling("linear", "zeros")


@dataclass(frozen=True)
class Sizes:
    """Lengths of the dims: `kernel` and `result` count all spatial dims together."""

    batch: int
    groups: int
    offset_groups: int
    kernel: int
    result: list[int]

    @property
    def places(self) -> int:
        return int(np.prod(self.result))


@onnx_operator("DeformConv", since=19)
def deform_conv(node: Node) -> Value:
    x, w, offset = node.input(0), node.input(1), node.input(2)
    shape, kernel = node.shape(x), kernel_of(node, w)
    geometry = window(node, x, kernel)
    sizes = Sizes(
        shape[0],
        int(node.attr("group", 1)),
        int(node.attr("offset_group", 1)),
        int(np.prod(kernel)),
        node.static(offset.shape[2:], "the offsets' shape"),
    )
    _check(shape, node.shape(offset), len(kernel), sizes)
    columns = _columns(node, x, offset, geometry, sizes)
    result = _product(node, columns, w, sizes)
    bias = node.optional(3)
    return result if bias is None else node.emit("add", result, per_channel(node, bias, result.rank))


def _check(shape: list[int], offset: list[int], spatial: int, sizes: Sizes) -> None:
    if shape[1] % sizes.offset_groups or offset[1] != sizes.offset_groups * sizes.kernel * spatial:
        raise NodeFailure(
            f"offsets of shape {offset} do not fit {sizes.offset_groups} groups of the {shape[1]} channels"
        )


def _columns(node: Node, x: Value, offset: Value, geometry: Window, sizes: Sizes) -> Value:
    """What each window reads, `[batch, channels, kernel * places]`."""
    batch, channels, *extents = node.shape(x)
    rows = batch * sizes.offset_groups
    images = Images(node, node.reshape(x, [rows, channels // sizes.offset_groups, *extents]), zeros=True)
    number = computed_in(x)
    values = interpolated(
        node, images, _taps(node, node.cast(offset, number), extents, geometry, sizes), images.first_places()
    )
    mask = node.optional(4)
    if mask is not None:
        factors = node.reshape(node.cast(mask, number), [rows, 1, sizes.kernel * sizes.places])
        values = node.emit("mul", values, factors)
    return node.reshape(node.cast(values, x.number), [batch, channels, sizes.kernel * sizes.places])


def _taps(node: Node, offset: Value, extents: list[int], geometry: Window, sizes: Sizes) -> list[list[Tap]]:
    """What is read along each axis, as `[batch * offset groups, 1, kernel * places]`."""
    rows, spatial = sizes.batch * sizes.offset_groups, len(extents)
    split = node.reshape(offset, [rows, sizes.kernel, spatial, sizes.places])
    found = []
    for axis, extent in enumerate(extents):
        part = node.emit(
            "slice",
            split,
            starts=[0, 0, axis, 0],
            sizes=[rows, sizes.kernel, 1, sizes.places],
            steps=[1] * 4,
        )
        moved = node.reshape(part, [rows, 1, sizes.kernel * sizes.places])
        still = _places(geometry, sizes.result, axis).astype(types.numpy_dtype(offset.number))
        found.append(axis_taps(node, node.emit("add", moved, node.constant(still)), extent, _BETWEEN))
    return found


def _places(geometry: Window, result: list[int], axis: int) -> np.ndarray:
    """Along an axis, where each element of each window would be without an offset: `[1, 1, kernel *
    places]`."""
    inside = np.arange(geometry.kernel[axis]) * geometry.dilations[axis]
    begin = np.arange(result[axis]) * geometry.strides[axis] - geometry.pads[axis]
    spatial = len(result)
    shape = [1] * (2 * spatial)
    shape[axis], shape[spatial + axis] = len(inside), len(begin)
    along = (inside[:, None] + begin[None, :]).reshape(shape)
    return np.broadcast_to(along, [*geometry.kernel, *result]).reshape(1, 1, -1)


def _product(node: Node, columns: Value, w: Value, sizes: Sizes) -> Value:
    """w, `[outputs, channels / groups, kernel...]`, by the columns, group by group."""
    outputs = node.shape(w)[0]
    inner = int(np.prod(node.shape(columns)[1:])) // sizes.groups // sizes.places
    groups = [sizes.groups] if sizes.groups > 1 else []
    left = node.reshape(w, [*groups, outputs // sizes.groups, inner])
    right = node.reshape(columns, [sizes.batch, *groups, inner, sizes.places])
    return node.reshape(node.emit("matmul", left, right), [sizes.batch, outputs, *sizes.result])
