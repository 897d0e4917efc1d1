"""Tensor expressions against NumPy, and their errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensor_kernels

import mlc.kernels
from mlc.kernels import (
    KernelError,
    Output,
    Tensor,
    axis,
    compute,
    dims,
    expression,
    f32,
    i32,
    sum,
    tanh,
    where,
)

RANDOM = np.random.default_rng(6)
N = dims("N")[0]


def uniform(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("element", ["f32", "f64", "f16", "i32", "i64"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 7), (65, 33, 48)])
def test_matmul(element: str, shape: tuple[int, int, int]) -> None:
    from mlc.dialects.graph.elements import dtype_of

    m, n, k = shape
    a = RANDOM.integers(-3, 4, (m, k)).astype(dtype_of(element))
    b = RANDOM.integers(-3, 4, (k, n)).astype(dtype_of(element))
    result = tensor_kernels.matmul_of(element)(a, b)
    assert result.dtype == dtype_of(element)
    assert np.array_equal(result.astype(np.int64), a.astype(np.int64) @ b.astype(np.int64))


def test_convolution() -> None:
    x, w, bias = uniform(9, 12), uniform(3, 3), uniform(1)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3)).astype(np.float64)
    expected = np.maximum((windows * w).sum(axis=(2, 3)) + bias, 0)
    assert np.allclose(tensor_kernels.convolution(x, w, bias), expected, rtol=1e-5, atol=1e-6)


def test_softmax() -> None:
    x = uniform(6, 17)
    powers = np.exp(2 * x.astype(np.float64))
    expected = powers / powers.sum(axis=1, keepdims=True)
    assert np.allclose(tensor_kernels.softmax(x, scale=2.0), expected, rtol=1e-5)


def test_windows() -> None:
    x = uniform(14)
    highest, lowest = tensor_kernels.pool(x)
    assert np.array_equal(highest, x.reshape(-1, 2).max(axis=1))
    assert np.array_equal(lowest, x.reshape(-1, 2).min(axis=1))


def test_subscripts_of_any_form() -> None:
    x, rows = uniform(5, 3), np.array([4, 0, 4, 1], np.int32)
    assert np.array_equal(tensor_kernels.gather(x, rows), x[rows])
    line = uniform(6)
    assert np.array_equal(tensor_kernels.mirror(line), line[::-1] + line[np.maximum(np.arange(6) - 1, 0)])


def test_booleans() -> None:
    x = uniform(4, 4)
    result, above = tensor_kernels.upper(x)
    assert np.array_equal(result, np.triu(x))
    assert above.dtype == np.bool_ and np.array_equal(above, np.triu(np.ones((4, 4), bool)))


def test_scalars_and_products() -> None:
    x = RANDOM.integers(-3, 4, (3, 4)).astype(np.int32)
    total, products = tensor_kernels.totals(x)
    assert total.shape == () and total == x.sum()
    assert np.array_equal(products, x.prod(axis=1))


def test_constant_elements() -> None:
    halves, indices, first = tensor_kernels.constants(uniform(3))
    assert halves.tolist() == [1.5] * 3
    assert indices.dtype == np.int64 and indices.tolist() == [0, 1, 2]
    assert first.tolist() == [True, False, False]


def test_shared_parts_are_built_once() -> None:
    assert tensor_kernels.damp.mlir(N=8, steps=40).count("math.tanh") == 40
    x = uniform(8)
    expected = x.astype(np.float64)
    for _ in range(3):
        expected = np.tanh(expected) + expected
    assert np.allclose(tensor_kernels.damp(x, steps=3), expected, rtol=1e-5)


def failing(body: Callable[[Any], Any]) -> KernelError:
    @expression
    def kernel(x: Tensor[f32, N]) -> Any:
        return body(x)

    with pytest.raises(KernelError) as caught:
        kernel.mlir(N=8)
    return caught.value


CASES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: compute(8, lambda i: x[i + 1]), "subscript 0 of x reaches 8, but that dim has 8 elements"),
    (lambda x: compute(8, lambda i: x[i - 1]), "subscript 0 of x reaches -1, but that dim has 8 elements"),
    (lambda x: compute(8, lambda i: x[i, i]), "x has 1 dims, but 2 subscripts"),
    (lambda x: compute(8, lambda i: x[1.5]), "1.5 is no index"),
    (lambda x: compute(8, lambda i: x[x[i]]), "a subscript is an integer, but this is f32"),
    (lambda x: compute((8, 8), lambda i: x[i]), "the shape has 2 dims, but the function takes 1 axes"),
    (lambda x: compute(8, lambda i: x[i] + i32(i)), "'+' mixes f32 and i32; convert one of them: f32(x)"),
    (lambda x: compute(8, lambda i: 1.5), "1.5 has no element type; name it: compute(..., element=f32)"),
    (lambda x: compute(8, lambda i: "x"), "expected a scalar or an expression, but this is 'x'"),
    (lambda x: compute(8, lambda i: where(x[i], 1, 0)), "a condition is a bool, but this is f32"),
    (
        lambda x: compute(8, lambda i: 1.0 if x[i] > 0 else 0.0),
        "the value is known only when the kernel runs",
    ),
    (lambda x: compute(8, lambda i: tanh(x[i], x[i])), "tanh takes 1 operands, not 2"),
    (lambda x: compute(8, lambda i: sum(x[i])), "sum wants axes to reduce over: sum(a[i, k], k) with"),
    (lambda x: compute(8, lambda i: x[axis(8)]), "the axis 'k' is used outside its reduction"),
    (lambda x: x, "which compute did not make"),
    (lambda x: (), "kernel returns nothing"),
    (
        lambda x: (compute(8, lambda i: x[i], name="a"), compute(8, lambda i: x[i], name="a")),
        "two computations are called 'a'",
    ),
]


@pytest.mark.parametrize(("body", "expected"), CASES, ids=[text for _, text in CASES])
def test_messages(body: Callable[[Any], Any], expected: str) -> None:
    failure = failing(body)
    assert expected in failure.message
    assert failure.location is not None and failure.location.file == __file__


def test_nested_reductions() -> None:
    inner, outer = axis(4, "inner"), axis(2, "outer")
    failure = failing(lambda x: compute(1, lambda i: sum(sum(x[outer * 4 + inner], inner), outer)))
    assert failure.message.startswith("a reduction inside a reduction")


def test_columns_are_found() -> None:
    failure = failing(lambda x: compute(8, lambda i: x[i] + x[i + 1]))
    assert failure.location is not None
    line = Path(__file__).read_text().splitlines()[failure.location.line - 1]
    assert line[failure.location.column - 1 :].startswith("x[i + 1]")


def test_signatures() -> None:
    def with_output(x: Tensor[f32, N], y: Output[f32, N]) -> None: ...

    with pytest.raises(KernelError, match="with_output returns its outputs"):
        expression(with_output)
    with pytest.raises(KernelError, match="compute belongs into a function that"):
        mlc.kernels.compute(4, lambda i: i)
