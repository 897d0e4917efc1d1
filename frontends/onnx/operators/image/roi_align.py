"""RoiAlign: the mean or maximum of samples in each of the equal bins of a region."""

from __future__ import annotations

import numpy as np

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.common.expressions import dim, formula
from mlc.frontends.onnx.operators.image.roi_align_adaptive import Side, adaptive_mean, is_near
from mlc.frontends.onnx.operators.image.sample_coordinates import Sampling, Tap, arithmetic, axis_taps
from mlc.frontends.onnx.operators.image.sampling import Images, computed_in, interpolated, weighted
from mlc.frontends.onnx.operators.tensor.slicing import sliced
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

_BETWEEN = Sampling("linear", "border")


@onnx_operator("RoiAlign", since=10)
def roi_align(node: Node) -> Value:
    x, rois, batch = node.input(0), node.input(1), node.input(2)
    mode, samples = node.attr("mode", "avg"), int(node.attr("sampling_ratio", 0))
    if mode not in ("avg", "max"):
        raise NodeFailure(f"mode must be avg or max, not {mode!r}")
    sides = _sides(node, node.cast(rois, computed_in(x)))
    if samples:
        result = _sampled(node, x, batch, sides, samples, mode)
    elif mode == "max":
        raise Unsupported("mode max with sampling_ratio = 0, which depends on the regions, is not supported")
    else:
        result = adaptive_mean(node, x, batch, sides)
    return node.cast(result, x.number)


def _sides(node: Node, rois: Value) -> list[Side]:
    """Vertical, then horizontal; `rois` are `[regions, x1 y1 x2 y2]`."""
    half_pixel = node.opset >= 16 and (
        node.attr("coordinate_transformation_mode", "half_pixel").lower() == "half_pixel"
    )
    scaled = arithmetic(node, "mul", rois, float(node.attr("spatial_scale", 1.0)))
    moved = arithmetic(node, "sub", scaled, 0.5) if half_pixel else scaled
    found = []
    for column, name in ((1, "output_height"), (0, "output_width")):
        start, end = (_column(node, moved, each) for each in (column, column + 2))
        length = node.emit("sub", end, start)
        if not half_pixel:
            length = arithmetic(node, "max", length, 1.0)
        bins = int(node.attr(name, 1))
        found.append(Side(start, arithmetic(node, "div", length, bins), bins))
    return found


def _column(node: Node, rois: Value, column: int) -> Value:
    return sliced(node, rois, {1: (column, 1, 1)})


def _sampled(node: Node, x: Value, batch: Value, sides: list[Side], samples: int, mode: str) -> Value:
    """`samples` by `samples` points in each bin."""
    images = Images(node, x, zeros=False)
    regions, bins = batch.shape[0], [side.bins for side in sides]
    taps = [
        _side_taps(node, side, extent, samples, axis)
        for axis, (side, extent) in enumerate(zip(sides, images.extents, strict=True))
    ]
    step = dim(node, images.channels * images.size, images.number)
    begins = (formula(node, batch, images.number) * step).shaped([regions, 1, 1]).value
    result = [regions, images.channels, *bins, samples * samples]
    if mode == "avg":
        values = node.reshape(interpolated(node, images, taps, begins), result)
        return node.emit("reduce_mean", values, axes=[4], keepdims=False)
    # The largest weighted element, not the largest sample: so ONNX Runtime and the reference compute it.
    parts = [weighted(node, images.read(each, begins), each.weight) for each in images.points(taps)]
    largest = parts[0]
    for part in parts[1:]:
        largest = node.emit("max", largest, part)
    return node.emit("reduce_max", node.reshape(largest, result), axes=[4], keepdims=False)


def _side_taps(node: Node, side: Side, extent: Dim, samples: int, axis: int) -> list[Tap]:
    """What is read along an axis, as `[regions, bins, bins, samples, samples]` with 1 for the other axis'."""
    steps = np.arange(side.bins)[:, None] + (np.arange(samples) + 0.5) / samples
    flat = node.constant(steps.reshape(1, -1), element_types.numpy_dtype(side.start.number))
    at = node.emit("add", side.start, node.emit("mul", side.length, flat))
    shape: list[Dim] = [at.shape[0], 1, 1, 1, 1]
    shape[1 + axis], shape[3 + axis] = side.bins, samples
    at = node.reshape(at, shape)
    near = is_near(node, at, extent)
    zero = node.scalar(0, at)
    return [
        Tap(tap.place, node.emit("where", near, tap.weight, zero))
        for tap in axis_taps(node, at, extent, _BETWEEN)
        if tap.weight is not None
    ]
