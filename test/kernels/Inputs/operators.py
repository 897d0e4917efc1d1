"""A plugin that defines operators of the domain "test"."""

from __future__ import annotations

from typing import Any

from mlc.kernels import Output, Tensor, compute, dims, expression, f32, i32, kernel, register_onnx_operator

M, N = dims("M N")


@expression
def outer(a: Tensor[f32, M], b: Tensor[f32, N], scale: float) -> Any:
    return compute((M, N), lambda i, j: a[i] * b[j] * scale)


@kernel
def halves(
    x: Tensor[f32, M, 2 * N], left: Output[f32, M, N], right: Output[f32, M, N], n: Tensor[i32, N]
) -> None:
    for i in range(M):
        for j in range(N):
            left[i, j] = x[i, j]
            right[i, j] = x[i, j + N] * f32(n[j])


def register(_registry: Any) -> None:
    """The entry point of --load-plugin."""
    register_onnx_operator("test", "Outer", outer)
    register_onnx_operator("test", "Halves", halves)
