"""GridSample and AffineGrid: images sampled at the points of a grid whose corners are -1 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import differ, maximum, product
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.complex_parts import of_parts
from mlc.frontends.onnx.operators.common.dynamic_values import declared_rank, slice_axes, vector_of
from mlc.frontends.onnx.operators.common.expressions import counting, dim, filled_with
from mlc.frontends.onnx.operators.image.sample_coordinates import (
    Sampling,
    Tap,
    arithmetic,
    axis_taps,
    dim_like,
)
from mlc.frontends.onnx.operators.image.sampling import Images, computed_in, interpolate
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value

# Opset 16 names them for two spatial dims.
_MODES = {
    "nearest": "nearest",
    "linear": "linear",
    "bilinear": "linear",
    "cubic": "cubic",
    "bicubic": "cubic",
}
_PADDINGS = ("zeros", "border", "reflection")


@onnx_operator("GridSample", since=16)
def grid_sample(node: Node) -> Value:
    """Imports GridSample. Raises NodeError for grids and attributes that do not fit, UnsupportedNodeError
    for interpolation of integers."""
    x, grid = node.input(0), node.input(1)
    spatial = x.rank - 2
    fits = grid.rank == x.rank and not (differ(grid.shape[0], x.shape[0]) or differ(grid.shape[-1], spatial))
    if spatial < 1 or not fits:
        raise NodeError(f"a grid of shape {grid.shape_text} does not fit images {x.shape_text}")
    mode, padding = node.attr("mode", "linear"), node.attr("padding_mode", "zeros")
    if mode not in _MODES or padding not in _PADDINGS:
        known = f"{', '.join(_MODES)} and {', '.join(_PADDINGS)}"
        raise NodeError(f"mode {mode!r} or padding_mode {padding!r} is none of {known}")
    sampling = Sampling(_MODES[mode], padding, bool(node.attr("align_corners", 0)))
    if sampling.mode != "nearest" and np.dtype(x.dtype).kind in "iub":
        raise UnsupportedNodeError(
            f"mode {mode} of {element_types.type_name(x.onnx_type)} elements is not supported"
        )
    batch, *samples, _ = grid.shape
    taps = _taps(node, grid, list(x.shape[2:]), computed_in(x, grid), sampling)

    def sample(x: Value) -> Value:
        """Samples real images."""
        images = Images(node, x, zeros=padding == "zeros")
        return node.cast(interpolate(node, images, taps, images.image_offsets()), x.onnx_type)

    values = sample(x) if sampling.mode == "nearest" else of_parts(node, x, sample)
    return node.reshape(values, [batch, x.shape[1], *samples])


def _taps(node: Node, grid: Value, extents: list[Dim], onnx_type: int, sampling: Sampling) -> list[list[Tap]]:
    """Returns the elements that are read along each axis, as `[batch, 1, samples]`.

    The last dim of the grid holds the coordinates from the innermost axis on.
    """
    batch, *samples, last = grid.shape
    spatial, flat = len(extents), node.cast(node.reshape(grid, [batch, 1, product(samples), last]), onnx_type)
    found = []
    for axis, extent in enumerate(extents):
        along = slice_axes(node, flat, {3: (spatial - 1 - axis, 1, 1)})
        at = _to_elements(node, node.reshape(along, flat.shape[:3]), extent, sampling.align_corners)
        found.append(axis_taps(node, at, extent, sampling))
    return found


def _to_elements(node: Node, at: Value, extent: Dim, align_corners: bool) -> Value:
    """Converts coordinates in [-1, 1] to units of elements."""
    from_start, size = arithmetic(node, "add", at, 1), dim_like(node, extent, at)
    if align_corners:
        return arithmetic(node, "mul", from_start, (size - 1) / 2)
    return arithmetic(node, "sub", arithmetic(node, "mul", from_start, size / 2), 0.5)


@onnx_operator("AffineGrid", since=20)
def affine_grid(node: Node) -> Value:
    """Imports AffineGrid: theta, `[batch, n, n + 1]`, times the homogeneous coordinates of the pixels."""
    theta = node.input(0)
    extents = _image_dims(node, node.input(1))[2:]
    spatial = len(extents)
    if theta.rank != 3 or any(
        differ(a, b) for a, b in zip(theta.shape[1:], [spatial, spatial + 1], strict=True)
    ):
        raise NodeError(f"theta has the shape {list(theta.shape)}, which does not fit the size {extents}")
    onnx_type = computed_in(theta)
    transposed = node.emit("transpose", node.cast(theta, onnx_type), permutation=[0, 2, 1])
    grid = node.emit("matmul", _homogeneous(node, extents, onnx_type), transposed)
    return node.reshape(node.cast(grid, theta.onnx_type), [theta.shape[0], *extents, spatial])


def _image_dims(node: Node, size: Value) -> list[Dim]:
    """Returns the dims `[batch, channels, extents...]` that the input `size` holds."""
    if size.known is None and not isinstance(size.shape[0], int):
        return node.read_dims(vector_of(node, size, declared_rank(node)))
    return node.read_dims(size)


def _homogeneous(node: Node, extents: Sequence[Dim], onnx_type: int) -> Value:
    """Returns the coordinates of the pixels in [-1, 1], the innermost axis first, then a 1: `[pixels, axes +
    1]`."""
    align_corners = bool(node.attr("align_corners", 0))
    known = [extent for extent in extents if isinstance(extent, int)]
    if len(known) == len(extents):
        node.reserve(*known, len(known) + 1)
        corners = [_corners(np.arange(extent), extent, max(extent - 1, 1), align_corners) for extent in known]
        rows = [*reversed(np.meshgrid(*corners, indexing="ij")), np.ones(known)]
        return node.constant(
            np.stack([row.reshape(-1) for row in rows], axis=1), element_types.numpy_dtype(onnx_type)
        )
    pixels, columns = product(extents), [filled_with(node, [product(extents), 1], 1.0, onnx_type)]
    for axis, extent in enumerate(extents):
        size, distances = (dim(node, length, onnx_type) for length in (extent, maximum(extent - 1, 1)))
        corner = _corners(counting(node, extent, onnx_type), size, distances, align_corners)
        corner = corner.along(axis, len(extents))
        columns.insert(0, node.reshape(node.expand(corner.value, extents), [pixels, 1]))
    return node.emit("concat", *columns, axis=1)


def _corners(y: Any, extent: Any, distances: Any, align_corners: bool) -> Any:
    """Returns the coordinates of the elements `y` in [-1, 1]; a single element is at the start."""
    if not align_corners:
        return (2 * y + 1) / extent - 1
    return 2 * y / distances - 1
