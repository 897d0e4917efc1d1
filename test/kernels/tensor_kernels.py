"""Tensor expressions that several tests use."""

from __future__ import annotations

from typing import Any

from mlc.kernels import (
    Tensor,
    axis,
    compute,
    dims,
    exp,
    expression,
    f32,
    i1,
    i32,
    max,
    min,
    prod,
    sum,
    tanh,
    where,
)

M, N, K = dims("M N K")


def matmul_of(element: Any) -> Any:
    """Returns a kernel of products of matrices of `element`."""

    @expression
    def matmul(a: Tensor[element, M, K], b: Tensor[element, K, N]) -> Any:
        k = axis(K)
        return compute((M, N), lambda i, j: sum(a[i, k] * b[k, j], k), name="product")

    return matmul


@expression
def convolution(x: Tensor[f32, M, N], w: Tensor[f32, 3, 3], bias: Tensor[f32, 1]) -> Any:
    """A reduction inside a larger expression."""
    u, v = axis(3, "u"), axis(3, "v")
    return compute(
        (M - 2, N - 2), lambda i, j: max(sum(x[i + u, j + v] * w[u, v], u, v) + bias[0], 0), name="relu"
    )


@expression
def softmax(x: Tensor[f32, M, N], scale: float = 1.0) -> Any:
    j, k = axis(N), axis(N)
    top = compute(M, lambda i: max(x[i, j], j), name="top")
    power = compute((M, N), lambda i, j: exp((x[i, j] - top[i]) * scale), name="power")
    total = compute(M, lambda i: sum(power[i, k], k), name="total")
    return compute((M, N), lambda i, j: power[i, j] / total[i])


@expression
def pool(x: Tensor[f32, N]) -> Any:
    """Two results; windows that only subscripts show."""
    k = axis(2)
    return compute(N // 2, lambda i: max(x[2 * i + k], k)), compute(N // 2, lambda i: min(x[2 * i + k], k))


@expression
def mirror(x: Tensor[f32, N]) -> Any:
    """Subscripts that indexing maps cannot say."""
    return compute(N, lambda i: x[N - 1 - i] + x[max(i - 1, 0)])


@expression
def gather(x: Tensor[f32, M, N], rows: Tensor[i32, K]) -> Any:
    return compute((K, N), lambda i, j: x[rows[i], j])


@expression
def upper(x: Tensor[f32, N, N]) -> Any:
    """Indices as values, conditions, and booleans as elements."""
    above = compute((N, N), lambda i, j: j >= i, name="above")
    return compute((N, N), lambda i, j: where(above[i, j], x[i, j], 0.0)), above


@expression
def totals(x: Tensor[i32, M, N]) -> Any:
    i, j = axis(M), axis(N)
    return compute((), lambda: sum(x[i, j], i, j)), compute(M, lambda i: prod(x[i, j], j))


@expression
def constants(x: Tensor[f32, N]) -> Any:
    return (
        compute(N, lambda i: 1.5, element=f32),
        compute(N, lambda i: i),
        compute(N, lambda i: i < 1, element=i1),
    )


@expression
def damp(x: Tensor[f32, N], steps: int) -> Any:
    """Python unrolls its own loops; shared parts are built once."""

    def element(i: Any) -> Any:
        value = x[i]
        for _ in range(steps):
            value = tanh(value) + value
        return value

    return compute(N, element)
