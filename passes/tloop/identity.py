"""Computations that copy: elementwise roots whose tiles drive what has none."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.lowering.linalg_tools import affine_map, dims, empty, generic
from mlc.passes.tloop.computation import Computation


def identity_behind(value: ir.Value) -> Computation:
    """A computation that copies `value`, for all that reads it, and drives the tiling of what computes it."""
    kind = ir.RankedTensorType(value.type)
    identity = affine_map(kind.rank, dims(kind.rank))
    owner = value.owner.operation
    with ir.InsertionPoint.after(owner), owner.location:
        output = empty(list(kind.shape), kind.element_type)
        copy = generic([value], [identity], output, identity, lambda new, _old: new)
    value.replace_all_uses_except(copy, [copy.owner.operation])
    return Computation(copy.owner.operation)
