"""Pooling, the indices of MaxPool, and local response normalisation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import maximum, minimum, product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import (
    Formula,
    counting,
    dim,
    formula,
    read_along,
)
from mlc.frontends.onnx.operators.common.p_norms import power_of_abs, root
from mlc.frontends.onnx.operators.common.sliding_windows import WindowAttributes, lowest, window
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


def indices_of_largest(node: Node, x: Value, geometry: WindowAttributes, result: list[int]) -> Value:
    """Returns MaxPool's Indices: the flat index in x of the first largest element of each window.

    `result`: MaxPool's spatial dims.
    """
    batch, channels, *extents = node.shape(x)
    size, windows = math.prod(extents), math.prod(result)
    node.reserve(windows, *geometry.kernel)
    node.reserve(batch, channels)
    indices, inside = _window_indices(geometry, extents, result)
    # Padding is not read: the window's first element replaces it, and is found there first.
    first = np.take_along_axis(indices, inside.argmax(axis=1)[:, None], axis=1)
    indices = np.where(inside, indices, first).clip(0, size - 1)
    flat = node.reshape(x, [batch, channels, size])
    read = node.emit("gather", flat, node.constant(indices, np.int32), axis=2)
    chosen = node.emit("arg_max", read, axis=3, keepdims=False, select_last_index=False)
    rows = node.constant(np.arange(windows) * indices.shape[1], np.int64)
    stored = _stored_indices(indices, extents, bool(node.attr("storage_order", 0)))
    index = node.emit("gather", node.constant(stored), node.emit("add", chosen, rows), axis=0)
    images = node.constant(np.arange(batch * channels).reshape(batch, channels, 1) * size, np.int64)
    return node.reshape(node.emit("add", index, images), [batch, channels, *result])


def _window_indices(
    geometry: WindowAttributes, extents: list[int], result: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the row-major index of each element of each window, and whether it is inside: `[windows,
    kernel]`."""
    rank = len(extents)
    index, inside = np.zeros([1] * (2 * rank), np.int64), np.ones([1] * (2 * rank), bool)
    for axis, extent in enumerate(extents):
        begins = np.arange(result[axis]) * geometry.strides[axis] - geometry.pads[axis]
        offsets = np.arange(geometry.kernel[axis]) * geometry.dilations[axis]
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = len(begins), len(offsets)
        along = (begins[:, None] + offsets).reshape(shape)
        index, inside = index * extent + along, inside & (along >= 0) & (along < extent)
    shape = [math.prod(result), math.prod(geometry.kernel)]
    return index.reshape(shape), inside.reshape(shape)


def _stored_indices(indices: np.ndarray, extents: list[int], column_major: bool) -> np.ndarray:
    """Returns the values of Indices for row-major indices."""
    if column_major:
        indices = np.ravel_multi_index(np.unravel_index(indices, extents), extents, order="F")
    return np.asarray(indices, np.int64).reshape(-1)


def dynamic_indices_of_largest(
    node: Node, x: Value, geometry: WindowAttributes, result: Sequence[Dim]
) -> Value:
    """Returns MaxPool's Indices where some dims are dynamic."""
    batch, channels, *extents = x.shape
    rank, size, windows = len(extents), product(extents), product(result)
    taps = product(geometry.kernel)
    lines = [
        _line(node, geometry, axis, *sizes) for axis, sizes in enumerate(zip(extents, result, strict=True))
    ]
    spread = [
        line.reshape(
            [
                1 if index not in (axis, rank + axis) else line.value.shape[index != axis]
                for index in range(2 * rank)
            ]
        )
        for axis, line in enumerate(lines)
    ]
    indices = _flat_index(node, spread, extents, column_major=False).reshape([windows, taps])
    flat = node.reshape(x, [batch, channels, size])
    read = node.emit("gather", flat, indices.value, axis=2)
    chosen = formula(node, node.emit("arg_max", read, axis=3, keepdims=False, select_last_index=False))
    stored = _flat_index(node, spread, extents, column_major=bool(node.attr("storage_order", 0)))
    at = chosen + counting(node, windows) * taps
    index = read_along(stored.reshape([windows * taps]), 0, at)
    images = counting(node, batch * channels).reshape([batch, channels, 1]) * dim(node, size)
    return (index + images).reshape([batch, channels, *result]).value


def _line(node: Node, geometry: WindowAttributes, axis: int, extent: Dim, result: Dim) -> Formula:
    """Returns the indices of each window's elements along an axis, `[windows, kernel]`.

    Padding is not read: the first element inside replaces it, and is found there or before.
    """
    width, dilation = geometry.kernel[axis], geometry.dilations[axis]
    begins = counting(node, result).reshape([result, 1]) * geometry.strides[axis] - dim(
        node, geometry.pads[axis]
    )
    indices = begins + counting(node, width) * dilation
    first = begins + ((0 - begins).max(0) + (dilation - 1)) // dilation * dilation
    inside = (indices >= 0) & (indices < dim(node, extent))
    return inside.select(indices, first + indices * 0)


def _flat_index(node: Node, lines: Sequence[Formula], extents: Sequence[Dim], column_major: bool) -> Formula:
    """Returns the flat index of the elements with these coordinates."""
    steps = list(zip(lines, extents, strict=True))
    (index, _), *rest = reversed(steps) if column_major else steps
    for line, extent in rest:
        index = index * dim(node, extent) + line
    return index


@onnx_operator("MaxPool")
def max_pool(node: Node) -> list[Value | None]:
    """Imports MaxPool: the maxima, and their indices if they are used."""
    x = node.input(0)
    result = _pool(node, "max_pool", x, ceil_mode=bool(node.attr("ceil_mode", 0)))
    if not node.wants(1):
        return [result, None]
    geometry = window(node, x, list(node.attr("kernel_shape")))
    if all(value.is_static for value in (x, result)):
        return [result, indices_of_largest(node, x, geometry, node.shape(result)[2:])]
    return [result, dynamic_indices_of_largest(node, x, geometry, result.shape[2:])]


@onnx_operator("AveragePool")
def average_pool(node: Node) -> Value:
    """Imports AveragePool."""
    return _pool(
        node,
        "average_pool",
        node.input(0),
        ceil_mode=bool(node.attr("ceil_mode", 0)),
        count_include_pad=bool(node.attr("count_include_pad", 0)),
    )


@onnx_operator("LpPool")
def lp_pool(node: Node) -> Value:
    """Imports LpPool: (sum of |x|^p over the window)^(1/p), computed through the average with padding
    counted."""
    x, p = node.input(0), node.attr("p", 2)
    powers = power_of_abs(node, x, p)
    geometry = window(node, x, list(node.attr("kernel_shape")))
    if node.attr("ceil_mode", 0):
        geometry = _whole_windows(node, x, geometry)
    mean = _pool_with(node, "average_pool", powers, geometry, ceil_mode=False, count_include_pad=True)
    total = node.emit("mul", mean, node.scalar(product(geometry.kernel), mean))
    return root(node, total, p)


def _whole_windows(node: Node, x: Value, geometry: WindowAttributes) -> WindowAttributes:
    """Returns the window with the padding at the ends that the windows of ceil_mode need."""
    rank, pads = len(geometry.kernel), list(geometry.pads)
    for i, size in enumerate(x.shape[2:]):
        extent, stride = (geometry.kernel[i] - 1) * geometry.dilations[i] + 1, geometry.strides[i]
        if not isinstance(size, int) and not geometry.moves and stride + pads[rank + i] <= extent:
            # No window starts in the padding, whatever the size.
            pads[rank + i] += stride - 1
            continue
        last = -(-(size + pads[i] + pads[rank + i] - extent) // stride)
        # A window that would start in the padding is left out.
        last = last - 1 + minimum(1, maximum(0, -(-(size + pads[i]) // stride) - last))
        pads[rank + i] = maximum(pads[rank + i], last * stride + extent - size - pads[i])
    return replace(geometry, pads=pads)


def _pool(node: Node, op: str, x: Value, **attributes: bool) -> Value:
    return _pool_with(node, op, x, window(node, x, list(node.attr("kernel_shape"))), **attributes)


def _pool_with(node: Node, op: str, x: Value, geometry: WindowAttributes, **attributes: bool) -> Value:
    uncounted = (
        op == "average_pool"
        and not attributes["count_include_pad"]
        and any(pad != 0 for pad in geometry.pads)
    )
    if geometry.moves or (not all(_static_dims(x)) and (attributes["ceil_mode"] or uncounted)):
        return _dynamic_pool(node, op, x, geometry, **attributes)
    return node.emit(op, x, kernel=geometry.kernel, **geometry.attributes(), **attributes, layout="NCHW")


def _static_dims(x: Value) -> list[bool]:
    return [isinstance(dim, int) for dim in x.shape[2:]]


def _dynamic_pool(
    node: Node,
    op: str,
    x: Value,
    geometry: WindowAttributes,
    ceil_mode: bool,
    count_include_pad: bool = False,
) -> Value:
    """Pools with dynamic padding.

    A mean is the mean with all padding, times the elements of each window over those of it that count.
    """
    whole = _whole_windows(node, x, geometry) if ceil_mode else geometry
    if op == "max_pool":
        return _pool_padded(node, op, x, whole, lowest(x.dtype))
    rank, total = len(geometry.kernel), formula(node, _pool_padded(node, op, x, whole))
    for axis in range(rank):
        ends = [axis, rank + axis]
        counted = [geometry.pads[end] if count_include_pad else 0 for end in ends]
        if counted != [whole.pads[end] for end in ends]:
            factors = _factors(node, x.shape[2 + axis], total.value.shape[2 + axis], whole, axis, counted)
            total = total * factors.cast(x.onnx_type).along(2 + axis, 2 + rank)
    return total.value


def _factors(
    node: Node, size: Dim, result: Dim, geometry: WindowAttributes, axis: int, counted: Sequence[Dim]
) -> Formula:
    """Returns for each window along an axis its elements over those that are in the image, or in the padding
    `counted` at its ends."""
    width, dilation = geometry.kernel[axis], geometry.dilations[axis]
    low, high = counted
    begins = counting(node, result) * geometry.strides[axis] - dim(node, geometry.pads[axis])
    first = ((dim(node, -low) - begins).max(0) + (dilation - 1)) // dilation
    end = ((dim(node, size + high + dilation - 1) - begins) // dilation).min(width)
    # A window of padding only sums to 0, whatever it is divided by.
    return dim(node, width).cast(TensorProto.FLOAT) / (end - first).max(1).cast(TensorProto.FLOAT)


def _pool_padded(node: Node, op: str, x: Value, geometry: WindowAttributes, fill: float = 0) -> Value:
    """Pools with padding by `fill`, all of which counts."""
    if geometry.moves:
        x, geometry = geometry.inside(node, x, fill, whole=True)
    attributes = {"count_include_pad": True} if op == "average_pool" else {}
    return node.emit(op, x, kernel=geometry.kernel, **geometry.attributes(), **attributes, layout="NCHW")


@onnx_operator("LRN")
def lrn(node: Node) -> Value:
    """Imports LRN."""
    attributes = {
        name: float(node.attr(name, d)) for name, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    }
    return node.emit("lrn", node.input(0), size=node.attr("size"), **attributes)
