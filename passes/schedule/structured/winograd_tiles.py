"""The primitive compute_at for Winograd's transforms: each part of their results is computed before its
use."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from mlc.bindings import affine, arith, ir
from mlc.dialects import tloop
from mlc.passes.common.affine import upper_bound
from mlc.passes.common.linalg_builders import Extent, affine_map, dims
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.common.vector_builders import apply_map
from mlc.passes.graph.winograd.strips import PADDING
from mlc.passes.lowering.rules.winograd import (
    as_value,
    image_tiles,
    result_tile,
    transform_strip,
    winograd_output_tile,
)
from mlc.passes.schedule.structured.slice_offsets import part_of, slice_offsets, slice_sizes

INPUT, OUTPUT = tloop.WinogradInput.NAME, tloop.WinogradOutput.NAME


def output_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """Builds a single tile as vectors, of which the reader takes what is inside the image; of more tiles, the
    same op on their part of the products."""
    view, type_ = tloop.WinogradOutput(op), ir.RankedTensorType(reader.result.type)
    tile, offsets, sizes = view.tile, slice_offsets(reader), slice_sizes(reader)
    if sizes[:2] == [1, 1] and all(_most(size) <= tile for size in sizes[2:4]):
        whole = ir.RankedTensorType.get([1, 1, tile, tile, sizes[4]], type_.element_type)
        result = winograd_output_tile(op, offsets, whole)
        return result if type_ == whole else part_of(result, [0] * 5, sizes)
    image, block, y, x, lane = offsets
    start = result_tile(op, [image, y, x])
    pixels, *_ = ir.RankedTensorType(view.products.type).shape
    part = part_of(
        view.products, [0, start, block, lane], [pixels, _count_tiles(sizes, tile), sizes[1], sizes[4]]
    )
    attributes = {name: op.attributes[name] for name in ("tile", BLOCK_TAG)}
    open_sizes = [size for size in sizes if isinstance(size, ir.Value)]
    return ir.Operation.create(OUTPUT, [type_], [part, *open_sizes], attributes).result


def _most(size: Extent) -> float:
    """An integer that the size does not exceed."""
    if isinstance(size, int):
        return size
    bound = upper_bound(size)
    return inf if bound is None else bound


def _count_tiles(sizes: Sequence[Extent], tile: int) -> Extent:
    """The number of tiles in a part of the images: a single row of them if its width is open."""
    images, _, height, width, _ = sizes
    if isinstance(images, int) and isinstance(height, int) and isinstance(width, int):
        return images * -(-height // tile) * -(-width // tile)
    if isinstance(width, int):
        return -(-width // tile)
    most = int(_most(width)) // tile
    columns = ir.AffineExpr.get_ceil_div(dims(1)[0], tile)
    least = affine_map(1, [ir.AffineExpr.get_constant(most), columns])
    return affine.AffineMinOp(least, [width]).result


def input_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """Builds the tiles that are read, transformed one after the other."""
    elements, count, channels = slice_sizes(reader)
    source = tloop.WinogradInput(op)
    rows, columns = image_tiles(source.image, source.tile)
    first = slice_offsets(reader)[1]
    extents: tuple[int, Extent]
    if isinstance(rows, int) and isinstance(columns, int) and isinstance(count, int):
        start, most = _coordinates(first, rows, columns), count
        extents = (count // columns, columns) if count % columns == 0 else (1, count)
    else:
        line, column = (build(first, as_value(columns)) for build in (arith.divui, arith.remui))
        image, row = (build(line, as_value(rows)) for build in (arith.divui, arith.remui))
        start, most, extents = [image, row, column], int(_most(count)), (1, count)
    whole = transform_strip(op, start, extents, most, PADDING)
    return part_of(whole, [0, 0, 0], [elements, count, channels])


def _coordinates(tile: ir.Value, rows: int, columns: int) -> list[ir.Value]:
    """The image, row and column of a tile of images of known size."""
    index = dims(1)[0]
    image = ir.AffineExpr.get_floor_div(index, rows * columns)
    row = ir.AffineExpr.get_mod(ir.AffineExpr.get_floor_div(index, columns), rows)
    column = ir.AffineExpr.get_mod(index, columns)
    return [apply_map(coordinate, [tile]) for coordinate in (image, row, column)]
