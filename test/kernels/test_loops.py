"""Kernels with explicit loops against NumPy."""

from __future__ import annotations

import loop_kernels
import numpy as np
import pytest

RANDOM = np.random.default_rng(5)


def uniform(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize("element", ["f32", "f64", "f16", "bf16", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 7), (16, 33, 8)])
def test_matmul(element: str, shape: tuple[int, int, int]) -> None:
    from mlc.dialects.graph.elements import dtype_of

    m, n, k = shape
    dtype = dtype_of(element)
    a = RANDOM.integers(-3, 4, (m, k)).astype(dtype)
    b = RANDOM.integers(-3, 4, (k, n)).astype(dtype)
    result = loop_kernels.matmul_of(element)(a, b)
    assert result.dtype == dtype
    # Small integers, which every type holds exactly.
    assert np.array_equal(result.astype(np.int64), (a.astype(np.int64) @ b.astype(np.int64)).astype(dtype))


def test_empty_sums() -> None:
    result = loop_kernels.matmul_of("f32")(np.ones((3, 0), np.float32), np.ones((0, 2), np.float32))
    assert np.array_equal(result, np.zeros((3, 2)))


@pytest.mark.parametrize("causal", [False, True])
def test_softmax(causal: bool) -> None:
    x = uniform(6, 9)
    powers = np.exp(2 * x.astype(np.float64))
    expected = powers / powers.sum(axis=1, keepdims=True)
    expected = np.tril(expected) if causal else expected
    assert np.allclose(loop_kernels.softmax(x, scale=2.0, causal=causal), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("shape", [(4, 8), (7, 5), (1, 9)])
def test_buffers_and_tails(shape: tuple[int, int]) -> None:
    x = uniform(*shape)
    assert np.array_equal(loop_kernels.blocked_transpose(x), x.T)


def test_bounds_that_only_the_data_know() -> None:
    x, lengths = np.ones((4, 6), np.float32), np.array([0, 6, 3, 1], np.int32)
    assert loop_kernels.ragged_sums(lengths, x).tolist() == [0, 6, 3, 1]


def test_subscripts_that_only_the_data_know() -> None:
    x, rows = uniform(5, 3), np.array([4, 0, 4], np.int32)
    assert np.array_equal(loop_kernels.gather(x, rows), x[rows])


def test_two_outputs() -> None:
    x = np.array([1, 2, -3, 4, 6], np.int32)
    even, counts = loop_kernels.statistics(x)
    assert even.dtype == np.bool_ and even.tolist() == [False, True, False, True, True]
    assert counts.tolist() == [3, 2]


def test_conditions_guard_what_they_stand_before() -> None:
    x = np.array([1, -2, 3], np.float32)
    assert loop_kernels.shift(x).tolist() == [2, 4, 0]


def test_outputs_may_be_given() -> None:
    x, out = uniform(4, 4), np.empty((4, 4), np.float32)
    result = loop_kernels.blocked_transpose(x, out=out)
    assert result is out and np.array_equal(out, x.T)


def test_arrays_may_be_named() -> None:
    x, rows = uniform(5, 3), np.array([1], np.int32)
    assert np.array_equal(loop_kernels.gather(rows=rows, x=x), x[rows])


def test_one_executable_for_equal_shapes() -> None:
    kernel = loop_kernels.matmul_of("f32")
    for size in (2, 3, 2):
        kernel(uniform(size, 2), uniform(2, size))
    assert len(kernel.executables) == 2


def test_executables_can_be_stored(tmp_path: object) -> None:
    import mlc

    path = f"{tmp_path}/transpose.mlcx"
    loop_kernels.blocked_transpose.compile(M=3, N=5, threads=1).save(path)
    x = uniform(3, 5)
    [y] = mlc.load(path)(x)
    assert np.array_equal(y, x.T)
