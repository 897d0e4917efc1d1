"""Loads and stores of the tiles of queries, keys, values, masks and results of a thread block."""

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
    """The part of the result that a thread block computes: indices of batch and head, and of its first
    query."""

    heads: tuple[ir.Value, ...]
    first_query: ir.Value


def copy_rows(
    memory: ir.Value,
    tensor: AttentionTensor,
    heads: Sequence[ir.Value],
    buffer: ir.Value,
    first_row: ir.Value,
) -> ir.Value:
    """Starts to copy rows of one head into a buffer and returns the token. The source is the whole memory,
    not a view of it, as tensor maps require."""
    box = [1] * len(tensor.order)
    for dim, extent in zip(tensor.order[-2:], buffer.type.shape, strict=True):
        box[dim] = extent
    token, attributes = ir.Type.parse("!accel.token"), {"box": ir.DenseI64ArrayAttr.get(box)}
    operands = [memory, buffer, *_starts(tensor, heads, first_row)]
    return ir.Operation.create(accel.Copy.NAME, [token], operands, attributes).result


def _starts(tensor: AttentionTensor, heads: Sequence[ir.Value], first_row: ir.Value) -> list[ir.Value]:
    """Returns the coordinates of rows of one head in the memory."""
    starts = [index(0)] * len(tensor.order)
    for dim, extent in enumerate(tensor.shape[:-2]):
        if extent > 1:
            starts[tensor.order[dim]] = heads[dim]
    starts[tensor.order[-2]] = first_row
    return starts


def wait(*tokens: ir.Value) -> None:
    """Builds an `accel.wait` for the copies of `tokens`."""
    ir.Operation.create(accel.Wait.NAME, [], list(tokens))


def read_rows(
    memory: ir.Value,
    tensor: AttentionTensor,
    heads: Sequence[ir.Value],
    first_row: ir.Value,
    shape: Sequence[int],
) -> ir.Value:
    """Loads rows of one head as a vector of this shape; elements out of bounds are 0."""
    tile = ir.VectorType.get(list(shape), tensor.element)
    access, in_bounds = _access(tensor, shape)
    starts = _starts(tensor, heads, first_row)
    zero = constant(tensor.element, 0)
    return vector.TransferReadOp(tile, memory, starts, access, zero, in_bounds).result


def write_rows(
    tile: ir.Value, memory: ir.Value, tensor: AttentionTensor, heads: Sequence[ir.Value], first_row: ir.Value
) -> None:
    """Stores the elements of a tile that are within bounds as rows of one head. The destination is the whole
    memory, not a view of it, as tensor maps require."""
    access, in_bounds = _access(tensor, tile.type.shape)
    vector.TransferWriteOp(None, tile, memory, _starts(tensor, heads, first_row), access, in_bounds)


def _access(tensor: AttentionTensor, tile: Sequence[int]) -> tuple[ir.AffineMapAttr, ir.ArrayAttr]:
    """Returns the permutation map of a tile of rows, and its `in_bounds`; tiles begin at multiples of their
    extents."""
    dims = [ir.AffineExpr.get_dim(dim) for dim in tensor.order[-2:]]
    extents = zip(tile, tensor.shape[-2:], strict=True)
    in_bounds = [ir.BoolAttr.get(whole % part == 0) for part, whole in extents]
    return ir.AffineMapAttr.get(affine_map(len(tensor.order), dims)), ir.ArrayAttr.get(in_bounds)


def read_mask(
    attention: Attention,
    sizes: AttentionTileSizes,
    memory: Sequence[ir.Value],
    query_tile: QueryTileIndex,
    first_key: ir.Value,
) -> ir.Value:
    """Loads the mask of a tile of scores, broadcast along dims of extent 1."""
    mask = attention.mask
    assert mask is not None, "only asked for where there is one"
    rank, count = len(mask.shape), len(attention.leading) + 2
    starts = [*query_tile.heads, query_tile.first_query, first_key][count - rank :]
    indices = [index(0)] * rank
    results = [ir.AffineExpr.get_constant(0), ir.AffineExpr.get_constant(0)]
    in_bounds = [True, True]
    tile = (sizes.queries, sizes.keys)
    for dim, (extent, start) in enumerate(zip(mask.shape, starts, strict=True)):
        if extent == 1:
            continue
        indices[mask.order[dim]] = start
        if (row_or_column := dim - (rank - 2)) >= 0:
            results[row_or_column] = ir.AffineExpr.get_dim(mask.order[dim])
            in_bounds[row_or_column] = extent % tile[row_or_column] == 0
    return vector.TransferReadOp(
        ir.VectorType.get(list(tile), mask.element),
        memory[mask.buffer],
        indices,
        ir.AffineMapAttr.get(affine_map(rank, results)),
        constant(mask.element, 0),
        ir.ArrayAttr.get([ir.BoolAttr.get(flag) for flag in in_bounds]),
    ).result
