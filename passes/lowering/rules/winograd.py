"""Winograd's transforms as linear combinations of vectors, a block of channels of one tile per iteration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from mlc.bindings import arith, ir, scf, vector
from mlc.dialects import graph, tloop
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.dynamic_dims import UNKNOWN, static_and_dynamic
from mlc.passes.common.linalg_builders import (
    Extent,
    dims,
    empty,
    extent_of,
    index_value,
    note_shape,
    static_shape,
    tensor_type,
)
from mlc.passes.common.rewriting import users
from mlc.passes.common.vector_builders import apply_map, insert_in_parallel, read, write
from mlc.passes.graph.winograd.matrices import input_matrix, output_matrix
from mlc.passes.lowering.common.rule import rule

Row = Sequence[Fraction]
# Rows and columns of tiles.
Grid: TypeAlias = "tuple[Extent, Extent]"
SPATIAL = (2, 3)


def _constant(like: ir.Value, factor: Fraction) -> ir.Value:
    vector_type = ir.VectorType(like.type)
    element = ir.FloatAttr.get(vector_type.element_type, float(factor))
    return arith.ConstantOp(vector_type, ir.DenseElementsAttr.get_splat(vector_type, element)).result


def _scale(factor: Fraction, value: ir.Value) -> ir.Value:
    return value if factor == 1 else arith.mulf(_constant(value, factor), value)


def combination(row: Row, values: Sequence[ir.Value]) -> ir.Value | None:
    """The sum of `row[i] * values[i]`; None if all coefficients are 0."""
    terms = [(factor, value) for factor, value in zip(row, values, strict=True) if factor]
    # A term with factor 1 starts the sum: the others are multiply-adds onto it.
    terms.sort(key=lambda term: term[0] != 1)
    total = None
    for factor, value in terms:
        if total is None:
            total = _scale(factor, value)
        elif abs(factor) == 1:
            total = arith.addf(total, value) if factor > 0 else arith.subf(total, value)
        else:
            total = vector.FMAOp(_constant(value, factor), value, total).result
    return total


def by_row_pairs(matrix: Sequence[Row], values: Sequence[ir.Value]) -> list[ir.Value]:
    """`matrix` times `values`, where rows 1 and 2, 3 and 4, ... agree but for the signs of some columns: the
    common terms of a pair are summed once, and so are those that differ in sign."""
    results: list[ir.Value] = []
    index = 0
    while index < len(matrix):
        row = matrix[index]
        paired = index % 2 == 1 and index + 1 < len(matrix) - 1
        if not paired:
            results.append(_present(combination(row, values)))
            index += 1
            continue
        other = matrix[index + 1]
        even = combination([(a + b) / 2 for a, b in zip(row, other, strict=True)], values)
        signed = [(a - b) / 2 for a, b in zip(row, other, strict=True)]
        # Its last factor is that of the multiply-adds onto the even part.
        factor = next(coefficient for coefficient in reversed(signed) if coefficient)
        odd = combination([coefficient / factor for coefficient in signed], values)
        results += [
            combination([Fraction(1), sign * factor], [_present(even), _present(odd)]) for sign in (1, -1)
        ]
        index += 2
    return results


def by_column_pairs(matrix: Sequence[Row], values: Sequence[ir.Value]) -> list[ir.Value]:
    """`matrix` times `values`, where columns 1 and 2, 3 and 4, ... agree but for the signs of some rows: the
    sum and the difference of each pair of values are computed once."""
    columns: list[tuple[list[Fraction], ir.Value]] = []
    by_column = list(zip(*matrix, strict=True))
    columns.append((list(by_column[0]), values[0]))
    for index in range(1, len(values) - 1, 2):
        pairs = list(zip(by_column[index], by_column[index + 1], strict=True))
        one, other = values[index], values[index + 1]
        columns.append(([(a + b) / 2 for a, b in pairs], arith.addf(one, other)))
        columns.append(([(a - b) / 2 for a, b in pairs], arith.subf(one, other)))
    columns.append((list(by_column[-1]), values[-1]))
    parts = [value for _, value in columns]
    return [
        _present(combination([column[row] for column, _ in columns], parts)) for row in range(len(matrix))
    ]


def _present(value: ir.Value | None) -> ir.Value:
    assert value is not None, "no row of a transform is zero"
    return value


# Floats of a cache line.
LINE = 16
# Rows and columns of a convolution's kernel.
KERNEL = 3


@rule("winograd_input")
def lower_winograd_input(op: ir.Operation) -> list[ir.Value]:
    """Maps x [N, C/c, H, W, c] to [n*n, N * H/m * W/m, C], with a loop over images, blocks, and rows and
    columns of tiles; in a kernel with the matmul that reads it, a placeholder that `compute_at` expands."""
    winograd_input = graph.WinogradInput(op)
    x, tile = winograd_input.x, winograd_input.tile
    if graph.MatmulPacked.isa(users(winograd_input.result)[0]):
        return [_placeholder(tloop.WinogradInput.NAME, op, tile)]
    size = tile + winograd_input.kernel - 1
    grid, (chunks, lanes) = image_tiles(x, tile), _chunks(x)
    batch = extent_of(x, 0)
    output = empty(static_shape(winograd_input.result), tensor_type(x).element_type)
    loop = scf.ForallOp([0] * 4, [batch, chunks, *grid], [1] * 4, [output])
    with ir.InsertionPoint(loop.body):
        image, chunk, row, column = loop.induction_variables
        transformed = _transform_tile(x, [image, chunk, row, column], tile)
        coordinates = [
            tile_in_grid([image, row, column], grid),
            apply_map(dims(1)[0] * lanes, [chunk]),
        ]
        part = empty([size * size, 1, lanes], tensor_type(x).element_type)
        for index, value in enumerate(transformed):
            part = write(value, part, [index_value(index), index_value(0), index_value(0)], 1)
        insert_in_parallel(loop, part, [0, *coordinates])
    return [loop.results[0]]


def chunk_of(block: int) -> int:
    """Channels of a block that are transformed at a time: six rows of six vectors fill the registers."""
    return LINE if block % LINE == 0 else block


def _chunks(x: ir.Value) -> tuple[int, int]:
    """Chunks of channels of an image [N, C/c, H, W, c], and channels per chunk."""
    _, blocks, _, _, block = tensor_type(x).shape
    lanes = chunk_of(block)
    return blocks * block // lanes, lanes


def _placeholder(name: str, op: ir.Operation, tile: int) -> ir.Value:
    """Builds an op that `compute_at` expands to vector ops in the loop that reads it."""
    [result] = op.results
    _, sizes = static_and_dynamic(static_shape(result))
    attributes, operands = {"tile": i64_attribute(tile)}, [op.operands[0], *sizes]
    placeholder = ir.Operation.create(name, [result.type], operands, attributes)
    return note_shape(placeholder.results[0], static_shape(result))


def image_tiles(image: ir.Value, tile: int) -> Grid:
    """Rows and columns of tiles in an image that a `winograd_input` reads."""
    rows, columns = (count_tiles(extent_of(image, axis), tile, 2) for axis in SPATIAL)
    return rows, columns


def count_tiles(covered: Extent, tile: int, overlap: int = 0) -> Extent:
    """The number of tiles that cover an extent but for `overlap` rows or columns."""
    more = tile - 1 - overlap
    if isinstance(covered, int):
        return (covered + more) // tile
    return apply_map(ir.AffineExpr.get_floor_div(dims(1)[0] + more, tile), [covered])


def transform_strip(
    op: ir.Operation, where: Sequence[ir.Value], strip: Grid, tiles: int, padding: int
) -> ir.Value:
    """Transforms the rows x columns `strip` of tiles at `where` (image, row, column) of a
    `tloop.winograd_input` to [n*n, tiles, C + padding], of at most `tiles`, with a loop over chunks of
    channels, rows and columns."""
    x, tile = tloop.WinogradInput(op).image, tloop.WinogradInput(op).tile
    chunks, lanes = _chunks(x)
    image, first_row, first_column = where
    total = dims(2)[0] + dims(2)[1]

    def one_tile(indices: Sequence[ir.Value], into: ir.Value) -> ir.Value:
        chunk, row, column = indices
        at = [image, chunk, apply_map(total, [first_row, row]), apply_map(total, [first_column, column])]
        # A strip of open columns has one row.
        columns = strip[1] if isinstance(strip[1], int) else 0
        flat_index = apply_map(dims(2)[0] * columns + dims(2)[1], [row, column])
        channel = apply_map(dims(1)[0] * lanes, [chunk])
        for index, value in enumerate(_transform_tile(x, at, tile)):
            into = write(value, into, [index_value(index), flat_index, channel], 1)
        return into

    shape = [(tile + 2) ** 2, tiles, chunks * lanes + padding]
    return nest([chunks, *strip], empty(shape, tensor_type(x).element_type), one_tile)


def nest(
    extents: Sequence[Extent], into: ir.Value, body: Callable[[Sequence[ir.Value], ir.Value], ir.Value]
) -> ir.Value:
    """Sequential loops, the first outermost; `body` maps their indices and the tensor so far to the next."""

    def build(indices: list[ir.Value], current: ir.Value) -> ir.Value:
        if len(indices) == len(extents):
            return body(indices, current)
        loop = scf.ForOp(index_value(0), as_value(extents[len(indices)]), index_value(1), [current])
        with ir.InsertionPoint(loop.body):
            scf.YieldOp([build([*indices, loop.induction_variable], loop.inner_iter_args[0])])
        return loop.results[0]

    return build([], into)


def tile_in_grid(where: Sequence[ir.Value], grid: Grid) -> ir.Value:
    """The index of the tile at (image, row, column) of images with a grid of tiles."""
    rows, columns = grid
    if isinstance(rows, int) and isinstance(columns, int):
        image, row, column = dims(3)
        return apply_map((image * rows + row) * columns + column, where)
    lines = arith.addi(arith.muli(where[0], as_value(rows)), where[1])
    return arith.addi(arith.muli(lines, as_value(columns)), where[2])


def as_value(size: Extent) -> ir.Value:
    """The extent as a value of type index."""
    return index_value(size) if isinstance(size, int) else size


def _transform_tile(x: ir.Value, where: Sequence[ir.Value], tile: int) -> list[ir.Value]:
    """Returns the n * n vectors of `B^T d B`, row by row, of the tile at (image, chunk of channels, row,
    column)."""
    image, chunk, row, column = where
    block_size, (_, lanes) = tensor_type(x).shape[-1], _chunks(x)
    matrix, d0 = input_matrix(tile), dims(1)[0]
    block = apply_map(ir.AffineExpr.get_floor_div(d0, block_size // lanes), [chunk])
    lane = apply_map(ir.AffineExpr.get_mod(d0, block_size // lanes) * lanes, [chunk])
    down, across = (_pixels(x, axis, index, tile) for axis, index in zip(SPATIAL, (row, column), strict=True))
    by_column = [
        by_row_pairs(matrix, [read(x, [image, block, y, at, lane], lanes) for y in down]) for at in across
    ]
    rows = range(tile + 2)
    return [value for index in rows for value in by_row_pairs(matrix, [v[index] for v in by_column])]


def _pixels(x: ir.Value, axis: int, index: ir.Value, tile: int) -> list[ir.Value]:
    """The rows or columns of an image that the tile of that index reads; the last one for those after it."""
    inside = KERNEL if may_exceed(tensor_type(x).shape[axis], tile, KERNEL - 1) else tile + KERNEL - 1
    pixels = [apply_map(dims(1)[0] * tile + offset, [index]) for offset in range(tile + KERNEL - 1)]
    if inside == len(pixels):
        return pixels
    last = arith.subi(as_value(extent_of(x, axis)), index_value(1))
    return [*pixels[:inside], *(arith.minsi(pixel, last) for pixel in pixels[inside:])]


def may_exceed(known: int, tile: int, overlap: int = 0) -> bool:
    """Whether the last tile may reach beyond a dim."""
    return known == UNKNOWN or (known - overlap) % tile != 0


@rule("winograd_output")
def lower_winograd_output(op: ir.Operation) -> list[ir.Value]:
    """Builds a placeholder, which `compute_at` expands in the loop over the tiles of its consumer."""
    return [_placeholder(tloop.WinogradOutput.NAME, op, graph.WinogradOutput(op).tile)]


def result_tile(op: ir.Operation, offsets: Sequence[ir.Value]) -> ir.Value:
    """The index of the tile with the result (image, y, x) of a `tloop.winograd_output`."""
    tile, where = tloop.WinogradOutput(op).tile, list(offsets)
    _, _, height, width, _ = result_extents(op)
    if isinstance(height, int) and isinstance(width, int):
        image, y, x = dims(3)
        row, column = (ir.AffineExpr.get_floor_div(pixel, tile) for pixel in (y, x))
        rows, columns = (count_tiles(size, tile) for size in (height, width))
        return apply_map((image * rows + row) * columns + column, where)
    in_tiles = ir.AffineExpr.get_floor_div(dims(1)[0], tile)
    grid = (count_tiles(height, tile), count_tiles(width, tile))
    return tile_in_grid([where[0], *(apply_map(in_tiles, [pixel]) for pixel in where[1:])], grid)


def result_extents(op: ir.Operation) -> list[Extent]:
    """Returns the dims of the result of a `tloop.winograd_input` or `tloop.winograd_output`, whose operands
    after the first are the dynamic ones."""
    sizes = iter(list(op.operands)[1:])
    return [next(sizes) if size == UNKNOWN else size for size in tensor_type(op.results[0]).shape]


def winograd_output_tile(op: ir.Operation, offsets: Sequence[ir.Value], tile_type: ir.Type) -> ir.Value:
    """Computes the tile [1, 1, m, m, lanes], of type `tile_type`, of a `tloop.winograd_output` at the offsets
    (image, block, row, column, lane) of its result, at the current insertion point."""
    output = tloop.WinogradOutput(op)
    products, tile = output.products, output.tile
    lanes = static_shape(tile_type)[-1]
    image, block, y, x, lane = offsets
    index = result_tile(op, [image, y, x])
    matrix = output_matrix(tile)
    size = len(matrix[0])
    by_column = [
        by_column_pairs(
            matrix,
            [
                read(products, [index_value(row * size + at), index, block, lane], lanes)
                for row in range(size)
            ],
        )
        for at in range(size)
    ]
    element = tensor_type(products).element_type
    whole = ir.VectorType.get([tile, tile, lanes], element)
    zeros = ir.DenseElementsAttr.get_splat(whole, ir.FloatAttr.get(element, 0.0))
    result = arith.ConstantOp(whole, zeros).result
    for row in range(tile):
        for at, value in enumerate(by_column_pairs(matrix, [v[row] for v in by_column])):
            result = vector.InsertOp(value, result, [], [row, at]).result
    target = empty(static_shape(tile_type), element)
    return write(result, target, [index_value(0)] * 5, 3)
