"""MaxRoiPool: the maximum in each bin of a region, whose borders are whole elements."""

from __future__ import annotations

from dataclasses import dataclass

from onnx import TensorProto

from mlc.dialects.graph.sizes import differ
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.common.expressions import Formula, counting, dim, formula, read_along
from mlc.frontends.onnx.operators.common.sliding_windows import lowest
from mlc.frontends.onnx.operators.image.sampling import computed_in
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class Bins:
    """The begins and ends of the bins along an axis of an image: `[regions, bins]` of integers."""

    begin: Formula
    end: Formula

    def is_empty(self) -> Formula:
        """Returns whether the bins have no elements."""
        return self.end <= self.begin

    def largest(self, x: Formula) -> Formula:
        """Returns the maxima of x `[regions, others, extent, channels]` in the bins: `[regions, bins, others,
        channels]`."""
        (regions, bins), (_, others, extent, channels) = self.begin.value.shape, x.value.shape
        begin, end = (bounds.reshape([regions, bins, 1, 1, 1]) for bounds in (self.begin, self.end))
        indices = counting(x.node, extent, TensorProto.INT32).along(3, 5)
        inside = (indices >= begin) & (indices < end)
        wide = x.reshape([regions, 1, others, extent, channels])
        return inside.select(wide, x.like(lowest(x.value.dtype))).reduce("max", 3)


@onnx_operator("MaxRoiPool")
def max_roi_pool(node: Node) -> Value:
    """Imports MaxRoiPool: images `[N, channels, height, width]`, regions `[count, image x1 y1 x2 y2]`.

    One axis is pooled after the other. A bin outside of its image is 0.
    """
    x, regions, pooled = node.input(0), node.input(1), node.attr("pooled_shape")
    if len(pooled) != 2 or min(pooled) < 1:
        raise NodeError(f"pooled_shape must be two positive integers, not {list(pooled)}")
    if x.rank != 4 or regions.rank != 2 or differ(regions.shape[1], 5):
        raise NodeError(f"regions {regions.shape_text} do not fit images {x.shape_text}")
    image = node.cast(node.reshape(_column(node, regions, 0), regions.shape[:1]), TensorProto.INT64)
    rows, columns = (
        _bins(node, regions, column, count, extent)
        for column, count, extent in zip((2, 1), pooled, x.shape[2:], strict=True)
    )
    # Channels are last, so that several are compared at once.
    images = formula(node, node.emit("transpose", x, permutation=[0, 2, 3, 1]))
    narrowed = columns.largest(read_along(images, 0, formula(node, image)))
    largest = node.emit("transpose", rows.largest(narrowed).value, permutation=[0, 3, 1, 2])
    empty = (
        bins.is_empty().reshape([regions.shape[0], 1, *shape])
        for bins, shape in ((rows, [pooled[0], 1]), (columns, [1, pooled[1]]))
    )
    return (next(empty) | next(empty)).select(0, formula(node, largest)).value


def _column(node: Node, regions: Value, column: int) -> Value:
    return slice_axes(node, regions, {1: (column, 1, 1)})


def _bins(node: Node, regions: Value, column: int, count: int, extent: Dim) -> Bins:
    """Returns the bins of an axis: equal parts, rounded outwards.

    The begin of a region is in `column` of the regions, its last element two columns later.
    """
    scale = float(node.attr("spatial_scale", 1.0))
    first, last = (
        _round(formula(node, _column(node, regions, bound), computed_in(regions)) * scale)
        for bound in (column, column + 2)
    )
    length, end = (last - first + 1).max(1), dim(node, extent, TensorProto.INT32)
    indices = counting(node, count, TensorProto.INT32)
    begins, ends = indices * length // count, ((indices + 1) * length + (count - 1)) // count
    return Bins((begins + first).within(0, end), (ends + first).within(0, end))


def _round(x: Formula) -> Formula:
    """Rounds to integers, halves away from zero."""
    size = x.apply("abs")
    down = size.apply("floor")
    away = (size - down >= 0.5).select(down + 1, down)
    return (x < 0).select(away * -1, away).cast(TensorProto.INT32)
