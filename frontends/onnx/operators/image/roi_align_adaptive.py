"""RoiAlign whose number of samples follows from each region's size (`sampling_ratio` = 0).

The mean over a bin of samples between elements is a sum over all elements, with weights that are products of
one factor per axis: two products of matrices per region. Samples are at most one element apart, and more than
half of one where there are several, so that few of them lie beside an element.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import counting
from mlc.frontends.onnx.operators.image.sample_coordinates import arithmetic, bounded, measured
from mlc.frontends.onnx.operators.image.taps import added
from mlc.frontends.onnx.values import Dim, Value

# Samples within one element of an element: its two neighbours' distance by their least distance, and those
# at both ends.
BESIDE = 6


@dataclass(frozen=True)
class Side:
    """A region's extent along one axis: where it starts and how long its bins are, `[regions, 1]` each, in
    elements of the image; `bins` of them."""

    start: Value
    length: Value
    bins: int


def adaptive_mean(node: Node, x: Value, batch: Value, sides: list[Side]) -> Value:
    """`[regions, channels, bins, bins]`, in the sides' type; x is `[batch, channels, height, width]`."""
    count, channels, height, width = x.shape
    regions = batch.shape[0]
    vertical, horizontal = (
        _factors(node, side, extent) for side, extent in zip(sides, (height, width), strict=True)
    )
    images = node.cast(x, vertical.number)
    if count != 1:
        images = node.emit("gather", images, batch, axis=0)
    rows = node.reshape(images, [images.shape[0], channels * height, width])
    narrowed = node.emit("matmul", rows, node.emit("transpose", horizontal, permutation=[0, 2, 1]))
    narrowed = node.reshape(narrowed, [regions, channels, height, sides[1].bins])
    return node.emit("matmul", node.emit("unsqueeze", vertical, axes=[1]), narrowed)


def _factors(node: Node, side: Side, extent: Dim) -> Value:
    """The weight of each element along an axis in the mean of each bin: `[regions, bins, extent]`."""
    dtype = element_types.numpy_dtype(side.start.number)
    start, length = (node.emit("unsqueeze", each, axes=[2]) for each in (side.start, side.length))
    bins = node.constant(np.arange(side.bins).reshape(1, -1, 1), dtype)
    begin = node.emit("add", start, node.emit("mul", length, bins))
    count = arithmetic(node, "max", node.emit("ceil", length), 0.0)
    some = arithmetic(node, "max", count, 1.0)
    step = node.emit("div", length, some)
    elements = counting(node, extent, side.start.number).along(2, 3).value
    first = _first_sample(node, node.emit("sub", elements, begin), step, some)
    weights = []
    for each in range(BESIDE):
        sample = arithmetic(node, "add", first, each) if each else first
        at = node.emit("add", begin, node.emit("mul", arithmetic(node, "add", sample, 0.5), step))
        weight = _weight(node, at, elements, extent)
        exists = node.emit("less", sample, count)
        weights.append(node.emit("where", exists, weight, node.scalar(0, weight)))
    return node.emit("div", added(node, weights), some)


def _first_sample(node: Node, distance: Value, step: Value, count: Value) -> Value:
    """The first sample that may lie beside an element that is `distance` behind the bin's begin."""
    place = arithmetic(node, "sub", node.emit("div", distance, step), 2.5)
    bounded = node.emit("min", node.emit("floor", place), arithmetic(node, "sub", count, 1.0))
    return arithmetic(node, "max", bounded, 0.0)


def _weight(node: Node, at: Value, elements: Value, extent: Dim) -> Value:
    """What a sample at `at` takes of each element; at most one element outside it takes the border's."""
    inside = bounded(node, at, measured(node, extent, at) - 1.0)
    away = node.emit("abs", node.emit("sub", inside, elements))
    weight = arithmetic(node, "max", node.emit("sub", node.scalar(1, away), away), 0.0)
    return node.emit("where", is_near(node, at, extent), weight, node.scalar(0, weight))


def is_near(node: Node, at: Value, extent: Dim) -> Value:
    """Whether places are at most one element outside: others count as zeros."""
    low = arithmetic(node, "greater_equal", at, -1.0)
    return node.emit("and", low, arithmetic(node, "less_equal", at, measured(node, extent, at)))
