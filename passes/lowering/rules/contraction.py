"""Matmuls as `linalg.generic` with the reduction dim last (any other order vectorises as dot products)."""

from __future__ import annotations

from mlc.bindings import arith, ir
from mlc.dialects import graph
from mlc.passes.common.linalg_builders import (
    affine_map,
    dims,
    full_tensor,
    generic,
    is_float,
    static_shape,
    tensor_type,
)
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, mul


def multiply_add(x: ir.Value, y: ir.Value, accumulator: ir.Value) -> ir.Value:
    """The body of every contraction."""
    return add(accumulator, mul(x, y))


def multiply_add_wide(x: ir.Value, y: ir.Value, accumulator: ir.Value) -> ir.Value:
    """Like `multiply_add`, for integer operands narrower than the accumulator."""
    element = accumulator.type
    if x.type == element or is_float(element):
        return multiply_add(x, y, accumulator)
    return add(accumulator, mul(arith.extsi(element, x), arith.extsi(element, y)))


def read_through_transpose(value: ir.Value) -> tuple[ir.Value, list[int]]:
    """Returns a source and a permutation: dim `i` of `value` is dim `permutation[i]` of the source.

    A contraction reads its operand in any order, so a transpose before it costs nothing.
    """
    transpose = graph.Transpose.defining(value)
    if transpose is not None:
        return transpose.x, list(transpose.permutation)
    return value, list(range(len(static_shape(value))))


def permute_results(results: list[ir.AffineExpr], permutation: list[int]) -> list[ir.AffineExpr]:
    """Returns the map results for the source of a transpose, given those for its result."""
    source: list[ir.AffineExpr | None] = [None] * len(results)
    for axis, source_axis in enumerate(permutation):
        source[source_axis] = results[axis]
    return [result for result in source if result is not None]


def _batch_exprs(shape: list[int], batch: list[int]) -> list[ir.AffineExpr]:
    """Returns the indices along an operand's batch dims by the broadcast batch dims of the result."""
    offset = len(batch) - len(shape)
    zero = ir.AffineExpr.get_constant(0)
    return [
        zero if extent == 1 and batch[offset + axis] != 1 else ir.AffineExpr.get_dim(offset + axis)
        for axis, extent in enumerate(shape)
    ]


@rule("matmul")
def lower_matmul(op: ir.Operation) -> list[ir.Value]:
    """Iteration space: batch dims, m, n (as far as the operands have them), then k."""
    matmul = graph.Matmul(op)
    a_shape, b_shape = static_shape(matmul.a), static_shape(matmul.b)
    result = static_shape(matmul.result)
    has_m, has_n = len(a_shape) > 1, len(b_shape) > 1
    count = len(result) + 1
    batch = result[: len(result) - has_m - has_n]
    all_dims = dims(count)
    m, n, k = all_dims[len(batch)], all_dims[count - 2], all_dims[count - 1]
    a_read = [*_batch_exprs(a_shape[:-2], batch), m, k] if has_m else [k]
    b_read = [*_batch_exprs(b_shape[:-2], batch), k, n] if has_n else [k]
    (a, a_order), (b, b_order) = (
        read_through_transpose(matmul.a),
        read_through_transpose(matmul.b),
    )
    initial = full_tensor(result, tensor_type(matmul.result).element_type, 0)
    product = generic(
        [a, b],
        [
            affine_map(count, permute_results(a_read, a_order)),
            affine_map(count, permute_results(b_read, b_order)),
        ],
        initial,
        affine_map(count, all_dims[: count - 1]),
        multiply_add_wide,
        reductions=[count - 1],
    )
    return [product]


@rule("matmul_packed")
def lower_matmul_packed(op: ir.Operation) -> list[ir.Value]:
    """Maps a [..., M, K], b [[B], N/t, K, t] to [..., M, N/t, t]. Iteration space: result's dims, then k."""
    matmul_packed = graph.MatmulPacked(op)
    result = static_shape(matmul_packed.result)
    count = len(result) + 1
    all_dims = dims(count)
    rows, panel, lane, k = (
        all_dims[: count - 3],
        all_dims[count - 3],
        all_dims[count - 2],
        all_dims[count - 1],
    )
    batch = rows[:1] if len(static_shape(matmul_packed.b)) == 4 else []
    a, order = read_through_transpose(matmul_packed.a)
    product = generic(
        [a, matmul_packed.b],
        [affine_map(count, permute_results([*rows, k], order)), affine_map(count, [*batch, panel, k, lane])],
        full_tensor(result, tensor_type(matmul_packed.result).element_type, 0),
        affine_map(count, all_dims[: count - 1]),
        multiply_add_wide,
        reductions=[count - 1],
    )
    return [product]
