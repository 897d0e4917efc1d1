"""Kernels called from graph functions, beside graph ops."""

from __future__ import annotations

from typing import Any

import loop_kernels
import numpy as np
import pytest
import tensor_kernels

import mlc
from mlc.kernels import KernelError, Output, Tensor, dims, f32, graph_function, i32, ops

M, N, K = dims("M N K")
RANDOM = np.random.default_rng(7)
WEIGHTS = RANDOM.uniform(-1, 1, (20, 30)).astype(np.float32)
OFFSETS = RANDOM.uniform(-1, 1, 30).astype(np.float32)
SMALL = RANDOM.uniform(-1, 1, (3, 3)).astype(np.float32)
product = tensor_kernels.matmul_of("f32")


@graph_function
def layer(x: Tensor[f32, M, 20], factor: float = 1.0) -> Any:
    """A large and a small constant, a kernel before and after graph ops."""
    hidden = ops.relu(product(x, WEIGHTS) + OFFSETS)
    return loop_kernels.softmax(hidden * factor), ops.reduce_max(hidden, axes=[1], keepdims=False)


def expected_layer(x: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray]:
    hidden = np.maximum(x.astype(np.float64) @ WEIGHTS + OFFSETS, 0)
    powers = np.exp(hidden * factor)
    return powers / powers.sum(axis=1, keepdims=True), hidden.max(axis=1)


@pytest.mark.parametrize("rows", [1, 5])
def test_kernels_between_graph_ops(rows: int) -> None:
    x = RANDOM.uniform(-1, 1, (rows, 20)).astype(np.float32)
    for actual, expected in zip(layer(x, factor=0.5), expected_layer(x, 0.5), strict=True):
        assert np.allclose(actual, expected, rtol=1e-5, atol=1e-6)


@graph_function
def constants(x: Tensor[f32, 5, 5]) -> Any:
    """Kernels that read constants only, and one kernel twice."""
    windows = tensor_kernels.convolution(x, SMALL, np.zeros(1, np.float32))
    return tensor_kernels.softmax(SMALL), tensor_kernels.softmax(windows - windows)


def test_constants_as_operands() -> None:
    powers = np.exp(SMALL.astype(np.float64))
    first, second = constants(np.ones((5, 5), np.float32))
    assert np.allclose(first, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert np.allclose(second, 1 / 3)


def test_one_kernel_for_equal_calls() -> None:
    text = constants.mlir()
    assert text.count("func.func private @softmax_") == 1
    assert text.count("kernel = @softmax_") == 2


def test_the_compiler_takes_them() -> None:
    x = RANDOM.uniform(-1, 1, (5, 5)).astype(np.float32)
    executable = mlc.compile(constants, threads=1)
    assert [spec.name for spec in executable.inputs] == ["x"]
    assert np.allclose(executable(x)[1], 1 / 3)
    with pytest.raises(KernelError, match="layer needs its size M"):
        mlc.compile(layer)


def failing(function: Any) -> str:
    with pytest.raises(KernelError) as caught:
        graph_function(function).mlir()
    assert caught.value.location is not None and caught.value.location.file == __file__
    return caught.value.message


def test_messages() -> None:
    def other_type(x: Tensor[i32, 4, 4]) -> Any:
        return loop_kernels.softmax(x)

    def other_rank(x: Tensor[f32, 4]) -> Any:
        return loop_kernels.softmax(x)

    def odd_shapes(x: Tensor[f32, 4], y: Tensor[f32, 3]) -> Any:
        return x + y

    def no_tensor(x: Tensor[f32, 4]) -> Any:
        return x + "1"

    def nothing(x: Tensor[f32, 4]) -> Any: ...

    def output(x: Tensor[f32, 4], y: Output[f32, 4]) -> Any: ...

    assert "'x' has elements of i32, but must be f32[M, N]" in failing(other_type)
    assert "'x' has shape [4], but must be f32[M, N]: another rank" in failing(other_rank)
    assert failing(odd_shapes).startswith("add: ")
    assert "'1' is no tensor of this graph function" in failing(no_tensor)
    assert "nothing returns nothing" in failing(nothing)
    assert "output returns its outputs" in failing(output)
    with pytest.raises(AttributeError, match="the graph dialect has no op 'relux'"):
        _ = ops.relux
