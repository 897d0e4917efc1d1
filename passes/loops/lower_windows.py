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
from mlc.passes.common.linalg_builders import dims, empty, static_shape, tensor_type
from mlc.passes.common.rewriting import collect_ops, replace_op
from mlc.passes.common.target import lanes, target_of
from mlc.passes.common.vector_builders import apply_map
from mlc.passes.lowering.rules.winograd import (
    chunk_of,
    image_tiles,
    nest,
    transform_strip,
    winograd_output_tile,
)
from mlc.passes.lowering.windows.row_windows import ROW_WINDOW, part_rows, tile_columns, window_positions
from mlc.passes.lowering.windows.slices import row_window_part
from mlc.passes.schedule.structured.slice_offsets import part_of


def window_as_loops(op: ir.Operation) -> ir.Value:
    """Computes a `tloop.row_window` some rows at a time, or one element at a time if its rows are not
    computed as a whole."""
    width = lanes(target_of(op))
    result = tloop.RowWindow(op).result
    if tile_columns(op, width):
        return _elements_as_loops(op, result)
    shape, rows = static_shape(result), part_rows(op, width)
    element = tensor_type(result).element_type
    type_ = ir.RankedTensorType.get([1, 1, rows, shape[3]], element)
    zero = index_constant(0)

    def part(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        image, channel, block = indices
        offsets = [image, channel, apply_map(dims(1)[0] * rows, [block])]
        return _insert(row_window_part(op, [*offsets, zero], type_, width), into, [*offsets, 0])

    return nest([*shape[:2], shape[2] // rows], empty(shape, element), part)


def _elements_as_loops(op: ir.Operation, result: ir.Value) -> ir.Value:
    """Computes a `tloop.row_window` element by element."""
    element = tensor_type(result).element_type
    type_ = ir.RankedTensorType.get([1, 1, 1, 1], element)
    shape = enumerate(tensor_type(result).shape)
    sizes = [window_positions(op, axis) if size == UNKNOWN else size for axis, size in shape]

    def part(offsets: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        return _insert(row_window_part(op, offsets, type_, 1), into, offsets)

    return nest(sizes, tensor.EmptyOp(sizes, element).result, part)


def output_as_loops(op: ir.Operation) -> ir.Value:
    """Computes a `tloop.winograd_output` tile by tile, a chunk of channels at a time, and takes the image out
    of what the tiles compute."""
    view = tloop.WinogradOutput(op)
    shape, tile, element = static_shape(view.image), view.tile, tensor_type(view.image).element_type
    chunk, rows, columns = chunk_of(shape[4]), *(-(-size // tile) for size in shape[2:4])
    type_ = ir.RankedTensorType.get([1, 1, tile, tile, chunk], element)

    def part(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        *outer, row, column, lane = indices
        steps = ((row, tile), (column, tile), (lane, chunk))
        offsets = [*outer, *(apply_map(dims(1)[0] * size, [index]) for index, size in steps)]
        return _insert(winograd_output_tile(op, offsets, type_), into, offsets)

    counts = [*shape[:2], rows, columns, shape[4] // chunk]
    tiles = nest(counts, empty([*shape[:2], rows * tile, columns * tile, shape[4]], element), part)
    return tiles if tiles.type == view.image.type else part_of(tiles, [0] * 5, shape)


def input_as_loops(op: ir.Operation) -> ir.Value:
    """Computes a `tloop.winograd_input` image by image."""
    view = tloop.WinogradInput(op)
    shape, element = static_shape(view.tiles), tensor_type(view.tiles).element_type
    rows, columns = image_tiles(view.image, view.tile)

    def part(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        [image] = indices
        zero = index_constant(0)
        transformed = transform_strip(op, [image, zero, zero], (rows, columns), rows * columns, 0)
        return _insert(transformed, into, [0, apply_map(dims(1)[0] * (rows * columns), [image]), 0])

    return nest([shape[1] // (rows * columns)], empty(shape, element), part)


def _insert(part: ir.Value, into: ir.Value, offsets: Sequence[ir.Value | int]) -> ir.Value:
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
