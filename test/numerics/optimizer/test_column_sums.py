"""Reductions over the rows of arrays that the L2 cache does not hold, alone and with what surrounds them.

Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX Runtime (see `oracle`).
"""

from __future__ import annotations

import numpy as np
import pytest
from idiom_builder import Builder, model_of
from oracle import wrong_outputs

AXES = np.array([0])


def mean_square(b: Builder) -> str:
    """A heavy producer and an epilogue of columns."""
    x = b.input(4097, 256)
    return b.Sqrt(b.Add(b.ReduceMean(b.Mul(x, x), axes=[0]), b.value(1, 256) ** 2))


def scaled_rows(b: Builder) -> str:
    """An operand with a value for each row."""
    return b.ReduceSum(b.Mul(b.input(2050, 512), b.input(2050, 1)), AXES)


SUMS = {
    "sum": lambda b: b.ReduceSum(b.input(4096, 256), AXES),
    # Rows that are no multiple of those added together.
    "peeled": lambda b: b.ReduceSum(b.input(4099, 320), AXES, keepdims=0),
    "max": lambda b: b.ReduceMax(b.input(2048, 768), axes=[0]),
    # Sums for each of several matrices, and over two dims at once.
    "inner": lambda b: b.ReduceSum(b.input(3, 1029, 512), np.array([1])),
    "both": lambda b: b.ReduceSum(b.input(5, 515, 512), np.array([0, 1])),
    "mean_square": mean_square,
    "scaled_rows": scaled_rows,
}


@pytest.mark.parametrize("threads", [1, 2])
def test_sums(threads: int) -> None:
    assert wrong_outputs(*model_of(SUMS), threads) == {}
