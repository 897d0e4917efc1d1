"""Offsets for sizes known at run time: sound for all sizes, the plan's own for the sizes it was made for."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from mlc.passes.lowering.memory.arena import ALIGNMENT, Lifetime, aligned, plan
from mlc.passes.lowering.memory.symbolic import stack


def random_lifetimes(generator: random.Random) -> list[Lifetime]:
    steps = [generator.randint(0, 30) for _ in range(generator.randint(0, 40))]
    return [Lifetime(generator.randint(0, 5000), first, first + generator.randint(0, 9)) for first in steps]


@pytest.mark.parametrize("seed", range(40))
def test_live_buffers_never_overlap_whatever_their_sizes(seed: int) -> None:
    generator = random.Random(seed)
    lifetimes = random_lifetimes(generator)
    stacking = stack(lifetimes, plan(lifetimes))
    sizes = [generator.choice([0, 1, 64, 100_000]) for _ in lifetimes]
    found = stacking.plan(sizes)
    assert all(offset % ALIGNMENT == 0 for offset in found.offsets)
    ends = [offset + aligned(size) for offset, size in zip(found.offsets, sizes, strict=True)]
    assert found.size == max(ends, default=0)
    for a, b in combinations(range(len(lifetimes)), 2):
        if lifetimes[a].overlaps(lifetimes[b]):
            assert ends[a] <= found.offsets[b] or ends[b] <= found.offsets[a]


@pytest.mark.parametrize("seed", range(40))
def test_the_sizes_of_the_plan_need_no_more_than_the_plan(seed: int) -> None:
    lifetimes = random_lifetimes(random.Random(seed))
    made = plan(lifetimes)
    assert stack(lifetimes, made).plan([each.size for each in lifetimes]).size <= made.size
