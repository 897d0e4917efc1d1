"""Col2Im: sums blocks where they overlap in an image.

With static sizes, one axis after the other is summed; with dynamic ones, each element is added to its pixel
by a scatter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlc.dialects.graph.sizes import floordiv, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.complex_parts import of_parts
from mlc.frontends.onnx.operators.common.dynamic_values import (
    declared_rank,
    full,
    i64_scalar,
    iota,
    take_range,
    vector_of,
)
from mlc.frontends.onnx.operators.common.sliding_windows import per_dim
from mlc.frontends.onnx.operators.image.taps import weighted_sum
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


def dynamic_col2im(node: Node, x: Value) -> Value:
    """Returns x `[N, C * block, blocks]` as images `[N, C, image...]`, for sizes that may be dynamic."""
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
    coordinates = [node.emit("add", *pair) for pair in zip(inside, begins, strict=True)]
    extents = [*block, *counts]
    rows, total = x.shape[0] * floordiv(x.shape[1], product(block)), product(image)
    indices = node.reshape(node.expand(_flat(node, coordinates, image), extents), [1, product(extents)])
    values = node.reshape(x, [rows, product(extents)])
    # One more element collects what is outside the image.
    zeros = full(node, [rows, total + 1], x.dtype.type(0))
    indices = node.expand(indices, [rows, product(extents)])
    sums = node.emit("scatter_elements", zeros, indices, values, axis=1, reduction="add")
    channels = floordiv(x.shape[1], product(block))
    return node.reshape(take_range(node, sums, 1, 0, total), [x.shape[0], channels, *image])


def _spread(node: Node, count: Dim, step: int, pad: int, axis: int, rank: int) -> Value:
    """Returns `step * i - pad` for i in [0, count) along one of `rank` axes."""
    steps = node.emit("mul", iota(node, count), i64_scalar(node, step))
    moved = node.emit("sub", steps, i64_scalar(node, pad))
    return node.reshape(moved, [count if index == axis else 1 for index in range(rank)])


def _flat(node: Node, coordinates: Sequence[Value], image: Sequence[Dim]) -> Value:
    """Returns the row-major index of the pixels with these coordinates; the number of pixels for those
    outside."""
    zero, flat, is_inside = i64_scalar(node, 0), i64_scalar(node, 0), None
    for axis, (coordinate, extent) in enumerate(zip(coordinates, image, strict=True)):
        distance = i64_scalar(node, product(image[axis + 1 :]))
        flat = node.emit("add", flat, node.emit("mul", coordinate, distance))
        for bound in (
            node.emit("greater_equal", coordinate, zero),
            node.emit("less", coordinate, i64_scalar(node, extent)),
        ):
            is_inside = bound if is_inside is None else node.emit("and", is_inside, bound)
    assert is_inside is not None, "an image has axes"
    return node.emit("where", is_inside, flat, i64_scalar(node, product(image)))


@onnx_operator("Col2Im", since=18)
def col2im(node: Node) -> Value:
    """Imports Col2Im. Raises NodeError where blocks, pads and image do not fit."""
    x = node.input(0)
    if not (node.input(1).is_constant and node.input(2).is_constant and x.is_static):
        return dynamic_col2im(node, x)
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
    rows, columns = node.static(x.shape[1:], "the input's shape after the batch")
    if columns != math.prod(counts) or rows % math.prod(block):
        raise NodeError(f"an input of shape {x.shape_text} does not hold {counts} blocks of {block}")
    node.check_repetitions(max(image))
    node.reserve(max(block), max(counts))
    inside = [np.arange(width) * distance for width, distance in zip(block, dilations, strict=True)]
    begins = [np.arange(count) * strides[i] - pads[i] for i, count in enumerate(counts)]
    return of_parts(node, x, lambda part: _images(node, part, image, inside, begins))


def _images(
    node: Node, x: Value, image: Sequence[int], inside: Sequence[np.ndarray], begins: Sequence[np.ndarray]
) -> Value:
    """Returns blocks as images.

    By axis, `inside` are the offsets within a block and `begins` the coordinates at which blocks begin.
    """
    rank, rows = len(image), x.shape[1]
    block, counts = ([len(axis_offsets) for axis_offsets in lists] for lists in (inside, begins))
    split = node.reshape(x, [x.shape[0], rows // math.prod(block), *block, *counts])
    order = [axis for i in range(rank) for axis in (2 + i, 2 + rank + i)]
    result = node.emit("transpose", split, permutation=[0, 1, *order])
    for i in reversed(range(rank)):
        result = _add_overlaps(node, result, 2 + 2 * i, inside[i], begins[i], image[i])
    return result


def _add_overlaps(
    node: Node, x: Value, axis: int, inside: np.ndarray, begins: np.ndarray, length: int
) -> Value:
    """Sums two dims of x, the offset `inside` a block and the block that begins at `begins`, to one of
    `length`."""
    merged = len(inside) * len(begins)
    x = node.reshape(x, [*x.shape[:axis], merged, *x.shape[axis + 2 :]])
    indices = _source_indices((inside[:, None] + begins).reshape(-1), length)
    if np.any(indices == merged):
        # Pixels that no block covers read a zero after the elements.
        high = [int(index == axis) for index in range(x.rank)]
        x = node.emit("pad", x, low=[0] * x.rank, high=high, mode="constant", value=0)
    return weighted_sum(node, x, axis, indices, np.ones(indices.shape))


def _source_indices(coordinates: np.ndarray, length: int) -> np.ndarray:
    """Returns for each of `length` pixels the indices of the `coordinates` equal to it, padded with their
    count."""
    found = [np.flatnonzero(coordinates == pixel) for pixel in range(length)]
    most = max(max(map(len, found), default=0), 1)
    filled = [
        np.pad(sources, (0, most - len(sources)), constant_values=len(coordinates)) for sources in found
    ]
    return np.array(filled).reshape(length, most)
