"""Weights leave the memory of the process that compiles when they are no longer needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.zoo.large_model import LAYER_BYTES, peak_mb, write_model
from mlc.compiler.host_program.step_list import BufferRegion, HostStep, StepList
from mlc.frontends.weights.store import INLINE, MappedFile, WeightStore, release_pages

SIZE = 2**22


def resident_bytes(path: Path) -> int:
    """Returns the bytes of a mapped file that are in this process's memory."""
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    for line in lines:
        if line.endswith(str(path)):
            return next(int(field.split()[1]) * 1024 for field in lines if field.startswith("Rss:"))
    return 0


@pytest.fixture
def mapped(tmp_path: Path) -> tuple[Path, MappedFile]:
    path = tmp_path / "weights"
    path.write_bytes(np.random.default_rng(0).bytes(SIZE))
    return path, MappedFile(path)


def test_released_pages_are_read_again(mapped: tuple[Path, MappedFile]) -> None:
    path, file = mapped
    array = np.frombuffer(file.view, np.uint8)[5:]
    before = array.sum(dtype=np.int64)
    assert resident_bytes(path) == SIZE
    release_pages(array)
    assert resident_bytes(path) <= 2**16
    assert array.sum(dtype=np.int64) == before


def test_memory_of_no_file_stays() -> None:
    array = np.ones(SIZE, np.uint8)
    release_pages(array)
    release_pages(memoryview(bytearray(SIZE)))
    assert array.all()


def test_weights_are_not_kept_after_they_are_hashed(mapped: tuple[Path, MappedFile]) -> None:
    path, file = mapped
    store = WeightStore(path.parent)
    store.add_file("weights", file)
    assert store.reference("weights", 0, SIZE).source != INLINE
    assert resident_bytes(path) <= 2**16


def test_arguments_are_unused_after_the_last_step_that_has_them() -> None:
    first, second, result = (BufferRegion(argument, 0, "uint8", (4,)) for argument in range(3))
    steps = (HostStep("", (first, result)), HostStep("", (second, result)), HostStep("", (first, result)))
    arguments = [np.full(4, value, np.uint8) for value in range(3)]
    unused: list[int] = []
    StepList(steps).run(arguments, [], unused=lambda array: unused.append(int(array[0])))
    assert unused[0] == 1 and sorted(unused[1:]) == [0, 0]


@pytest.mark.slow
def test_peak_memory(tmp_path: Path) -> None:
    peak = peak_mb(write_model(tmp_path, layers=6))
    assert peak < 1.5 * 6 * LAYER_BYTES / 1e6 + 500
