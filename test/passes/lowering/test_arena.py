"""Plans of the arena: sound for any lifetimes, and no larger than they must be where that is known."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from mlc.passes.lowering.arena import ALIGNMENT, Lifetime, aligned, lower_bound, plan


def random_lifetimes(seed: int) -> list[Lifetime]:
    generator = random.Random(seed)
    lifetimes = []
    for _ in range(generator.randint(0, 40)):
        first = generator.randint(0, 30)
        last = first + generator.choice([0, 1, 2, 3, 20])
        lifetimes.append(Lifetime(generator.choice([0, 1, 63, 64, 65, 1000, 4096, 100_000]), first, last))
    return lifetimes


@pytest.mark.parametrize("seed", range(60))
def test_live_buffers_never_overlap(seed: int) -> None:
    lifetimes = random_lifetimes(seed)
    offsets, total = plan(lifetimes)
    assert len(offsets) == len(lifetimes)
    assert all(offset % ALIGNMENT == 0 for offset in offsets)
    ends = [offset + each.size for offset, each in zip(offsets, lifetimes, strict=True)]
    assert all(end <= total for end in ends)
    for a, b in combinations(range(len(lifetimes)), 2):
        if lifetimes[a].overlaps(lifetimes[b]) and lifetimes[a].size and lifetimes[b].size:
            assert ends[a] <= offsets[b] or ends[b] <= offsets[a]


@pytest.mark.parametrize("seed", range(60))
def test_the_lower_bound_holds(seed: int) -> None:
    lifetimes = random_lifetimes(seed)
    steps = range(60)
    live = [
        sum(aligned(each.size) for each in lifetimes if each.first <= step <= each.last) for step in steps
    ]
    assert lower_bound(lifetimes) == max(live)
    assert plan(lifetimes)[1] >= lower_bound(lifetimes)


def test_a_chain_takes_turns_in_two_places() -> None:
    """Each op reads one buffer while it writes the next."""
    chain = [Lifetime(1024, step, step + 1) for step in range(10)]
    offsets, total = plan(chain)
    assert total == lower_bound(chain) == 2048
    assert offsets == [0, 1024] * 5


def test_reading_and_writing_in_one_step_is_overlap() -> None:
    assert Lifetime(1, 0, 2).overlaps(Lifetime(1, 2, 3))
    assert not Lifetime(1, 0, 2).overlaps(Lifetime(1, 3, 3))


def test_small_buffers_fill_gaps() -> None:
    lifetimes = [Lifetime(1000, 0, 1), Lifetime(1000, 0, 9), Lifetime(64, 2, 9), Lifetime(128, 2, 9)]
    assert plan(lifetimes) == ([0, 1024, 128, 0], 2048)


def test_nothing_needs_nothing() -> None:
    assert plan([]) == ([], 0)
    assert lower_bound([]) == 0
