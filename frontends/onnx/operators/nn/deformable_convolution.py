"""DeformConv: a convolution in which each element of the window is moved by an offset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import differ, product
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.common.expressions import counting, dim
from mlc.frontends.onnx.operators.common.sliding_windows import WindowAttributes, kernel_of, window
from mlc.frontends.onnx.operators.image.sample_coordinates import Sampling, Tap, axis_taps
from mlc.frontends.onnx.operators.image.sampling import Images, computed_in, interpolate
from mlc.frontends.onnx.operators.nn.convolution import per_channel
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

_BETWEEN = Sampling("linear", "zeros")


@dataclass(frozen=True)
class DeformableSizes:
    """The lengths of the dims: `kernel` and `result` count all spatial dims together."""

    batch: Dim
    groups: int
    offset_groups: int
    kernel: Dim
    result: list[Dim]

    @property
    def positions(self) -> Any:
        """The number of windows."""
        return product(self.result)


@onnx_operator("DeformConv", since=19)
def deform_conv(node: Node) -> Value:
    """Imports DeformConv."""
    x, w, offset = node.input(0), node.input(1), node.input(2)
    kernel = kernel_of(node, w)
    geometry = window(node, x, kernel)
    sizes = DeformableSizes(
        x.shape[0],
        int(node.attr("group", 1)),
        int(node.attr("offset_group", 1)),
        product(kernel),
        list(offset.shape[2:]),
    )
    _check(x.shape, offset.shape, len(kernel), sizes)
    columns = _columns(node, x, offset, geometry, sizes)
    result = _product(node, columns, w, sizes)
    bias = node.optional(3)
    return result if bias is None else node.emit("add", result, per_channel(node, bias, result.rank))


def _check(shape: Sequence[Dim], offset: Sequence[Dim], spatial: int, sizes: DeformableSizes) -> None:
    fits = not differ(offset[1], sizes.offset_groups * sizes.kernel * spatial)
    if differ(shape[1] % sizes.offset_groups, 0) or not fits:
        groups = f"{sizes.offset_groups} groups of the {shape[1]} channels"
        raise NodeError(f"offsets of shape {list(offset)} do not fit {groups}")


def _columns(
    node: Node, x: Value, offset: Value, geometry: WindowAttributes, sizes: DeformableSizes
) -> Value:
    """Returns the elements that the windows read, `[batch, channels, kernel * positions]`."""
    batch, channels, *extents = x.shape
    rows = batch * sizes.offset_groups
    images = Images(node, node.reshape(x, [rows, channels // sizes.offset_groups, *extents]), zeros=True)
    onnx_type = computed_in(x)
    values = interpolate(
        node,
        images,
        _taps(node, node.cast(offset, onnx_type), extents, geometry, sizes),
        images.image_offsets(),
    )
    mask = node.optional(4)
    if mask is not None:
        factors = node.reshape(node.cast(mask, onnx_type), [rows, 1, sizes.kernel * sizes.positions])
        values = node.emit("mul", values, factors)
    return node.reshape(node.cast(values, x.onnx_type), [batch, channels, sizes.kernel * sizes.positions])


def _taps(
    node: Node, offset: Value, extents: list[Dim], geometry: WindowAttributes, sizes: DeformableSizes
) -> list[list[Tap]]:
    """Returns the elements that are read along each axis, as `[batch * offset groups, 1, kernel *
    positions]`."""
    rows, spatial = sizes.batch * sizes.offset_groups, len(extents)
    split = node.reshape(offset, [rows, sizes.kernel, spatial, sizes.positions])
    found = []
    for axis, extent in enumerate(extents):
        part = slice_axes(node, split, {2: (axis, 1, 1)})
        moved = node.reshape(part, [rows, 1, sizes.kernel * sizes.positions])
        still = _base_coordinates(node, geometry, sizes.result, axis, offset.onnx_type)
        found.append(axis_taps(node, node.emit("add", moved, still), extent, _BETWEEN))
    return found


def _base_coordinates(
    node: Node, geometry: WindowAttributes, result: list[Dim], axis: int, onnx_type: int
) -> Value:
    """Returns the coordinates along an axis of each window's elements without offsets: `[1, 1, kernel *
    positions]`."""
    spatial, kernel = len(result), geometry.kernel
    known = [size for size in (*kernel, *result) if isinstance(size, int)]
    if len(known) == 2 * spatial and isinstance(geometry.pads[axis], int):
        node.reserve(*known)
        steps = np.arange(kernel[axis]) * geometry.dilations[axis]
        positions = np.arange(known[spatial + axis]) * geometry.strides[axis] - geometry.pads[axis]
        shape = [1] * (2 * spatial)
        shape[axis], shape[spatial + axis] = len(steps), len(positions)
        along = np.broadcast_to((steps[:, None] + positions).reshape(shape), known)
        return node.constant(along.reshape(1, 1, -1), element_types.numpy_dtype(onnx_type))
    inside = counting(node, kernel[axis], onnx_type) * geometry.dilations[axis]
    begin = counting(node, result[axis], onnx_type) * geometry.strides[axis]
    begin = begin - dim(node, geometry.pads[axis], onnx_type)
    moved = inside.along(axis, 2 * spatial) + begin.along(spatial + axis, 2 * spatial)
    spread = node.expand(moved.value, [*kernel, *result])
    return node.reshape(spread, [1, 1, product(kernel) * product(result)])


def _product(node: Node, columns: Value, w: Value, sizes: DeformableSizes) -> Value:
    """Returns w, `[outputs, channels / groups, kernel...]`, times the columns, group by group."""
    outputs = w.shape[0]
    inner = columns.shape[1] // sizes.groups * sizes.kernel
    groups = [sizes.groups] if sizes.groups > 1 else []
    left = node.reshape(w, [*groups, outputs // sizes.groups, inner])
    right = node.reshape(columns, [sizes.batch, *groups, inner, sizes.positions])
    return node.reshape(node.emit("matmul", left, right), [sizes.batch, outputs, *sizes.result])
