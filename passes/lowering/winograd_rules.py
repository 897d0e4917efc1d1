"""Winograd's transforms as vector ops on one block of channels of one tile per iteration."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import affine, arith, ir, scf, tensor, vector
from mlc.passes.graph.winograd_matrices import input_matrix, output_matrix
from mlc.passes.lowering.linalg_tools import affine_map, constant, dims, empty, static_shape, tensor_type
from mlc.passes.lowering.rule import rule
from mlc.passes.lowering.vector_sums import by_column_pairs, by_row_pairs


def _index(value: int) -> ir.Value:
    return constant(ir.IndexType.get(), value)


def _apply(expression: ir.AffineExpr, operands: Sequence[ir.Value]) -> ir.Value:
    return affine.AffineApplyOp(affine_map(len(operands), [expression]), list(operands)).result


def _innermost(rank: int) -> ir.AffineMap:
    """Reads or writes along the last dim."""
    return affine_map(rank, dims(rank)[-1:])


def _read(source: ir.Value, indices: Sequence[ir.Value], lanes: int) -> ir.Value:
    """`lanes` elements of the last dim."""
    kind = tensor_type(source)
    padding = constant(kind.element_type, 0)
    vector_type = ir.VectorType.get([lanes], kind.element_type)
    places = ir.AffineMapAttr.get(_innermost(kind.rank))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)])
    return vector.TransferReadOp(vector_type, source, list(indices), places, padding, inside).result


def _write(value: ir.Value, into: ir.Value, indices: Sequence[ir.Value], rank: int) -> ir.Value:
    """`into` with a vector of the last `rank` dims written at the indices."""
    count = tensor_type(into).rank
    places = ir.AffineMapAttr.get(affine_map(count, dims(count)[count - rank :]))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * rank)
    return vector.TransferWriteOp(into.type, value, into, list(indices), places, inside).result


@rule("winograd_input")
def lower_winograd_input(op: ir.Operation) -> list[ir.Value]:
    """x [N, C/c, H, W, c] -> [n*n, N * H/m * W/m, C], with a loop over images, blocks, and rows and columns
    of tiles."""
    x, tile = op.operands[0], op.attributes["tile"].value
    size = tile + op.attributes["kernel"].value - 1
    batch, blocks, height, width, lanes = static_shape(x)
    rows, columns = (height - size) // tile + 1, (width - size) // tile + 1
    output = empty(static_shape(op.results[0].type), tensor_type(x).element_type)
    loop = scf.ForallOp([0] * 4, [batch, blocks, rows, columns], [1] * 4, [output])
    with ir.InsertionPoint(loop.body):
        image, block, row, column = loop.induction_variables
        transformed = _transformed_tile(x, [image, block, row, column], tile, size, lanes)
        place = [
            _apply(_tile_number(rows, columns), [image, row, column]),
            _apply(dims(1)[0] * lanes, [block]),
        ]
        slice_kind = ir.RankedTensorType.get([size * size, 1, lanes], tensor_type(x).element_type)
        part = empty(list(slice_kind.shape), slice_kind.element_type)
        for index, value in enumerate(transformed):
            part = _write(value, part, [_index(index), _index(0), _index(0)], 1)
        _insert_in_parallel(loop, part, place)
    return [loop.results[0]]


def _tile_number(rows: int, columns: int) -> ir.AffineExpr:
    image, row, column = dims(3)
    return (image * rows + row) * columns + column


def _transformed_tile(
    x: ir.Value, where: Sequence[ir.Value], tile: int, size: int, lanes: int
) -> list[ir.Value]:
    """The n * n vectors of `B^T d B`, row by row."""
    image, block, row, column = where
    matrix, place = input_matrix(tile), dims(1)[0]
    down = [_apply(place * tile + offset, [row]) for offset in range(size)]
    across = [_apply(place * tile + offset, [column]) for offset in range(size)]
    by_column = [
        by_row_pairs(matrix, [_read(x, [image, block, y, at, _index(0)], lanes) for y in down])
        for at in across
    ]
    return [value for index in range(size) for value in by_row_pairs(matrix, [v[index] for v in by_column])]


def _insert_in_parallel(loop: scf.ForallOp, part: ir.Value, place: Sequence[ir.Value]) -> None:
    """Ends the loop: `part` [n*n, 1, c] goes to `[0, *place]` of the loop's result."""
    static = ir.ShapedType.get_dynamic_size()
    sizes = static_shape(part)
    terminator = loop.terminator()
    block = terminator.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        tensor.ParallelInsertSliceOp(
            part, loop.inner_iter_args[0], list(place), [], [], [0, static, static], sizes, [1, 1, 1]
        )


@rule("winograd_output")
def lower_winograd_output(op: ir.Operation) -> list[ir.Value]:
    """A placeholder, which `compute_at` turns into vector ops in the loop over the tiles of what reads it."""
    made = ir.Operation.create(
        "tloop.winograd_output", [op.results[0].type], list(op.operands), {"tile": op.attributes["tile"]}
    )
    return [made.results[0]]


def winograd_output_tile(op: ir.Operation, offsets: Sequence[ir.Value], kind: ir.Type) -> ir.Value:
    """The tile [1, 1, m, m, k], as a tensor of type `kind`, of a `tloop.winograd_output` at the offsets
    (image, block, row, column) of its result, at the current insertion point."""
    products, tile = op.operands[0], op.attributes["tile"].value
    _, _, height, width, lanes = static_shape(op.results[0].type)
    image, block, y, x = offsets
    d0, d1, d2 = dims(3)
    row, column = (ir.AffineExpr.get_floor_div(each, tile) for each in (d1, d2))
    number = (d0 * (height // tile) + row) * (width // tile) + column
    place = _apply(number, [image, y, x])
    matrix = output_matrix(tile)
    size = len(matrix[0])
    by_column = [
        by_column_pairs(
            matrix,
            [
                _read(products, [_index(row * size + at), place, block, _index(0)], lanes)
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
    target = empty(static_shape(kind), element)
    return _write(result, target, [_index(0)] * 5, 3)
