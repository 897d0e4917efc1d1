"""Col2Im: the sum of blocks where they overlap in an image, one axis after the other.

Col2Im of sizes that only running tells: every element is added to the place of the image it belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlc.dialects.graph.sizes import floordiv, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.complex_parts import of_parts
from mlc.frontends.onnx.operators.common.dynamic_values import (
    counted,
    declared_rank,
    filled,
    number_of,
    taken,
    vector_of,
)
from mlc.frontends.onnx.operators.common.sliding_windows import per_dim
from mlc.frontends.onnx.operators.image.taps import weighted_sum
from mlc.frontends.onnx.registry import onnx_operator
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


@onnx_operator("Col2Im", since=18)
def col2im(node: Node) -> Value:
    x = node.input(0)
    if not (node.input(1).is_constant and node.input(2).is_constant and x.is_static):
        return summed(node, x)
    image, block = node.ints(1), node.ints(2)
    rank = len(image)
    strides, dilations = (per_dim(node, name, rank) for name in ("strides", "dilations"))
    pads = list(node.attr("pads", [0] * (2 * rank)))
    if len(block) != rank or len(pads) != 2 * rank:
        raise NodeError(f"block_shape {block} and pads {pads} do not fit the image {image}")
    totals = [pads[i] + pads[rank + i] for i in range(rank)]
    counts = [
        (size + total - distance * (width - 1) - 1) // stride + 1
        for size, total, distance, width, stride in zip(image, totals, dilations, block, strides, strict=True)
    ]
    rows, columns = node.static(x.shape[1:], "the input's shape behind the batch")
    if columns != math.prod(counts) or rows % math.prod(block):
        raise NodeError(f"an input of shape {list(x.shape)} does not hold {counts} blocks of {block}")
    inside = [np.arange(width) * distance for width, distance in zip(block, dilations, strict=True)]
    begins = [np.arange(count) * strides[i] - pads[i] for i, count in enumerate(counts)]
    return of_parts(node, x, lambda part: _images(node, part, image, inside, begins))


def _images(
    node: Node, x: Value, image: Sequence[int], inside: Sequence[np.ndarray], begins: Sequence[np.ndarray]
) -> Value:
    """Blocks as images: by axis the places inside of a block, and those that blocks begin at."""
    rank, rows = len(image), x.shape[1]
    block, counts = ([len(each) for each in lists] for lists in (inside, begins))
    split = node.reshape(x, [x.shape[0], rows // math.prod(block), *block, *counts])
    order = [each for i in range(rank) for each in (2 + i, 2 + rank + i)]
    result = node.emit("transpose", split, permutation=[0, 1, *order])
    for i in reversed(range(rank)):
        result = _overlapped(node, result, 2 + 2 * i, inside[i], begins[i], image[i])
    return result


def _overlapped(
    node: Node, x: Value, axis: int, inside: np.ndarray, begins: np.ndarray, length: int
) -> Value:
    """x with two dims, the place `inside` a block and the block that begins at `begins`, added up to one of
    `length`."""
    merged = len(inside) * len(begins)
    x = node.reshape(x, [*x.shape[:axis], merged, *x.shape[axis + 2 :]])
    indices = _sources((inside[:, None] + begins).reshape(-1), length)
    if np.any(indices == merged):
        # What no block covers reads a zero behind them.
        high = [int(each == axis) for each in range(x.rank)]
        x = node.emit("pad", x, low=[0] * x.rank, high=high, mode="constant", value=0)
    return weighted_sum(node, x, axis, indices, np.ones(indices.shape))


def _sources(places: np.ndarray, length: int) -> np.ndarray:
    """For each of `length` elements, which of `places` are there, filled up with the number of them."""
    found = [np.flatnonzero(places == place) for place in range(length)]
    most = max(max(map(len, found), default=0), 1)
    filled = [np.pad(each, (0, most - len(each)), constant_values=len(places)) for each in found]
    return np.array(filled).reshape(length, most)
