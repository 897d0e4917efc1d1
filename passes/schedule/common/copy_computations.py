"""Computations that copy: elementwise roots whose tiles drive what has none."""

from __future__ import annotations

from mlc.bindings import ir, tensor
from mlc.passes.common.computation import Computation
from mlc.passes.common.constants import index_constant
from mlc.passes.common.linalg_builders import affine_map, constant, dims, generic


def identity_behind(value: ir.Value, lasting: bool = False) -> Computation:
    """A computation that copies `value`, for all that reads it, and drives the tiling of what computes it.

    A lasting one has an operand that it does not read: canonicalisation takes away what only copies, and
    with it what later steps of a schedule work on.
    """
    kind = ir.RankedTensorType(value.type)
    identity = affine_map(kind.rank, dims(kind.rank))
    owner = value.owner.operation
    with ir.InsertionPoint.after(owner), owner.location:
        sizes = [_size(value, axis) for axis in range(kind.rank)]
        output = tensor.EmptyOp(sizes, kind.element_type).result
        unread = [constant(kind.element_type, 0)] if lasting else []
        maps = [identity, *(affine_map(kind.rank, []) for _ in unread)]
        copy = generic([value, *unread], maps, output, identity, lambda new, *_others: new)
    asking = [size.owner.operation for size in sizes if isinstance(size, ir.Value)]
    value.replace_all_uses_except(copy, [copy.owner.operation, *asking])
    return Computation(copy.owner.operation)


def _size(value: ir.Value, axis: int) -> int | ir.Value:
    """The size of a dim, which only running may tell."""
    kind = ir.RankedTensorType(value.type)
    if not kind.is_dynamic_dim(axis):
        return kind.shape[axis]
    return tensor.DimOp(value, index_constant(axis)).result
