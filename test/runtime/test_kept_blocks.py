"""Memory of large outputs is kept for the next call, and never while an array is alive."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from mlc.runtime import aligned_empty

LARGE = 3 << 20


def address(memory: Any) -> int:
    return np.frombuffer(memory, np.uint8).ctypes.data


def test_a_released_block_is_used_again() -> None:
    first = aligned_empty(LARGE)
    released = address(first)
    second = aligned_empty(LARGE)
    assert address(second) != released
    del first
    third = aligned_empty(LARGE)
    assert address(third) == released


def test_a_block_has_the_size_that_was_asked_for() -> None:
    block = aligned_empty(LARGE)
    released = address(block)
    del block
    other = aligned_empty(LARGE - 64)
    assert memoryview(other).nbytes == LARGE - 64
    assert address(other) != released


def test_blocks_of_threads_are_apart() -> None:
    def fill(value: int) -> bool:
        arrays = [np.frombuffer(aligned_empty(LARGE), np.uint8) for _ in range(4)]
        for array in arrays:
            array[:] = value
        return all((array == value).all() for array in arrays)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(fill, range(40)))
