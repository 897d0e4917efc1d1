"""Kernels with loops that several tests use."""

from __future__ import annotations

from typing import Any

from mlc.kernels import Output, Tensor, block, buffer, dims, exp, f32, i1, i32, kernel, where

M, N, K = dims("M N K")


def matmul_of(element: Any) -> Any:
    """Returns a kernel of products of matrices of `element`."""

    @kernel
    def matmul(
        a: Tensor[element, M, K],
        b: Tensor[element, K, N],
        out: Output[element, M, N],
    ) -> None:
        """The textbook's three loops."""
        for i in range(M):
            for j in range(N):
                with block("init"):
                    out[i, j] = 0
                for k in range(K):
                    with block("update"):
                        out[i, j] += a[i, k] * b[k, j]

    return matmul


@kernel
def softmax(x: Tensor[f32, M, N], y: Output[f32, M, N], scale: float = 1.0, causal: bool = False) -> None:
    for i in range(M):
        top = x[i, 0] * scale
        for j in range(1, N):
            top = max(top, x[i, j] * scale)
        total = f32(0)
        for j in range(N):
            total += exp(x[i, j] * scale - top)
        for j in range(N):
            y[i, j] = exp(x[i, j] * scale - top) / total if not causal or j <= i else 0.0


@kernel
def blocked_transpose(x: Tensor[f32, M, N], y: Output[f32, N, M]) -> None:
    """By tiles of four, the last ones smaller, through a buffer."""
    for ii in range(0, M, 4):
        for jj in range(0, N, 4):
            tile = buffer(f32, 4, 4)
            for i in range(ii, min(ii + 4, M)):
                for j in range(jj, min(jj + 4, N)):
                    tile[i - ii, j - jj] = x[i, j]
            for j in range(jj, min(jj + 4, N)):
                for i in range(ii, min(ii + 4, M)):
                    y[j, i] = tile[i - ii, j - jj]


@kernel
def ragged_sums(lengths: Tensor[i32, M], x: Tensor[f32, M, N], sums: Output[f32, M]) -> None:
    """Sums the first `lengths[i]` elements of each row."""
    for i in range(M):
        total = f32(0)
        for j in range(lengths[i]):
            total += x[i, j]
        sums[i] = total


@kernel
def gather(x: Tensor[f32, M, N], rows: Tensor[i32, K], y: Output[f32, K, N]) -> None:
    for k in range(K):
        for j in range(N):
            y[k, j] = x[rows[k], j]


@kernel
def statistics(x: Tensor[i32, N], even: Output[i1, N], counts: Output[i32, 2]) -> None:
    """Two outputs; scalars that branches change."""
    evens = i32(0)
    odds = i32(0)
    for i in range(N):
        even[i] = x[i] % 2 == 0
        if x[i] % 2 == 0:
            evens += 1
        else:
            odds += 1
    counts[0] = evens
    counts[1] = odds


@kernel
def shift(x: Tensor[f32, N], y: Output[f32, N]) -> None:
    """Reads beyond the ends only where a condition allows it."""
    for i in range(N):
        left = x[i - 1] if i > 0 else f32(0)
        right = f32(0)
        if i + 1 < x.shape[0]:
            right = x[i + 1]
        both = i > 0 and x[i - 1] > 0
        y[i] = where(both, left + right, -right)
