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
    """An ONNX index (negative counts from the end) as a valid position: out-of-range ones are clamped, since
    a kernel must not read outside its buffers whatever the data says."""
    position = arith.index_cast(ir.IndexType.get(), index)
    zero = index_value(0)
    wrapped = select(_compare("slt", position, zero), arith.addi(position, index_value(extent)), position)
    return arith.minsi(arith.maxsi(wrapped, zero), index_value(extent - 1))


def _lie_inside(indices: ir.Value, extent: int | Size) -> bool:
    """Whether indices are constants of the kernel that surely need no bounds."""
    owner = indices.owner
    if isinstance(owner, ir.Block) or owner.name != arith.Constant.NAME:
        return False
    values = np.asarray(ir.DenseIntElementsAttr(arith.Constant(owner).value))
    return bool(np.all(values >= 0)) and always_less(int(np.max(values, initial=-1)), extent)


@rule("gather")
def lower_gather(op: ir.Operation) -> list[ir.Value]:
    """result[before..., places..., after...] = data[before..., indices[places...], after...]."""
    gather = graph.Gather(op)
    data, indices = op.operands
    axis, rank = gather.axis, len(static_shape(gather.indices))
    shape, extents = static_shape(gather.result), static_shape(data)
    count, inside = len(shape), _lie_inside(indices, extents[axis])

    def body(index: ir.Value, _old: ir.Value) -> ir.Value:
        before = [_index(dim) for dim in range(axis)]
        after = [_index(dim) for dim in range(axis + rank, count)]
        place = arith.index_cast(ir.IndexType.get(), index) if inside else bounded_index(index, extents[axis])
        return tensor.extract(data, [*before, place, *after])

    read = affine_map(count, dims(count)[axis : axis + rank])
    output = empty(shape, tensor_type(data).element_type)
    return [generic([indices], [read], output, affine_map(count, dims(count)), body)]


@rule("gather_elements")
def lower_gather_elements(op: ir.Operation) -> list[ir.Value]:
    gather_elements = graph.GatherElements(op)
    data, indices = op.operands
    axis, shape = gather_elements.axis, static_shape(gather_elements.result)
    extents, count = static_shape(gather_elements.data), len(static_shape(gather_elements.result))

    def body(index: ir.Value, _old: ir.Value) -> ir.Value:
        places = [bounded_index(index, extents[axis]) if dim == axis else _index(dim) for dim in range(count)]
        return tensor.extract(data, places)

    identity = affine_map(count, dims(count))
    return [generic([indices], [identity], empty(shape, tensor_type(data).element_type), identity, body)]


@rule("gather_nd")
def lower_gather_nd(op: ir.Operation) -> list[ir.Value]:
    """result[batch..., places..., after...] = data[batch..., indices[batch..., places..., :], after...]."""
    gather_nd = graph.GatherNd(op)
    data, indices = op.operands
    batch, shape, extents = (
        gather_nd.batch_dims,
        static_shape(gather_nd.result),
        static_shape(data),
    )
    *outer, taken = static_shape(indices)
    count = len(shape)

    def body(*scalars: ir.Value) -> ir.Value:
        named = zip(scalars[:-1], extents[batch:], strict=False)
        places = [bounded_index(index, extent) for index, extent in named]
        after = [_index(dim) for dim in range(len(outer), count)]
        return tensor.extract(data, [*(_index(dim) for dim in range(batch)), *places, *after])

    # The indices are an operand for each dim that they name.
    numbers = [ir.AffineExpr.get_constant(place) for place in range(taken)]
    reads = [affine_map(count, [*dims(count)[: len(outer)], number]) for number in numbers]
    output = empty(shape, tensor_type(data).element_type)
    return [generic([indices] * taken, reads, output, affine_map(count, dims(count)), body)]


@rule("trilu")
def lower_trilu(op: ir.Operation) -> list[ir.Value]:
    trilu = graph.Trilu(op)
    upper, k = bool(trilu.upper), trilu.k
    rank = len(static_shape(trilu.result))

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        diagonal = arith.addi(_index(rank - 2), index_value(k))
        kept = _compare("sge" if upper else "sle", _index(rank - 1), diagonal)
        return select(kept, scalars[0], constant(scalars[0].type, 0))

    return [elementwise([trilu.x], trilu.result, body)]
