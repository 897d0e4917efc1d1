"""Python kernels with schedules of the user."""

from __future__ import annotations

from typing import Any

import loop_kernels
import numpy as np
import pytest
import tensor_kernels

import mlc
from mlc.kernels import KernelError, Tensor, compute, dims, expression, f32

N = dims("N")[0]

TILED = """
"tloop.schedule"() ({
  %b = "tloop.get_block"() {block_name = "double"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%b) {sizes = array<i64: 16>, mode = "parallel"}
    : (!tloop.block) -> (!tloop.block, !tloop.loop)
}) {kernel = @any} : () -> ()
"""


@expression
def double(x: Tensor[f32, N]) -> Any:
    return compute(N, lambda i: x[i] + x[i], name="double")


@pytest.mark.parametrize("size", [16, 100])
def test_schedules_are_applied(size: int) -> None:
    kernel = double.with_schedule(TILED)
    assert "scf.forall" in kernel.loops(N=size) and "scf.forall" not in double.loops(N=size)
    x = np.random.default_rng(9).uniform(-1, 1, size).astype(np.float32)
    assert np.array_equal(kernel(x), 2 * x)


def test_schedules_are_part_of_the_kernel() -> None:
    assert double.with_schedule(TILED).mlir(N=16).count("tloop.schedule") == 1
    names = {
        version.mlir(N=16).split("@double_")[1][:12] for version in (double, double.with_schedule(TILED))
    }
    assert len(names) == 2


def test_an_object_that_prints_as_one_will_do() -> None:
    class Recorded:
        def __str__(self) -> str:
            return TILED

    assert "scf.forall" in double.with_schedule(Recorded()).loops(N=16)


CASES = [
    (TILED.replace('"double"', '"triple"'), "the schedule of double: "),
    (TILED.replace("tloop.tile", "tloop.tail"), "the schedule of double is no IR: "),
    (TILED + TILED, "the schedule of double must be one tloop.schedule"),
    ("module {}", "the schedule of double must be one tloop.schedule"),
]


@pytest.mark.parametrize(("schedule", "expected"), CASES, ids=["block", "op", "two", "none"])
def test_messages(schedule: str, expected: str) -> None:
    with pytest.raises(KernelError) as caught:
        double.with_schedule(schedule).loops(N=16)
    assert caught.value.message.startswith(expected), caught.value.message


@expression
def chain(x: Tensor[f32, N]) -> Any:
    """Two elementwise computations, which are one where no schedule keeps them apart."""
    first = compute(N, lambda i: x[i] + 1, name="first")
    return compute(N, lambda i: first[i] * first[i], name="second")


MOVED = """
"tloop.schedule"() ({
  %b = "tloop.get_block"() {block_name = "second"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%b) {sizes = array<i64: 16>, mode = "sequential"}
    : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %f = "tloop.get_block"() {block_name = "first"} : () -> !tloop.block
  %m = "tloop.compute_at"(%f, %l) : (!tloop.block, !tloop.loop) -> !tloop.block
}) {kernel = @chain} : () -> ()
"""


def test_schedules_find_each_computation() -> None:
    x = np.arange(64, dtype=np.float32)
    assert np.array_equal(chain.with_schedule(MOVED)(x), (x + 1) ** 2)


def test_schedules_of_python() -> None:
    kernel = loop_kernels.matmul_of("f32")
    schedule = mlc.Schedule(kernel.mlir(M=16, N=32, K=8))
    i, _, k = schedule.get_loops(schedule.get_block("update"))
    _, inner = schedule.split(k, [None, 4])
    schedule.unroll(inner)
    schedule.parallel(i)
    scheduled = kernel.with_schedule(schedule)
    assert "affine.parallel" in scheduled.loops(M=16, N=32, K=8)
    a, b = np.ones((16, 8), np.float32), np.ones((8, 32), np.float32)
    assert np.array_equal(scheduled(a, b), a @ b)


def test_other_kernels_keep_the_default_schedules() -> None:
    text = tensor_kernels.matmul_of("f32").loops(M=64, N=64, K=64)
    assert "tloop.schedule" not in text and "scf.for" not in text
