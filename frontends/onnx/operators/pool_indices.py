"""Where MaxPool found its elements."""

from __future__ import annotations

import math

import numpy as np
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.windows import Window
from mlc.frontends.onnx.values import Value


def indices_of_largest(node: Node, x: Value, geometry: Window, result: list[int]) -> Value:
    """MaxPool's Indices: the flat place in x of the first largest element of each window. `result`:
    MaxPool's spatial dims."""
    batch, channels, *extents = node.shape(x)
    size, windows = math.prod(extents), math.prod(result)
    places, inside = _window_places(geometry, extents, result)
    # Padding is not read: the window's first element takes its place, and is found there first.
    first = np.take_along_axis(places, inside.argmax(axis=1)[:, None], axis=1)
    places = np.where(inside, places, first).clip(0, size - 1)
    flat = node.reshape(x, [batch, channels, size])
    read = node.emit("gather", flat, node.constant(places, np.int32), axis=2)
    chosen = node.emit("arg_max", read, axis=3, keepdims=False, select_last_index=False)
    rows = node.constant(np.arange(windows) * places.shape[1], np.int64)
    numbers = _numbered(places, extents, bool(node.attr("storage_order", 0)))
    place = node.emit("gather", node.constant(numbers), node.emit("add", chosen, rows), axis=0)
    images = node.constant(np.arange(batch * channels).reshape(batch, channels, 1) * size, np.int64)
    return node.reshape(node.emit("add", place, images), [batch, channels, *result])


def _window_places(geometry: Window, extents: list[int], result: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The row-major place of each element of each window, and whether it lies inside: `[windows, kernel]`."""
    rank = len(extents)
    place, inside = np.zeros([1] * (2 * rank), np.int64), np.ones([1] * (2 * rank), bool)
    for axis, extent in enumerate(extents):
        begins = np.arange(result[axis]) * geometry.strides[axis] - geometry.pads[axis]
        offsets = np.arange(geometry.kernel[axis]) * geometry.dilations[axis]
        shape = [1] * (2 * rank)
        shape[axis], shape[rank + axis] = len(begins), len(offsets)
        along = (begins[:, None] + offsets).reshape(shape)
        place, inside = place * extent + along, inside & (along >= 0) & (along < extent)
    shape = [math.prod(result), math.prod(geometry.kernel)]
    return place.reshape(shape), inside.reshape(shape)


def _numbered(places: np.ndarray, extents: list[int], column_major: bool) -> np.ndarray:
    """The numbers that Indices holds for row-major places."""
    if column_major:
        places = np.ravel_multi_index(np.unravel_index(places, extents), extents, order="F")
    return np.asarray(places, np.int64).reshape(-1)
