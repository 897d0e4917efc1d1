"""Col2Im of sizes that only running tells: every element is added to the place of the image it belongs to."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.graph.sizes import floordiv, product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import (
    counted,
    declared_rank,
    number_of,
    taken,
    vector_of,
)
from mlc.frontends.onnx.operators.common.sliding_windows import per_dim
from mlc.frontends.onnx.operators.tensor.creation import filled
from mlc.frontends.onnx.values import Dim, Value


def summed(node: Node, x: Value) -> Value:
    """x `[N, C * block, places]` as images `[N, C, image...]`."""
    length = node.input(1).shape[0]
    rank = length if isinstance(length, int) else declared_rank(node) - 2
    image, block = (node.read_dims(vector_of(node, node.input(i), rank)) for i in (1, 2))
    strides, dilations = (per_dim(node, name, rank) for name in ("strides", "dilations"))
    pads = list(node.attr("pads", [0] * (2 * rank)))
    counts = [
        floordiv(image[i] + pads[i] + pads[rank + i] - dilations[i] * (block[i] - 1) - 1, strides[i]) + 1
        for i in range(rank)
    ]
    inside = [_spread(node, block[i], dilations[i], 0, i, 2 * rank) for i in range(rank)]
    begins = [_spread(node, counts[i], strides[i], pads[i], rank + i, 2 * rank) for i in range(rank)]
    places = [node.emit("add", *pair) for pair in zip(inside, begins, strict=True)]
    extents = [*block, *counts]
    rows, total = x.shape[0] * floordiv(x.shape[1], product(block)), product(image)
    indices = node.reshape(node.expand(_flat(node, places, image), extents), [1, product(extents)])
    values = node.reshape(x, [rows, product(extents)])
    # What lies outside of the image goes behind it.
    zeros = filled(node, [rows, total + 1], x.dtype.type(0))
    indices = node.expand(indices, [rows, product(extents)])
    sums = node.emit("scatter_elements", zeros, indices, values, axis=1, reduction="add")
    channels = floordiv(x.shape[1], product(block))
    return node.reshape(taken(node, sums, 1, 0, total), [x.shape[0], channels, *image])


def _spread(node: Node, count: Dim, step: int, pad: int, axis: int, rank: int) -> Value:
    """step * i - pad along one of `rank` axes."""
    numbers = node.emit("mul", counted(node, count), number_of(node, step))
    moved = node.emit("sub", numbers, number_of(node, pad))
    return node.reshape(moved, [count if each == axis else 1 for each in range(rank)])


def _flat(node: Node, places: Sequence[Value], image: Sequence[Dim]) -> Value:
    """Places in an image in the order of memory; the number of them all for those outside."""
    zero, flat, is_inside = number_of(node, 0), number_of(node, 0), None
    for axis, (place, extent) in enumerate(zip(places, image, strict=True)):
        distance = number_of(node, product(image[axis + 1 :]))
        flat = node.emit("add", flat, node.emit("mul", place, distance))
        for each in (
            node.emit("greater_equal", place, zero),
            node.emit("less", place, number_of(node, extent)),
        ):
            is_inside = each if is_inside is None else node.emit("and", is_inside, each)
    assert is_inside is not None, "an image has axes"
    return node.emit("where", is_inside, flat, number_of(node, product(image)))
