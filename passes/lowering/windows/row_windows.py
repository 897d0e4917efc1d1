"""Depthwise convolutions and pools on plain images as `tloop.row_window`, a few rows of the result at a time:
whole rows, or tiles of columns."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph, tloop
from mlc.passes.common.dynamic_dims import UNKNOWN
from mlc.passes.common.linalg_builders import dims, extent_of, note_shape, static_shape, tensor_type
from mlc.passes.common.vector_builders import apply_map
from mlc.passes.graph.windows.row_windows import TILE_VECTORS, row_vectors

ROW_WINDOW = tloop.RowWindow.NAME
# Multiply-adds of a part: more only make the code longer.
LARGEST_PART = 144


def row_window(op: ir.Operation, kernel: Sequence[int], combiner: str, neutral: float) -> ir.Value:
    """Builds a `tloop.row_window`, which `compute_at` expands to vector ops in the loop that reads it.

    `combiner` is "sum", "maximum" or, with the weights as second operand, "product"; `neutral` is the
    padding.
    """
    window, conv = graph.Window(op), graph.Conv.match(op)
    sizes = (kernel, window.strides, window.dilations, window.pads)
    made = tloop.RowWindowOp(
        ir.StringAttr.get(combiner),
        *(ir.DenseI64ArrayAttr.get(list(values)) for values in sizes),
        ir.FloatAttr.get_f64(neutral),
        window.x,
        None if conv is None else conv.w,
        window.result.type,
    )
    return note_shape(made.result, static_shape(window.result))


def window_positions(op: ir.Operation, axis: int) -> ir.Value:
    """Computes a dynamic dim of a `tloop.row_window`'s result from that of its image."""
    window = tloop.RowWindow(op)
    extent = extent_of(window.image, axis)
    assert isinstance(extent, ir.Value), "the image's dim is dynamic, too"
    if axis < 2:
        return extent
    dim = axis - 2
    padding = window.pads[dim] + window.pads[2 + dim]
    spanned = (window.kernel[dim] - 1) * window.dilations[dim] + 1
    positions = ir.AffineExpr.get_floor_div(dims(1)[0] + (padding - spanned), window.strides[dim]) + 1
    return apply_map(positions, [extent])


def tile_columns(op: ir.Operation, lanes: int) -> int:
    """Columns of the result that are computed at a time, 0 for whole rows."""
    window = tloop.RowWindow(op)
    whole = row_vectors(window.image, window.result, window.kernel, lanes)
    return 0 if whole is not None else TILE_VECTORS * lanes


def part_rows(op: ir.Operation, lanes: int) -> int:
    """Rows of the result that are computed at a time: they share the rows of the image that they read."""
    window = tloop.RowWindow(op)
    height, width = tensor_type(window.result).shape[2:]
    if height == UNKNOWN:
        return 1
    kernel, columns = window.kernel, tile_columns(op, lanes)
    steps = -(-(columns or width) // lanes) * kernel[0] * kernel[1]
    return max(
        rows
        for rows in range(1, height + 1)
        if height % rows == 0 and rows * steps <= max(LARGEST_PART, steps)
    )
