"""Reading images at places that are computed when the model runs."""

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
    measured,
    points,
    scalar,
)
from mlc.frontends.onnx.operators.image.taps import added
from mlc.frontends.onnx.values import Dim, Value


def computed_in(*values: Value) -> int:
    """The float type for places and weights: f64 where a value, or its parts, have it, else f32."""
    is_double = any(part_type(v.number) == TensorProto.DOUBLE for v in values)
    return TensorProto.DOUBLE if is_double else TensorProto.FLOAT


def place_type(size: Dim) -> int:
    """The integer type for places in a tensor of `size` elements, of which two may be added."""
    return TensorProto.INT32 if isinstance(size, int) and size < 2**30 else TensorProto.INT64


class Images:
    """Images `[count, channels, extents...]` as one row of elements; with `zeros` a zero follows them, which
    every place outside an image reads."""

    def __init__(self, node: Node, x: Value, zeros: bool) -> None:
        self.node, self.zeros = node, zeros
        self.count, self.channels, *self.extents = x.shape
        self.size = product(self.extents)
        self.total = self.count * self.channels * self.size
        self.number = place_type(self.total)
        self.row = node.reshape(x, [self.total])
        if zeros:
            self.row = node.emit("pad", self.row, low=[0], high=[1], mode="constant", value=0)

    def points(self, taps: Sequence[Sequence[Tap]]) -> list[Point]:
        """The points that the taps of all axes make, `[rows, 1, places]`: dims behind the rows are places."""
        found = points(self.node, [list(each) for each in taps], self.extents, self.number, self.zeros)
        return [Point(self._flat(each.place), each.weight and self._flat(each.weight)) for each in found]

    def _flat(self, x: Value) -> Value:
        rows, *places = x.shape
        return self.node.reshape(x, [rows, 1, product(places)])

    def first_places(self) -> Value:
        """Where each image begins: `[count, 1, 1]`."""
        return self._steps(self.count, self.channels * self.size, [self.count, 1, 1])

    def _steps(self, count: Dim, step: Dim, shape: Sequence[Dim]) -> Value:
        """0, step, ... `count` of them."""
        if isinstance(count, int) and isinstance(step, int):
            return self.node.constant(
                (np.arange(count) * step).reshape(shape), element_types.numpy_dtype(self.number)
            )
        steps = counting(self.node, count, self.number) * dim(self.node, step, self.number)
        return steps.shaped(shape).value

    def read(self, point: Point, begins: Value) -> Value:
        """The elements at a point, `[rows, channels, places]`: `begins` `[rows, 1, 1]` says in which image
        each row of the point's `[rows, 1, places]` lies."""
        node = self.node
        place = node.emit("add", point.place, begins)
        total = scalar(node, measured(node, self.total, place), place)
        if self.zeros:
            outside = arithmetic(node, "equal", point.place, measured(node, self.size, point.place))
            place = node.emit("where", outside, total, place)
        if self.channels != 1:
            channels = self._steps(self.channels, self.size, [1, self.channels, 1])
            place = node.emit("add", place, channels)
            place = node.emit("min", place, total) if self.zeros else place
        return node.emit("gather", self.row, place, axis=0)


def weighted(node: Node, value: Value, weight: Value | None) -> Value:
    """The product in the weight's type."""
    return value if weight is None else node.emit("mul", node.cast(value, weight.number), weight)


def interpolated(node: Node, images: Images, taps: Sequence[Sequence[Tap]], begins: Value) -> Value:
    """The weighted sum over all points, in the weights' type: `[rows, channels, places]`."""
    found = images.points(taps)
    return added(node, [weighted(node, images.read(each, begins), each.weight) for each in found])
