"""Memory of large outputs is kept for the next call, and never while an array is alive."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from mlc.runtime import aligned_empty
from mlc.runtime.shared_library.build import SOURCES

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


def test_fork_while_another_thread_has_the_lock(tmp_path: Path) -> None:
    program, source = tmp_path / "program", Path(__file__).parent / "kept_blocks.c"
    command = ["cc", "-std=c11", "-pthread", f"-I{SOURCES}", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([str(program)], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
