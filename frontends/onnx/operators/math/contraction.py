"""MatMul, Gemm and their integer forms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, broadcast
from mlc.frontends.onnx.node import Node, NodeError, check_broadcast
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("MatMul")
def matmul(node: Node) -> Value:
    """Imports MatMul."""
    return multiply(node, node.input(0), node.input(1))


def multiply(node: Node, a: Value, b: Value) -> Value:
    """Returns the matrix product.

    Where it is dynamic whether a batch dim is 1, both operands are broadcast explicitly.
    """
    batches = [operand.shape[:-2] for operand in (a, b)]
    if any(isinstance(dim, Size) for batch in batches for dim in batch) and all(batches):
        rank = max(map(len, batches))
        whole = [(1,) * (rank - len(batch)) + batch for batch in batches]
        joined = [broadcast(*dims) for dims in zip(*whole, strict=True)]
        a, b = (_spread(node, value, joined[rank - value.rank + 2 :]) for value in (a, b))
    return node.emit("matmul", a, b)


def _spread(node: Node, value: Value, batch: Sequence[Dim]) -> Value:
    """Broadcasts the batch dims of a value that are not 1 to `batch`."""
    own = value.shape[:-2]
    kept = [mine if mine == 1 else dim for mine, dim in zip(own, batch, strict=True)]
    return node.expand(value, [*kept, *value.shape[-2:]])


@onnx_operator("Det", since=11)
def det(node: Node) -> Value:
    """Imports Det.

    Floats of 16 bits of dynamic shape are cast to f32 by separate kernels, since nothing is fused with the
    loops of an elimination.
    """
    x = node.input(0)
    if x.is_static or x.onnx_type not in (TensorProto.FLOAT16, TensorProto.BFLOAT16):
        return node.emit("det", x)
    return node.cast(node.emit("det", node.cast(x, TensorProto.FLOAT)), x.onnx_type)


@onnx_operator("Gemm")
def gemm(node: Node) -> Value:
    """Imports Gemm: alpha * op(A) @ op(B) + beta * C.

    A transposed weight stays a transpose of the weight. Raises NodeError for operands that are no matrices.
    """
    a, b, c = node.input(0), node.input(1), node.optional(2)
    for value in (a, b):
        if value.rank != 2:
            raise NodeError(f"input '{value.name}' must be a matrix, but has rank {value.rank}")
    a = transpose_last(node, a) if node.attr("transA", 0) else a
    b = transpose_last(node, b) if node.attr("transB", 0) else b
    product = scale_by(node, node.emit("matmul", a, b), node.attr("alpha", 1.0))
    beta = node.attr("beta", 1.0)
    if c is None or beta == 0.0:
        return product
    check_broadcast(c, product, "input 2")
    return node.emit("add", product, scale_by(node, c, beta))


def transpose_last(node: Node, value: Value) -> Value:
    """Exchanges the last two axes."""
    order = list(range(value.rank))
    order[-2:] = reversed(order[-2:])
    return node.emit("transpose", value, permutation=order)


def scale_by(node: Node, value: Value, factor: float) -> Value:
    """Returns factor * value; integers are scaled as floats and truncated if the factor is not integral."""
    if factor == 1.0:
        return value
    if np.issubdtype(value.dtype, np.integer) and not float(factor).is_integer():
        return node.cast(scale_by(node, node.cast(value, TensorProto.DOUBLE), factor), value.onnx_type)
    return node.emit("mul", value, node.scalar(factor, value))


@onnx_operator("MatMulInteger", since=10)
def matmul_integer(node: Node) -> Value:
    """Imports MatMulInteger."""
    a = subtract_zero_point(node, node.input(0), node.optional(2), -2)
    b = subtract_zero_point(node, node.input(1), node.optional(3), -1)
    return multiply(node, a, b)


def subtract_zero_point(node: Node, value: Value, zero_point: Value | None, axis: int) -> Value:
    """Returns `value` as i32 minus its zero point, which runs along `axis` (from the end) if its rank is
    1."""
    wide = node.cast(value, TensorProto.INT32)
    if zero_point is None:
        return wide
    zero = node.cast(zero_point, TensorProto.INT32)
    if zero.rank == 1 and zero.shape != (1,) and value.rank > 1:
        zero = node.reshape(zero, [*zero.shape, *[1] * (-axis - 1)])
    return node.emit("sub", wide, zero)
