"""Ops whose elements depend on their index or on indices held in a tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.bindings import arith, ir, linalg, tensor
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size, always_less
from mlc.passes.common.linalg_builders import (
    affine_map,
    constant,
    dims,
    elementwise,
    empty,
    generic,
    index_value,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import select


def _index(dim: int) -> ir.Value:
    return linalg.IndexOp(dim).result


def _compare(predicate: str, a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.cmpi(getattr(arith.CmpIPredicate, predicate), a, b)


def bounded_index(index: ir.Value, extent: int) -> ir.Value:
    """Converts an ONNX index (negative ones count from the end) to a valid position. Out-of-range indices are
    clamped: a kernel must not read outside its buffers, whatever the data is."""
    position = arith.index_cast(ir.IndexType.get(), index)
    zero = index_value(0)
    wrapped = select(_compare("slt", position, zero), arith.addi(position, index_value(extent)), position)
    return arith.minsi(arith.maxsi(wrapped, zero), index_value(extent - 1))


def _are_in_bounds(indices: ir.Value, extent: int | Size) -> bool:
    """Whether the indices are constants of the kernel that are always in `[0, extent)`."""
    defining = arith.Constant.defining(indices)
    if defining is None:
        return False
    values = np.asarray(ir.DenseIntElementsAttr(defining.value))
    return bool(np.all(values >= 0)) and always_less(int(np.max(values, initial=-1)), extent)


@rule("gather")
def lower_gather(op: ir.Operation) -> list[ir.Value]:
    """Assigns `result[before..., i..., after...] = data[before..., indices[i...], after...]`."""
    gather = graph.Gather(op)
    data, indices = gather.data, gather.indices
    axis, rank = gather.axis, len(static_shape(indices))
    shape, extents = static_shape(gather.result), static_shape(data)
    count, inside = len(shape), _are_in_bounds(indices, extents[axis])

    def body(index: ir.Value, _old: ir.Value) -> ir.Value:
        before = [_index(dim) for dim in range(axis)]
        after = [_index(dim) for dim in range(axis + rank, count)]
        position = (
            arith.index_cast(ir.IndexType.get(), index) if inside else bounded_index(index, extents[axis])
        )
        return tensor.extract(data, [*before, position, *after])

    read = affine_map(count, dims(count)[axis : axis + rank])
    output = empty(shape, tensor_type(data).element_type)
    return [generic([indices], [read], output, affine_map(count, dims(count)), body)]


@rule("gather_elements")
def lower_gather_elements(op: ir.Operation) -> list[ir.Value]:
    """Assigns `result[i...] = data[..., indices[i...], ...]`, where the index replaces `i[axis]`."""
    gather = graph.GatherElements(op)
    data, indices, axis = gather.data, gather.indices, gather.axis
    shape, extents = static_shape(gather.result), static_shape(data)
    count = len(shape)

    def body(index: ir.Value, _old: ir.Value) -> ir.Value:
        source = [bounded_index(index, extents[axis]) if dim == axis else _index(dim) for dim in range(count)]
        return tensor.extract(data, source)

    identity = affine_map(count, dims(count))
    return [generic([indices], [identity], empty(shape, tensor_type(data).element_type), identity, body)]


@rule("gather_nd")
def lower_gather_nd(op: ir.Operation) -> list[ir.Value]:
    """Assigns `result[batch..., i..., after...] = data[batch..., indices[batch..., i..., :], after...]`."""
    gather = graph.GatherNd(op)
    data, indices, batch = gather.data, gather.indices, gather.batch_dims
    shape, extents = static_shape(gather.result), static_shape(data)
    *outer, indexed = static_shape(indices)
    count = len(shape)

    def body(*scalars: ir.Value) -> ir.Value:
        pairs = zip(scalars[:-1], extents[batch:], strict=False)
        inner = [bounded_index(index, extent) for index, extent in pairs]
        after = [_index(dim) for dim in range(len(outer), count)]
        return tensor.extract(data, [*(_index(dim) for dim in range(batch)), *inner, *after])

    # The indices are an operand for each dim of the data that they index.
    columns = [ir.AffineExpr.get_constant(dim) for dim in range(indexed)]
    reads = [affine_map(count, [*dims(count)[: len(outer)], column]) for column in columns]
    output = empty(shape, tensor_type(data).element_type)
    return [generic([indices] * indexed, reads, output, affine_map(count, dims(count)), body)]


@rule("trilu")
def lower_trilu(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.trilu` to a `linalg.generic` that replaces one side of diagonal k by 0."""
    trilu = graph.Trilu(op)
    upper, k = bool(trilu.upper), trilu.k
    rank = len(static_shape(trilu.result))

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        diagonal = arith.addi(_index(rank - 2), index_value(k))
        kept = _compare("sge" if upper else "sle", _index(rank - 1), diagonal)
        return select(kept, scalars[0], constant(scalars[0].type, 0))

    return [elementwise([trilu.x], trilu.result, body)]
