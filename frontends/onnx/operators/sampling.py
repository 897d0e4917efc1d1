"""Reading images at places that are computed when the model runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.coordinates import Point, Tap, points
from mlc.frontends.onnx.operators.taps import added
from mlc.frontends.onnx.values import Value
from onnx import TensorProto


def computed_in(*values: Value) -> int:
    """The float type for places and weights: f64 where a value has it, else f32."""
    return TensorProto.DOUBLE if any(v.number == TensorProto.DOUBLE for v in values) else TensorProto.FLOAT


def place_type(size: int) -> int:
    """The integer type for places in a tensor of `size` elements, of which two may be added."""
    return TensorProto.INT32 if size < 2**30 else TensorProto.INT64


class Images:
    """Images `[count, channels, extents...]` as one row of elements; with `zeros` a zero follows them, which
    every place outside an image reads."""

    def __init__(self, node: Node, x: Value, zeros: bool) -> None:
        self.node, self.zeros = node, zeros
        self.count, self.channels, *self.extents = node.shape(x)
        self.size = int(np.prod(self.extents))
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
        rows, *places = self.node.shape(x)
        return self.node.reshape(x, [rows, 1, int(np.prod(places))])

    def first_places(self) -> Value:
        """Where each image begins: `[count, 1, 1]`."""
        begins = np.arange(self.count) * self.channels * self.size
        return self.node.constant(begins.reshape(-1, 1, 1), types.numpy_dtype(self.number))

    def read(self, point: Point, begins: Value) -> Value:
        """The elements at a point, `[rows, channels, places]`: `begins` `[rows, 1, 1]` says in which image
        each row of the point's `[rows, 1, places]` lies."""
        node = self.node
        place = node.emit("add", point.place, begins)
        total = node.scalar(self.total, place)
        if self.zeros:
            outside = node.emit("equal", point.place, node.scalar(self.size, point.place))
            place = node.emit("where", outside, total, place)
        if self.channels > 1:
            channels = np.arange(self.channels).reshape(1, -1, 1) * self.size
            place = node.emit("add", place, node.constant(channels, place.dtype))
            place = node.emit("min", place, total) if self.zeros else place
        return node.emit("gather", self.row, place, axis=0)


def weighted(node: Node, value: Value, weight: Value | None) -> Value:
    """The product in the weight's type."""
    return value if weight is None else node.emit("mul", node.cast(value, weight.number), weight)


def interpolated(node: Node, images: Images, taps: Sequence[Sequence[Tap]], begins: Value) -> Value:
    """The weighted sum over all points, in the weights' type: `[rows, channels, places]`."""
    found = images.points(taps)
    return added(node, [weighted(node, images.read(each, begins), each.weight) for each in found])
