"""RoiAlign: the mean or maximum of samples in each of the equal bins of a region.

With `sampling_ratio` = 0 the number of samples follows from each region's size. The mean over a bin of
interpolated samples is a sum over all elements, with weights that are products of one factor per axis: two
matrix products per region. Samples are at most one element apart, and more than half of one where there are
several, so that few of them are adjacent to an element.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError, check_shape
from mlc.frontends.onnx.operators.common.checked_data import expect_in_range
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.common.expressions import counting, dim, formula
from mlc.frontends.onnx.operators.image.sample_coordinates import (
    Sampling,
    Tap,
    arithmetic,
    axis_taps,
    clamp,
    dim_like,
)
from mlc.frontends.onnx.operators.image.sampling import Images, apply_weight, computed_in, interpolate
from mlc.frontends.onnx.operators.image.taps import add_all
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

# The most samples within one element of an element: the distance of its neighbours divided by the least
# distance of samples, and those at both ends.
BESIDE = 6


@dataclass(frozen=True)
class RegionExtent:
    """The extent of regions along one axis: the start and the length of a bin, `[regions, 1]` each, in
    elements of the image.

    There are `bins` bins.
    """

    start: Value
    length: Value
    bins: int


def adaptive_mean(node: Node, x: Value, batch: Value, sides: list[RegionExtent]) -> Value:
    """Returns the means, `[regions, channels, bins, bins]`, in the sides' type; x is `[batch, channels,
    height, width]`."""
    count, channels, height, width = x.shape
    regions = batch.shape[0]
    vertical, horizontal = (
        _factors(node, side, extent) for side, extent in zip(sides, (height, width), strict=True)
    )
    images = node.cast(x, vertical.onnx_type)
    if count != 1:
        images = node.emit("gather", images, batch, axis=0)
    rows = node.reshape(images, [images.shape[0], channels * height, width])
    narrowed = node.emit("matmul", rows, node.emit("transpose", horizontal, permutation=[0, 2, 1]))
    narrowed = node.reshape(narrowed, [regions, channels, height, sides[1].bins])
    return node.emit("matmul", node.emit("unsqueeze", vertical, axes=[1]), narrowed)


def _factors(node: Node, side: RegionExtent, extent: Dim) -> Value:
    """Returns the weight of each element along an axis in the mean of each bin: `[regions, bins, extent]`."""
    dtype = element_types.numpy_dtype(side.start.onnx_type)
    start, length = (node.emit("unsqueeze", value, axes=[2]) for value in (side.start, side.length))
    bins = node.constant(np.arange(side.bins).reshape(1, -1, 1), dtype)
    begin = node.emit("add", start, node.emit("mul", length, bins))
    count = arithmetic(node, "max", node.emit("ceil", length), 0.0)
    some = arithmetic(node, "max", count, 1.0)
    step = node.emit("div", length, some)
    elements = counting(node, extent, side.start.onnx_type).along(2, 3).value
    first = _first_sample(node, node.emit("sub", elements, begin), step, some)
    weights = []
    for distance in range(BESIDE):
        sample = arithmetic(node, "add", first, distance) if distance else first
        at = node.emit("add", begin, node.emit("mul", arithmetic(node, "add", sample, 0.5), step))
        weight = _weight(node, at, elements, extent)
        exists = node.emit("less", sample, count)
        weights.append(node.emit("where", exists, weight, node.scalar(0, weight)))
    return node.emit("div", add_all(node, weights), some)


def _first_sample(node: Node, distance: Value, step: Value, count: Value) -> Value:
    """Returns the first sample that may be adjacent to an element `distance` elements after the bin's
    begin."""
    position = arithmetic(node, "sub", node.emit("div", distance, step), 2.5)
    bounded = node.emit("min", node.emit("floor", position), arithmetic(node, "sub", count, 1.0))
    return arithmetic(node, "max", bounded, 0.0)


def _weight(node: Node, at: Value, elements: Value, extent: Dim) -> Value:
    """Returns the weight of each element in a sample at `at`; one at most one element outside gets the
    border's value."""
    inside = clamp(node, at, dim_like(node, extent, at) - 1.0)
    away = node.emit("abs", node.emit("sub", inside, elements))
    weight = arithmetic(node, "max", node.emit("sub", node.scalar(1, away), away), 0.0)
    return node.emit("where", is_near(node, at, extent), weight, node.scalar(0, weight))


def is_near(node: Node, at: Value, extent: Dim) -> Value:
    """Returns whether coordinates are at most one element outside the image: others count as zeros."""
    low = arithmetic(node, "greater_equal", at, -1.0)
    return node.emit("and", low, arithmetic(node, "less_equal", at, dim_like(node, extent, at)))


_BETWEEN = Sampling("linear", "border")


@onnx_operator("RoiAlign", since=10)
def roi_align(node: Node) -> Value:
    """Imports RoiAlign. Raises UnsupportedNodeError for maxima with `sampling_ratio` = 0."""
    x, rois, batch = node.input(0), node.input(1), node.input(2)
    check_shape(rois, [*batch.shape, 4], "input 1")
    mode, samples = node.attr("mode", "avg"), int(node.attr("sampling_ratio", 0))
    if mode not in ("avg", "max"):
        raise NodeError(f"mode must be avg or max, not {mode!r}")
    sides = _sides(node, node.cast(rois, computed_in(x)))
    expect_in_range(node, batch, x.shape[:1], negative=False)
    if samples:
        result = _sample(node, x, batch, sides, samples, mode)
    elif mode == "max":
        raise UnsupportedNodeError(
            "mode max with sampling_ratio = 0, which depends on the regions, is not supported"
        )
    else:
        result = adaptive_mean(node, x, batch, sides)
    return node.cast(result, x.onnx_type)


def _sides(node: Node, rois: Value) -> list[RegionExtent]:
    """Returns the vertical, then the horizontal extents; `rois` are `[regions, x1 y1 x2 y2]`."""
    half_pixel = node.opset >= 16 and (
        node.attr("coordinate_transformation_mode", "half_pixel").lower() == "half_pixel"
    )
    scaled = arithmetic(node, "mul", rois, float(node.attr("spatial_scale", 1.0)))
    moved = arithmetic(node, "sub", scaled, 0.5) if half_pixel else scaled
    found = []
    for column, name in ((1, "output_height"), (0, "output_width")):
        start, end = (_column(node, moved, bound) for bound in (column, column + 2))
        length = node.emit("sub", end, start)
        if not half_pixel:
            length = arithmetic(node, "max", length, 1.0)
        bins = int(node.attr(name, 1))
        node.reserve(bins)
        found.append(RegionExtent(start, arithmetic(node, "div", length, bins), bins))
    return found


def _column(node: Node, rois: Value, column: int) -> Value:
    return slice_axes(node, rois, {1: (column, 1, 1)})


def _sample(node: Node, x: Value, batch: Value, sides: list[RegionExtent], samples: int, mode: str) -> Value:
    """Reduces `samples` by `samples` points in each bin."""
    images = Images(node, x, zeros=False)
    regions, bins = batch.shape[0], [side.bins for side in sides]
    taps = [
        _side_taps(node, side, extent, samples, axis)
        for axis, (side, extent) in enumerate(zip(sides, images.extents, strict=True))
    ]
    step = dim(node, images.channels * images.size, images.onnx_type)
    begins = (formula(node, batch, images.onnx_type) * step).reshape([regions, 1, 1]).value
    result = [regions, images.channels, *bins, samples * samples]
    if mode == "avg":
        values = node.reshape(interpolate(node, images, taps, begins), result)
        return node.emit("reduce_mean", values, axes=[4], keepdims=False)
    # The largest weighted element, not the largest sample, as in ONNX Runtime and the reference.
    parts = [apply_weight(node, images.read(point, begins), point.weight) for point in images.points(taps)]
    largest = parts[0]
    for part in parts[1:]:
        largest = node.emit("max", largest, part)
    return node.emit("reduce_max", node.reshape(largest, result), axes=[4], keepdims=False)


def _side_taps(node: Node, side: RegionExtent, extent: Dim, samples: int, axis: int) -> list[Tap]:
    """Returns the elements that are read along an axis, as `[regions, bins, bins, samples, samples]` with 1
    for the dims of the other axis."""
    node.reserve(side.bins, samples)
    steps = np.arange(side.bins)[:, None] + (np.arange(samples) + 0.5) / samples
    flat = node.constant(steps.reshape(1, -1), element_types.numpy_dtype(side.start.onnx_type))
    at = node.emit("add", side.start, node.emit("mul", side.length, flat))
    shape: list[Dim] = [at.shape[0], 1, 1, 1, 1]
    shape[1 + axis], shape[3 + axis] = side.bins, samples
    at = node.reshape(at, shape)
    near = is_near(node, at, extent)
    zero = node.scalar(0, at)
    return [
        Tap(tap.index, node.emit("where", near, tap.weight, zero))
        for tap in axis_taps(node, at, extent, _BETWEEN)
        if tap.weight is not None
    ]
