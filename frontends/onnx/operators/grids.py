"""GridSample and AffineGrid: images at the places of a grid whose corners are -1 and 1."""

from __future__ import annotations

import numpy as np
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.coordinates import Sampling, Tap, arithmetic, axis_taps
from mlc.frontends.onnx.operators.sampling import Images, computed_in, interpolated
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

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
    x, grid = node.input(0), node.input(1)
    spatial = x.rank - 2
    if spatial < 1 or grid.rank != x.rank or grid.shape[-1] != spatial:
        raise NodeFailure(f"a grid of shape {list(grid.shape)} does not fit images {list(x.shape)}")
    mode, padding = node.attr("mode", "linear"), node.attr("padding_mode", "zeros")
    if mode not in _MODES or padding not in _PADDINGS:
        known = f"{', '.join(_MODES)} and {', '.join(_PADDINGS)}"
        raise NodeFailure(f"mode {mode!r} or padding_mode {padding!r} is none of {known}")
    sampling = Sampling(_MODES[mode], padding, bool(node.attr("align_corners", 0)))
    if sampling.mode != "nearest" and np.dtype(x.dtype).kind in "iubc":
        raise Unsupported(f"mode {mode} of {types.type_name(x.number)} elements is not supported")
    images = Images(node, x, zeros=padding == "zeros")
    batch, *places, _ = node.shape(grid)
    taps = _taps(node, grid, images.extents, computed_in(x, grid), sampling)
    values = interpolated(node, images, taps, images.first_places())
    return node.reshape(node.cast(values, x.number), [batch, images.channels, *places])


def _taps(node: Node, grid: Value, extents: list[int], number: int, sampling: Sampling) -> list[list[Tap]]:
    """What is read along each axis, as `[batch, 1, places]`. The last dim of the grid names the axes from the
    innermost one on."""
    batch, *places, spatial = node.shape(grid)
    flat = node.cast(node.reshape(grid, [batch, 1, int(np.prod(places)), spatial]), number)
    found = []
    for axis, extent in enumerate(extents):
        starts, sizes = [0, 0, 0, spatial - 1 - axis], [batch, 1, flat.shape[2], 1]
        along = node.emit("slice", flat, starts=starts, sizes=sizes, steps=[1] * 4)
        at = _in_elements(node, node.reshape(along, sizes[:3]), extent, sampling.align_corners)
        found.append(axis_taps(node, at, extent, sampling))
    return found


def _in_elements(node: Node, at: Value, extent: int, align_corners: bool) -> Value:
    """Places in [-1, 1] counted in elements."""
    from_start = arithmetic(node, "add", at, 1)
    if align_corners:
        return arithmetic(node, "mul", from_start, (extent - 1) / 2)
    return arithmetic(node, "sub", arithmetic(node, "mul", from_start, extent / 2), 0.5)


@onnx_operator("AffineGrid", since=20)
def affine_grid(node: Node) -> Value:
    """theta, `[batch, n, n + 1]`, times the homogeneous places of an image."""
    theta, size = node.input(0), node.ints(1)
    extents, spatial = size[2:], len(size) - 2
    if list(theta.shape[1:]) != [spatial, spatial + 1]:
        raise NodeFailure(f"theta has the shape {list(theta.shape)}, which does not fit the size {size}")
    number = computed_in(theta)
    corners = [_corners(extent, bool(node.attr("align_corners", 0))) for extent in extents]
    # The innermost axis first, then the 1 of homogeneous places.
    rows = [*reversed(np.meshgrid(*corners, indexing="ij")), np.ones(extents)]
    places = np.stack([row.reshape(-1) for row in rows], axis=1).astype(types.numpy_dtype(number))
    turned = node.emit("transpose", node.cast(theta, number), permutation=[0, 2, 1])
    grid = node.emit("matmul", node.constant(places), turned)
    return node.reshape(node.cast(grid, theta.number), [theta.shape[0], *extents, spatial])


def _corners(extent: int, align_corners: bool) -> np.ndarray:
    """Places of elements between -1 and 1; a single one is at the start."""
    if not align_corners:
        return (2 * np.arange(extent) + 1) / extent - 1
    return 2 * np.arange(extent) / max(extent - 1, 1) - 1
