"""`compute_at` for Winograd's transforms: each part of their results that a loop reads, where it is read."""

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
    """A slice; offsets are values or numbers."""
    kind = ir.RankedTensorType(source.type)
    unknown = ir.ShapedType.get_dynamic_size()
    static = [offset if isinstance(offset, int) else unknown for offset in offsets]
    values = [offset for offset in offsets if not isinstance(offset, int)]
    result = ir.RankedTensorType.get(list(sizes), kind.element_type)
    ones = [1] * len(sizes)
    return tensor.ExtractSliceOp(result, source, values, [], [], static, list(sizes), ones).result


def output_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """A single tile as vectors; of more tiles, the same op on their part of the products."""
    offsets, sizes = slice_offsets(reader), static_shape(reader.results[0].type)
    tile = op.attributes["tile"].value
    if sizes[:4] == [1, 1, tile, tile]:
        return winograd_output_tile(op, offsets, reader.results[0].type)
    _, _, height, width, _ = static_shape(op.results[0])
    image, block, y, x, lane = offsets
    start = apply_map(tile_index(height, width, tile), [image, y, x])
    products = op.operands[0]
    count = sizes[0] * prod(size // tile for size in sizes[2:4])
    part = part_of(products, [0, start, block, lane], [static_shape(products)[0], count, sizes[1], sizes[4]])
    attributes = {name: op.attributes[name] for name in ("tile", BLOCK_TAG)}
    return ir.Operation.create(OUTPUT, [reader.results[0].type], [part], attributes).results[0]


def input_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """The tiles that are read, transformed one after the other."""
    places, count, channels = static_shape(reader.results[0].type)
    rows, columns = image_tiles(op)
    strip = Strip(count // columns, columns) if count % columns == 0 else Strip(1, count)
    first, number = slice_offsets(reader)[1], dims(1)[0]
    image = ir.AffineExpr.get_floor_div(number, rows * columns)
    row = ir.AffineExpr.get_mod(ir.AffineExpr.get_floor_div(number, columns), rows)
    column = ir.AffineExpr.get_mod(number, columns)
    where = [apply_map(each, [first]) for each in (image, row, column)]
    whole = transform_strip(op, where, (strip.rows, strip.columns), PADDING)
    return part_of(whole, [0, 0, 0], [places, count, channels])
