"""Vectors in other shapes and orders, and of equal numbers."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, vector
from mlc.passes.common.linalg_builders import constant


def transposed(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """Dim i of the result is dim `order[i]` of the vector."""
    if list(order) == sorted(order):
        return value
    shape = [value.type.shape[each] for each in order]
    return vector.TransposeOp(ir.VectorType.get(shape, value.type.element_type), value, list(order)).result


def reshaped(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    if list(value.type.shape) == list(shape):
        return value
    return vector.ShapeCastOp(ir.VectorType.get(list(shape), value.type.element_type), value).result


def splat(kind: ir.VectorType, value: float) -> ir.Value:
    return vector.BroadcastOp(kind, constant(kind.element_type, value)).result


def by_dim(dims: Sequence[int | None]) -> list[int]:
    """The order in which iteration dims follow each other, behind those that are none."""
    return sorted(range(len(dims)), key=lambda each: -1 if (dim := dims[each]) is None else dim)
