"""Tile."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import counted, number_of, vector_of
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("Tile", since=6)
def tile(node: Node) -> Value:
    """Repeats that only running tells are gathers of place i modulo the dim."""
    x, repeats = node.input(0), node.input(1)
    if repeats.is_constant:
        return node.emit("tile", x, repeats=node.ints(1))
    for axis, count in enumerate(node.read_dims(vector_of(node, repeats, x.rank))):
        x = _repeated(node, x, axis, count)
    return x


@onnx_operator("Tile", until=5)
def tile_along_axis(node: Node) -> Value:
    """A number of tiles along one axis, both of the element type of x."""
    x, tiles = node.input(0), node.input(1)
    [number] = node.elements(node.input(2)).reshape(-1)
    axis = node.axis(int(number), x.rank)
    if tiles.is_constant:
        [count] = node.elements(tiles).reshape(-1)
        return node.emit("tile", x, repeats=[int(count) if each == axis else 1 for each in range(x.rank)])
    [told] = node.read_dims(node.reshape(node.cast(tiles, TensorProto.INT64), [1]))
    return _repeated(node, x, axis, told)


def _repeated(node: Node, x: Value, axis: int, count: Dim) -> Value:
    dim = x.shape[axis]
    places = node.emit("mod", counted(node, dim * count), number_of(node, dim), fmod=False)
    return node.emit("gather", x, places, axis=axis)
