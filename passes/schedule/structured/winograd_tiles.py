"""The primitive compute_at for Winograd's transforms: each part of their results is computed before its
use."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.bindings import ir, tensor
from mlc.dialects import tloop
from mlc.passes.common.linalg_builders import dims, static_shape
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.common.vector_builders import apply_map
from mlc.passes.graph.winograd.strips import PADDING, Strip
from mlc.passes.lowering.rules.winograd import (
    image_tiles,
    tile_index,
    transform_strip,
    winograd_output_tile,
)
from mlc.passes.schedule.structured.slice_offsets import slice_offsets

INPUT, OUTPUT = tloop.WinogradInput.NAME, tloop.WinogradOutput.NAME


def part_of(source: ir.Value, offsets: Sequence[ir.Value | int], sizes: Sequence[int]) -> ir.Value:
    """Builds a slice; offsets are values or constants."""
    type_ = ir.RankedTensorType(source.type)
    unknown = ir.ShapedType.get_dynamic_size()
    static = [offset if isinstance(offset, int) else unknown for offset in offsets]
    values = [offset for offset in offsets if not isinstance(offset, int)]
    result = ir.RankedTensorType.get(list(sizes), type_.element_type)
    ones = [1] * len(sizes)
    return tensor.ExtractSliceOp(result, source, values, [], [], static, list(sizes), ones).result


def output_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """Builds a single tile as vectors; of more tiles, the same op on their part of the products."""
    view = tloop.WinogradOutput(op)
    offsets, sizes = slice_offsets(reader), static_shape(reader.result.type)
    tile = view.tile
    if sizes[:4] == [1, 1, tile, tile]:
        return winograd_output_tile(op, offsets, reader.result.type)
    _, _, height, width, _ = static_shape(view.image)
    image, block, y, x, lane = offsets
    start = apply_map(tile_index(height, width, tile), [image, y, x])
    products = view.products
    count = sizes[0] * prod(size // tile for size in sizes[2:4])
    part = part_of(products, [0, start, block, lane], [static_shape(products)[0], count, sizes[1], sizes[4]])
    attributes = {name: op.attributes[name] for name in ("tile", BLOCK_TAG)}
    return ir.Operation.create(OUTPUT, [reader.result.type], [part], attributes).result


def input_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """Builds the tiles that are read, transformed one after the other."""
    elements, count, channels = static_shape(reader.result.type)
    source = tloop.WinogradInput(op)
    rows, columns = image_tiles(source.image, source.tile)
    strip = Strip(count // columns, columns) if count % columns == 0 else Strip(1, count)
    first, index = slice_offsets(reader)[1], dims(1)[0]
    image = ir.AffineExpr.get_floor_div(index, rows * columns)
    row = ir.AffineExpr.get_mod(ir.AffineExpr.get_floor_div(index, columns), rows)
    column = ir.AffineExpr.get_mod(index, columns)
    start = [apply_map(coordinate, [first]) for coordinate in (image, row, column)]
    whole = transform_strip(op, start, (strip.rows, strip.columns), PADDING)
    return part_of(whole, [0, 0, 0], [elements, count, channels])
