"""Queries, keys, values, masks and the result: where those of a block lie, and how they come into tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir, memref, vector
from mlc.dialects.accel.dialect import SHARED
from mlc.passes.accel.attention.problem import Attention, Tensor
from mlc.passes.accel.attention.sizes import Sizes
from mlc.passes.accel.attention.tiles import index
from mlc.passes.accel.buffers import new_buffer
from mlc.passes.lowering.linalg_tools import affine_map, constant, dims

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class Place:
    """Which part of the result a block computes: the numbers of batch and head, and of its first query."""

    heads: tuple[ir.Value, ...]
    first_query: ir.Value


def matrix_of(memory: ir.Value, tensor: Tensor, heads: Sequence[ir.Value]) -> ir.Value:
    """The rows of one head, as a memref of two dims."""
    rank = len(tensor.order)
    offsets, sizes, starts = [0] * rank, [1] * rank, {}
    for dim, extent in enumerate(tensor.shape):
        at = tensor.order[dim]
        if dim < rank - 2:
            offsets[at], starts[at] = _DYNAMIC, index(0) if extent == 1 else heads[dim]
        else:
            sizes[at] = extent
    kind = ir.MemRefType(memory.type)
    strides, _ = kind.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(
        ir.ShapedType.get_dynamic_stride_or_offset(), [strides[tensor.order[-2]], 1]
    )
    view = ir.MemRefType.get(list(tensor.shape[-2:]), kind.element_type, layout)
    given = [starts[at] for at in sorted(starts)]
    return memref.SubViewOp(view, memory, given, [], [], offsets, sizes, [1] * rank).result


def shared_buffer(rows: int, columns: int, element: ir.Type) -> ir.Value:
    """A matrix in shared memory."""
    kind = ir.MemRefType.get([rows, columns], element, None, ir.Attribute.parse(SHARED))
    return new_buffer(kind)


def copied(
    memory: ir.Value, tensor: Tensor, heads: Sequence[ir.Value], buffer: ir.Value, first_row: ir.Value
) -> ir.Value:
    """Starts to copy rows of one head into a buffer; the token of the copy. It is from the whole memory, as
    hardware copies tiles from, not from a view of it."""
    rank = len(tensor.order)
    starts, box = [index(0)] * rank, [1] * rank
    for dim, extent in enumerate(tensor.shape[:-2]):
        if extent > 1:
            starts[tensor.order[dim]] = heads[dim]
    starts[tensor.order[-2]] = first_row
    for dim, extent in zip(tensor.order[-2:], buffer.type.shape, strict=True):
        box[dim] = extent
    token, attributes = ir.Type.parse("!accel.token"), {"box": ir.DenseI64ArrayAttr.get(box)}
    operands = [memory, buffer, *starts]
    return ir.Operation.create("accel.copy", [token], operands, attributes).results[0]


def wait(*tokens: ir.Value) -> None:
    ir.Operation.create("accel.wait", [], list(tokens))


def read_rows(matrix: ir.Value, first_row: ir.Value, rows: int, columns: int) -> ir.Value:
    """A tile of registers; what lies outside of the matrix is 0."""
    element = matrix.type.element_type
    return vector.TransferReadOp(
        ir.VectorType.get([rows, columns], element),
        matrix,
        [first_row, index(0)],
        _identity(),
        constant(element, 0),
        _in_bounds(matrix, rows, columns),
    ).result


def write_rows(tile: ir.Value, matrix: ir.Value, first_row: ir.Value) -> None:
    """What of a tile lies in the matrix."""
    inside = _in_bounds(matrix, *tile.type.shape)
    vector.TransferWriteOp(None, tile, matrix, [first_row, index(0)], _identity(), inside)


def _identity() -> ir.AffineMapAttr:
    return ir.AffineMapAttr.get(affine_map(2, dims(2)))


def _in_bounds(matrix: ir.Value, rows: int, columns: int) -> ir.ArrayAttr:
    """Tiles begin at multiples of their extents."""
    extents = zip((rows, columns), matrix.type.shape, strict=True)
    return ir.ArrayAttr.get([ir.BoolAttr.get(whole % tile == 0) for tile, whole in extents])


def read_mask(
    attention: Attention, sizes: Sizes, memory: Sequence[ir.Value], place: Place, first_key: ir.Value
) -> ir.Value:
    """The mask of a tile of scores, along which it may be broadcast."""
    mask = attention.mask
    assert mask is not None, "only asked for where there is one"
    rank, count = len(mask.shape), len(attention.leading) + 2
    starts = [*place.heads, place.first_query, first_key][count - rank :]
    indices = [index(0)] * rank
    results = [ir.AffineExpr.get_constant(0), ir.AffineExpr.get_constant(0)]
    inside = [True, True]
    tile = (sizes.queries, sizes.keys)
    for dim, (extent, start) in enumerate(zip(mask.shape, starts, strict=True)):
        if extent == 1:
            continue
        indices[mask.order[dim]] = start
        if (row_or_column := dim - (rank - 2)) >= 0:
            results[row_or_column] = ir.AffineExpr.get_dim(mask.order[dim])
            inside[row_or_column] = extent % tile[row_or_column] == 0
    return vector.TransferReadOp(
        ir.VectorType.get(list(tile), mask.element),
        memory[mask.buffer],
        indices,
        ir.AffineMapAttr.get(affine_map(rank, results)),
        constant(mask.element, 0),
        ir.ArrayAttr.get([ir.BoolAttr.get(each) for each in inside]),
    ).result
