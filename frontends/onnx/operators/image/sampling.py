"""Sampling of images at coordinates that are computed at run time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.complex_parts import part_type
from mlc.frontends.onnx.operators.common.expressions import counting, dim
from mlc.frontends.onnx.operators.image.sample_coordinates import (
    Point,
    Tap,
    arithmetic,
    dim_like,
    points,
    scalar,
)
from mlc.frontends.onnx.operators.image.taps import add_all
from mlc.frontends.onnx.values import Dim, Value


def computed_in(*values: Value) -> int:
    """Returns the float type of coordinates and weights: f64 where a value, or its parts, have it, else
    f32."""
    is_double = any(part_type(v.onnx_type) == TensorProto.DOUBLE for v in values)
    return TensorProto.DOUBLE if is_double else TensorProto.FLOAT


def index_type(size: Dim) -> int:
    """Returns the integer type of indices in a tensor of `size` elements; the sum of two of them does not
    overflow."""
    return TensorProto.INT32 if isinstance(size, int) and size < 2**30 else TensorProto.INT64


class Images:
    """Images `[count, channels, extents...]` as one row of elements.

    With `zeros` a zero follows them, which is read for coordinates outside an image.
    """

    def __init__(self, node: Node, x: Value, zeros: bool) -> None:
        self.node, self.zeros = node, zeros
        self.count, self.channels, *self.extents = x.shape
        self.size = product(self.extents)
        self.total = self.count * self.channels * self.size
        self.onnx_type = index_type(self.total)
        self.row = node.reshape(x, [self.total])
        if zeros:
            self.row = node.emit("pad", self.row, low=[0], high=[1], mode="constant", value=0)

    def points(self, taps: Sequence[Sequence[Tap]]) -> list[Point]:
        """Returns the points that the taps of all axes make, `[rows, 1, samples]`: dims after the rows are
        flattened."""
        found = points(self.node, [list(tap) for tap in taps], self.extents, self.onnx_type, self.zeros)
        return [Point(self._flat(point.index), point.weight and self._flat(point.weight)) for point in found]

    def _flat(self, x: Value) -> Value:
        rows, *dims = x.shape
        return self.node.reshape(x, [rows, 1, product(dims)])

    def image_offsets(self) -> Value:
        """Returns the offset at which each image begins: `[count, 1, 1]`."""
        return self._steps(self.count, self.channels * self.size, [self.count, 1, 1])

    def _steps(self, count: Dim, step: Dim, shape: Sequence[Dim]) -> Value:
        """Returns `count` multiples of `step`: 0, step, ..."""
        if isinstance(count, int) and isinstance(step, int):
            self.node.reserve(count)
            return self.node.constant(
                (np.arange(count) * step).reshape(shape), element_types.numpy_dtype(self.onnx_type)
            )
        steps = counting(self.node, count, self.onnx_type) * dim(self.node, step, self.onnx_type)
        return steps.reshape(shape).value

    def read(self, point: Point, begins: Value) -> Value:
        """Returns the elements at a point, `[rows, channels, samples]`.

        `begins` `[rows, 1, 1]` is the offset of the image of each row of the point's `[rows, 1, samples]`.
        """
        node = self.node
        index = node.emit("add", point.index, begins)
        total = scalar(node, dim_like(node, self.total, index), index)
        if self.zeros:
            outside = arithmetic(node, "equal", point.index, dim_like(node, self.size, point.index))
            index = node.emit("where", outside, total, index)
        if self.channels != 1:
            channels = self._steps(self.channels, self.size, [1, self.channels, 1])
            index = node.emit("add", index, channels)
            index = node.emit("min", index, total) if self.zeros else index
        return node.emit("gather", self.row, index, axis=0)


def apply_weight(node: Node, value: Value, weight: Value | None) -> Value:
    """Returns the product of value and weight in the weight's type."""
    return value if weight is None else node.emit("mul", node.cast(value, weight.onnx_type), weight)


def interpolate(node: Node, images: Images, taps: Sequence[Sequence[Tap]], begins: Value) -> Value:
    """Returns the weighted sum over all points, in the weights' type: `[rows, channels, samples]`."""
    found = images.points(taps)
    return add_all(node, [apply_weight(node, images.read(point, begins), point.weight) for point in found])
