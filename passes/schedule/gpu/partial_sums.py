"""One reduction as two: many partial results side by side, and what joins them."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, tensor
from mlc.passes.common.cloning import clone_body
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.linalg_builders import affine_map, dims, filled, generic, is_float
from mlc.passes.common.rewriting import replace_op


def split_sum(computation: Computation, factor: int, place: int) -> tuple[Computation, Computation]:
    """Replaces a sum over one dim, the last one: partial results number i are the sums of terms i, i +
    factor, and so on. They lie along dim `place` of the first computation's result; the second one adds them.

    `factor` must divide the dim, and inputs that have it must be indexed by it alone.
    """
    op, parallel = computation.op, computation.maps[-1].n_dims - 1
    kind = ir.RankedTensorType(computation.result.type)
    shape = [*kind.shape[:place], factor, *kind.shape[place:]]
    with ir.InsertionPoint(op), op.location:
        inputs = [
            _expanded(value, access, parallel, factor)
            for value, access in zip(computation.inputs, computation.maps, strict=False)
        ]
        maps = [_split_map(access, parallel, place) for access in computation.maps[:-1]]
        every = dims(parallel + 2)
        partial = generic(
            inputs,
            maps,
            filled(shape, kind.element_type, 0),
            affine_map(parallel + 2, every[:-1]),
            lambda *scalars: _cloned(op, scalars),
            reductions=[parallel + 1],
        )
        kept = [each for at, each in enumerate(every[:-1]) if at != place]
        whole = generic(
            [partial],
            [affine_map(parallel + 1, every[:-1])],
            computation.init,
            affine_map(parallel + 1, kept),
            _add,
            reductions=[place],
        )
    replace_op(op, whole)
    return Computation(partial.owner.operation), Computation(whole.owner.operation)


def _add(new: ir.Value, old: ir.Value) -> ir.Value:
    return arith.addf(old, new) if is_float(old.type) else arith.addi(old, new)


def _expanded(value: ir.Value, access: ir.AffineMap, reduced: int, factor: int) -> ir.Value:
    """An input with the dim that is reduced as two."""
    kind = ir.RankedTensorType(value.type)
    groups: list[list[int]] = []
    shape: list[int] = []
    for extent, result in zip(kind.shape, access.results, strict=True):
        parts = [extent // factor, factor] if dim_position(result) == reduced else [extent]
        groups.append(list(range(len(shape), len(shape) + len(parts))))
        shape += parts
    result_type = ir.RankedTensorType.get(shape, kind.element_type)
    return tensor.ExpandShapeOp(result_type, value, groups, [], shape).result


def _split_map(access: ir.AffineMap, reduced: int, place: int) -> ir.AffineMap:
    """The iteration dims with a new one at `place`, which is part of the last one."""
    every = dims(reduced + 2)
    renamed = [*every[:place], *every[place + 1 : reduced + 1]]
    results: list[ir.AffineExpr] = []
    for result in access.results:
        dim = dim_position(result)
        if dim == reduced:
            results += [every[reduced + 1], every[place]]
        else:
            results.append(result if dim is None else renamed[dim])
    return affine_map(reduced + 2, results)


def _cloned(op: ir.Operation, scalars: Sequence[ir.Value]) -> ir.Value:
    """The computation's body on other scalars, at the current insertion point."""
    body = op.regions[0].blocks[0]
    return clone_body(body, dict(zip(body.arguments, scalars, strict=True)))[0]
