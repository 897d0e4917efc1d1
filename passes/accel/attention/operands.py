"""Queries, keys, values, masks and the result: where those of a block lie, and how they come into tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir, vector
from mlc.dialects import accel
from mlc.passes.accel.attention.problem import Attention, AttentionTensor
from mlc.passes.accel.attention.sizes import AttentionTileSizes
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.linalg_builders import affine_map, constant


@dataclass(frozen=True)
class QueryTileIndex:
    """Which part of the result a block computes: the numbers of batch and head, and of its first query."""

    heads: tuple[ir.Value, ...]
    first_query: ir.Value


def copied(
    memory: ir.Value,
    tensor: AttentionTensor,
    heads: Sequence[ir.Value],
    buffer: ir.Value,
    first_row: ir.Value,
) -> ir.Value:
    """Starts to copy rows of one head into a buffer; the token of the copy. It is from the whole memory, as
    hardware copies tiles from, not from a view of it."""
    box = [1] * len(tensor.order)
    for dim, extent in zip(tensor.order[-2:], buffer.type.shape, strict=True):
        box[dim] = extent
    token, attributes = ir.Type.parse("!accel.token"), {"box": ir.DenseI64ArrayAttr.get(box)}
    operands = [memory, buffer, *_starts(tensor, heads, first_row)]
    return ir.Operation.create(accel.Copy.NAME, [token], operands, attributes).results[0]


def _starts(tensor: AttentionTensor, heads: Sequence[ir.Value], first_row: ir.Value) -> list[ir.Value]:
    """Where rows of one head begin in the memory."""
    starts = [index(0)] * len(tensor.order)
    for dim, extent in enumerate(tensor.shape[:-2]):
        if extent > 1:
            starts[tensor.order[dim]] = heads[dim]
    starts[tensor.order[-2]] = first_row
    return starts


def wait(*tokens: ir.Value) -> None:
    ir.Operation.create(accel.Wait.NAME, [], list(tokens))


def read_rows(
    memory: ir.Value,
    tensor: AttentionTensor,
    heads: Sequence[ir.Value],
    first_row: ir.Value,
    shape: Sequence[int],
) -> ir.Value:
    """Rows of one head as a tile of registers of this shape; what lies outside of the memory is 0."""
    kind = ir.VectorType.get(list(shape), tensor.element)
    places, inside = _access(tensor, shape)
    starts = _starts(tensor, heads, first_row)
    nothing = constant(tensor.element, 0)
    return vector.TransferReadOp(kind, memory, starts, places, nothing, inside).result


def write_rows(
    tile: ir.Value, memory: ir.Value, tensor: AttentionTensor, heads: Sequence[ir.Value], first_row: ir.Value
) -> None:
    """What of a tile lies in the memory, as rows of one head: of the whole memory, as hardware copies tiles
    to."""
    places, inside = _access(tensor, tile.type.shape)
    vector.TransferWriteOp(None, tile, memory, _starts(tensor, heads, first_row), places, inside)


def _access(tensor: AttentionTensor, tile: Sequence[int]) -> tuple[ir.AffineMapAttr, ir.ArrayAttr]:
    """Along which dims of the memory a tile of rows lies, and whether all of it does: it begins at a multiple
    of its extents."""
    along = [ir.AffineExpr.get_dim(dim) for dim in tensor.order[-2:]]
    extents = zip(tile, tensor.shape[-2:], strict=True)
    inside = [ir.BoolAttr.get(whole % part == 0) for part, whole in extents]
    return ir.AffineMapAttr.get(affine_map(len(tensor.order), along)), ir.ArrayAttr.get(inside)


def read_mask(
    attention: Attention,
    sizes: AttentionTileSizes,
    memory: Sequence[ir.Value],
    place: QueryTileIndex,
    first_key: ir.Value,
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
