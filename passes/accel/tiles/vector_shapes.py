"""Reshapes, transpositions and splats of vectors."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, vector
from mlc.passes.common.linalg_builders import constant


def transpose_vector(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """Transposes a vector: dim i of the result is dim `order[i]` of the vector."""
    if list(order) == sorted(order):
        return value
    shape = [value.type.shape[dim] for dim in order]
    return vector.TransposeOp(ir.VectorType.get(shape, value.type.element_type), value, list(order)).result


def reshape_vector(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Reshapes a vector; its elements stay in row-major order."""
    if list(value.type.shape) == list(shape):
        return value
    return vector.ShapeCastOp(ir.VectorType.get(list(shape), value.type.element_type), value).result


def splat(vector_type: ir.VectorType, value: float) -> ir.Value:
    """Builds a vector whose elements are all `value`."""
    return vector.BroadcastOp(vector_type, constant(vector_type.element_type, value)).result


def order_by_dim(dims: Sequence[int | None]) -> list[int]:
    """Returns the order that sorts `dims`, iteration dims; entries of None come first."""
    return sorted(range(len(dims)), key=lambda i: -1 if (dim := dims[i]) is None else dim)
