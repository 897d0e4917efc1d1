"""Parts of tensors along one axis, where only running tells how long they are."""

from __future__ import annotations

from mlc.bindings import affine, ir, tensor
from mlc.passes.common.vector_builders import index_constant


def size_of(value: ir.Value, axis: int) -> ir.Value:
    """A dim of a tensor as a value."""
    return tensor.DimOp(value, index_constant(axis)).result


def size_like(value: ir.Value, axis: int, size: int) -> int | ir.Value:
    """A size of a shape that is `value`'s but for some numbers."""
    return size_of(value, axis) if size == ir.ShapedType.get_dynamic_size() else size


def least(most: int, end: ir.Value, place: ir.Value) -> ir.Value:
    """How much there is from `place` to `end`, at most `most`."""
    rest = ir.AffineExpr.get_symbol(0) - ir.AffineExpr.get_dim(0)
    least = ir.AffineMap.get(1, 1, [rest, ir.AffineExpr.get_constant(most)])
    return affine.AffineMinOp(least, [place, end]).result


def part_of(value: ir.Value, axis: int, place: ir.Value, size: ir.Value) -> ir.Value:
    """`size` elements of a tensor from `place` on along one axis, all of the others."""
    kind, dynamic = ir.RankedTensorType(value.type), ir.ShapedType.get_dynamic_size()
    shape = [dynamic if at == axis else extent for at, extent in enumerate(kind.shape)]
    sizes = [size if at == axis else size_of(value, at) for at, each in enumerate(shape) if each == dynamic]
    offsets = [dynamic if at == axis else 0 for at in range(kind.rank)]
    result = ir.RankedTensorType.get(shape, kind.element_type)
    ones = [1] * kind.rank
    return tensor.ExtractSliceOp(result, value, [place], sizes, [], offsets, shape, ones).result


def insert_first(source: ir.Value, into: ir.Value, axis: int, size: ir.Value) -> ir.Value:
    """`into` with `source`, which has `size` elements along one axis, in its first elements."""
    kind, dynamic = ir.RankedTensorType(source.type), ir.ShapedType.get_dynamic_size()
    sizes = [
        size if at == axis else size_of(source, at) for at, each in enumerate(kind.shape) if each == dynamic
    ]
    shape, zeros, ones = list(kind.shape), [0] * kind.rank, [1] * kind.rank
    return tensor.InsertSliceOp(source, into, [], sizes, [], zeros, shape, ones).result
