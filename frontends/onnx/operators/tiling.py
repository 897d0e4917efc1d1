"""Tile."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.run_time import counted, number_of, vector_of
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("Tile", since=6)
def tile(node: Node) -> Value:
    """Repeats that only running tells are gathers of place i modulo the dim."""
    x, repeats = node.input(0), node.input(1)
    if repeats.is_constant:
        return node.emit("tile", x, repeats=node.ints(1))
    for axis, count in enumerate(node.read_dims(vector_of(node, repeats, x.rank))):
        dim = x.shape[axis]
        places = node.emit("mod", counted(node, dim * count), number_of(node, dim), fmod=False)
        x = node.emit("gather", x, places, axis=axis)
    return x
