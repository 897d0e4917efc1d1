"""tloop-lower-windows: windows and Winograd transforms that no schedule has computed part by part become
loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir, tensor
from mlc.dialects import tloop
from mlc.passes.base import Pass
from mlc.passes.common.constants import index_constant
from mlc.passes.common.dynamic_dims import UNKNOWN
from mlc.passes.common.linalg_builders import Extent, dims, extent_of, tensor_type
from mlc.passes.common.rewriting import collect_ops, replace_op
from mlc.passes.common.target import lanes, target_of
from mlc.passes.common.vector_builders import apply_map
from mlc.passes.lowering.rules.winograd import (
    chunk_of,
    count_tiles,
    image_tiles,
    nest,
    result_extents,
    tile_in_grid,
    transform_strip,
    winograd_output_tile,
)
from mlc.passes.lowering.windows.row_windows import ROW_WINDOW, part_rows, tile_columns, window_positions
from mlc.passes.lowering.windows.slices import row_window_part
from mlc.passes.schedule.structured.slice_offsets import part_of


def window_as_loops(op: ir.Operation) -> ir.Value:
    """Computes a `tloop.row_window` some rows at a time, or one element at a time if its rows are not
    computed as a whole."""
    width, result = lanes(target_of(op)), tloop.RowWindow(op).result
    extents = enumerate(tensor_type(result).shape)
    sizes = [window_positions(op, axis) if size == UNKNOWN else size for axis, size in extents]
    element = tensor_type(result).element_type
    whole = not tile_columns(op, width)
    rows = part_rows(op, width) if whole else 1
    part_shape = [1, 1, rows, tensor_type(result).shape[3] if whole else 1]
    part_type = ir.RankedTensorType.get(part_shape, element)

    def part(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        image, channel, row, *column = indices
        first = apply_map(dims(1)[0] * rows, [row])
        offsets = [image, channel, first, *(column or [index_constant(0)])]
        return _insert(row_window_part(op, offsets, part_type, width if whole else 1), into, offsets)

    # Open rows are computed one by one.
    counts = [*sizes[:2], sizes[2] if rows == 1 else sizes[2] // rows, *([] if whole else sizes[3:])]
    return nest(counts, tensor.EmptyOp(sizes, element).result, part)


def output_as_loops(op: ir.Operation) -> ir.Value:
    """Computes a `tloop.winograd_output` tile by tile, a chunk of channels at a time, and takes the image out
    of what the tiles compute."""
    view = tloop.WinogradOutput(op)
    shape, tile, element = result_extents(op), view.tile, tensor_type(view.image).element_type
    block = tensor_type(view.image).shape[4]
    chunk, (rows, columns) = chunk_of(block), (count_tiles(size, tile) for size in shape[2:4])
    type_ = ir.RankedTensorType.get([1, 1, tile, tile, chunk], element)

    def part(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        *outer, row, column, lane = indices
        steps = ((row, tile), (column, tile), (lane, chunk))
        offsets = [*outer, *(_times(index, size) for index, size in steps)]
        return _insert(winograd_output_tile(op, offsets, type_), into, offsets)

    whole = [*shape[:2], _times(rows, tile), _times(columns, tile), block]
    counts = [*shape[:2], rows, columns, block // chunk]
    tiles = nest(counts, tensor.EmptyOp(whole, element).result, part)
    return tiles if whole == shape else part_of(tiles, [0] * 5, shape)


def input_as_loops(op: ir.Operation) -> ir.Value:
    """Computes a `tloop.winograd_input` tile by tile."""
    view = tloop.WinogradInput(op)
    grid, element = image_tiles(view.image, view.tile), tensor_type(view.tiles).element_type

    def part(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        transformed = transform_strip(op, indices, (1, 1), 1, 0)
        return _insert(transformed, into, [0, tile_in_grid(indices, grid), 0])

    whole = tensor.EmptyOp(result_extents(op), element).result
    return nest([extent_of(view.image, 0), *grid], whole, part)


def _times(extent: Extent, factor: int) -> Extent:
    """Builds a multiple of an extent."""
    return extent * factor if isinstance(extent, int) else apply_map(dims(1)[0] * factor, [extent])


def _insert(part: ir.Value, into: ir.Value, offsets: Sequence[Extent]) -> ir.Value:
    """Builds `into` with `part` at the offsets."""
    unknown, sizes = ir.ShapedType.get_dynamic_size(), list(ir.RankedTensorType(part.type).shape)
    static = [offset if isinstance(offset, int) else unknown for offset in offsets]
    dynamic = [offset for offset in offsets if not isinstance(offset, int)]
    return tensor.InsertSliceOp(part, into, dynamic, [], [], static, sizes, [1] * len(sizes)).result


_AS_LOOPS: dict[str, Callable[[ir.Operation], ir.Value]] = {
    ROW_WINDOW: window_as_loops,
    tloop.WinogradInput.NAME: input_as_loops,
    tloop.WinogradOutput.NAME: output_as_loops,
}


@dataclass(frozen=True)
class LowerWindows(Pass):
    """Turn each `tloop.row_window`, `tloop.winograd_input` and `tloop.winograd_output` that is left, as where
    a schedule from a file names other blocks, into sequential loops over images, channels and rows or
    tiles."""

    name: ClassVar[str] = "tloop-lower-windows"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        windows = collect_ops(op, tuple(_AS_LOOPS))
        for window in windows:
            with ir.InsertionPoint(window), window.location:
                result = _AS_LOOPS[window.name](window)
            replace_op(window, [result])
        return bool(windows)
