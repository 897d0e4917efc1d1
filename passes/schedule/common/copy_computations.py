"""Computations that copy: elementwise roots whose tiles drive the tiling of other ops."""

from __future__ import annotations

from mlc.bindings import ir, tensor
from mlc.passes.common.computation import Computation
from mlc.passes.common.linalg_builders import affine_map, constant, dims, extent_of, generic


def insert_copy(value: ir.Value, lasting: bool = False) -> Computation:
    """Inserts a computation that copies `value` for its users, and drives the tiling of the op that computes
    it.

    A lasting one has an operand that it does not read: canonicalisation removes mere copies, to which later
    steps of a schedule may refer.
    """
    type_ = ir.RankedTensorType(value.type)
    identity = affine_map(type_.rank, dims(type_.rank))
    owner = value.owner.operation
    with ir.InsertionPoint.after(owner), owner.location:
        sizes = [extent_of(value, axis) for axis in range(type_.rank)]
        output = tensor.EmptyOp(sizes, type_.element_type).result
        unread = [constant(type_.element_type, 0)] if lasting else []
        maps = [identity, *(affine_map(type_.rank, []) for _ in unread)]
        copy = generic([value, *unread], maps, output, identity, lambda new, *_others: new)
    size_ops = [size.owner.operation for size in sizes if isinstance(size, ir.Value)]
    value.replace_all_uses_except(copy, [copy.owner.operation, *size_ops])
    return Computation(copy.owner.operation)
