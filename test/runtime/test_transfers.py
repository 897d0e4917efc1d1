"""Copies beside kernels: what host-entry's code asks of the runtime."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from objects import pointers

from mlc.runtime._native import Image, call_entry

# buffers = a, b, c, each of dims[0] bytes: b becomes a, then c what b was, by two transfers that are started
# together; in between a counter in d is added to.
CODE = """
declare void @mlc_transfer_start(ptr, ptr, ptr, i64)
declare void @mlc_transfer_wait(ptr)

define void @move(ptr %buffers, ptr %dims) {
  %first = alloca [5 x i64]
  %second = alloca [5 x i64]
POINTERS
  %size = load i64, ptr %dims
  call void @mlc_transfer_start(ptr %first, ptr %b, ptr %a, i64 %size)
  call void @mlc_transfer_start(ptr %second, ptr %c, ptr %a, i64 %size)
  %old = load i64, ptr %d
  %new = add i64 %old, 1
  store i64 %new, ptr %d
  call void @mlc_transfer_wait(ptr %second)
  call void @mlc_transfer_wait(ptr %first)
  ret void
}
""".replace("POINTERS", pointers("a", "b", "c", "d"))


@pytest.fixture(scope="module")
def image(compile_ir: Callable[..., bytes]) -> Image:
    return Image([compile_ir(CODE)])


def move(image: Image, size: int, threads: int, seed: int, times: int = 1) -> None:
    """Raises AssertionError unless everything has arrived when the call returns."""
    random, counter = np.random.default_rng(seed), np.zeros(1, np.int64)
    for _ in range(times):
        a = random.integers(0, 256, size, np.uint8)
        b, c = np.zeros_like(a), np.zeros_like(a)
        call_entry(image, "move", [a, b, c, counter], [size], threads)
        np.testing.assert_array_equal(b, a)
        np.testing.assert_array_equal(c, a)
    assert counter[0] == times


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 22])
def test_what_was_waited_for_is_there(image: Image, size: int, threads: int) -> None:
    move(image, size, threads, seed=size, times=20)


def test_calls_at_the_same_time(image: Image) -> None:
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(move, image, 5000, 1 + seed % 2, seed, 100) for seed in range(8)]:
            done.result()


def test_after_fork(image: Image) -> None:
    """The child has no thread of its parent's, and starts its own."""
    move(image, 1000, 2, seed=0)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            move(image, 1000, 2, seed=1, times=10)
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
