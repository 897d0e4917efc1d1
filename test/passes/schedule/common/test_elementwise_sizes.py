"""Tiles of elementwise kernels: long enough for vectors, and many enough for threads."""

from __future__ import annotations

import random
from math import prod

import pytest

from mlc.passes.schedule.common.plain import ELEMENTS_PER_ITERATION, elementwise_sizes


@pytest.mark.parametrize(
    ("extents", "sizes"),
    [
        ([64, 32, 128], [1]),
        ([64, 32, 4096], [1, 1]),
        ([1, 64, 4096], [1, 1]),
        ([100_000], [2048]),
        ([1000, 100], [20]),
        ([1000, 2000], [1]),
    ],
)
def test_examples(extents: list[int], sizes: list[int]) -> None:
    assert elementwise_sizes(extents) == sizes


@pytest.mark.parametrize("seed", range(50))
def test_iterations_are_neither_too_short_nor_needlessly_long(seed: int) -> None:
    generator = random.Random(seed)
    extents = [generator.choice([1, 2, 7, 32, 100, 3000]) for _ in range(generator.randint(1, 5))]
    extents[0] *= 65_536
    sizes = elementwise_sizes(extents)
    points = prod(sizes) * prod(extents[len(sizes) :])
    assert points > ELEMENTS_PER_ITERATION // 2
    if sizes != [1] * len(sizes):
        assert points <= ELEMENTS_PER_ITERATION
    elif len(sizes) < len(extents):
        assert points // extents[len(sizes)] < ELEMENTS_PER_ITERATION
