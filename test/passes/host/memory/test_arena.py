"""Plans of the arena: sound for any live ranges, and of the least size where that is known."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from mlc.passes.host.memory.arena import (
    ALIGNMENT,
    ORDERS,
    AllocationProblem,
    Lifetime,
    align,
    assign_offsets,
    lower_bound,
    plan,
    stack,
)


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
    found = plan(lifetimes)
    offsets, total = found.offsets, found.size
    assert len(offsets) == len(lifetimes)
    assert all(offset % ALIGNMENT == 0 for offset in offsets)
    ends = [offset + lifetime.size for offset, lifetime in zip(offsets, lifetimes, strict=True)]
    assert all(end <= total for end in ends)
    for a, b in combinations(range(len(lifetimes)), 2):
        if lifetimes[a].overlaps(lifetimes[b]) and lifetimes[a].size and lifetimes[b].size:
            assert ends[a] <= offsets[b] or ends[b] <= offsets[a]


@pytest.mark.parametrize("seed", range(60))
def test_the_lower_bound_holds(seed: int) -> None:
    lifetimes = random_lifetimes(seed)
    steps = range(60)
    live = [
        sum(align(lifetime.size) for lifetime in lifetimes if lifetime.first <= step <= lifetime.last)
        for step in steps
    ]
    assert lower_bound(lifetimes) == max(live)
    assert plan(lifetimes).size >= lower_bound(lifetimes)


def test_a_chain_alternates_between_two_buffers() -> None:
    """Each op reads one buffer while it writes the next."""
    chain = [Lifetime(1024, step, step + 1) for step in range(10)]
    found = plan(chain)
    assert found.size == lower_bound(chain) == 2048
    assert found.offsets == (0, 1024) * 5


def test_reading_and_writing_in_one_step_is_overlap() -> None:
    assert Lifetime(1, 0, 2).overlaps(Lifetime(1, 2, 3))
    assert not Lifetime(1, 0, 2).overlaps(Lifetime(1, 3, 3))


def test_small_buffers_fill_gaps() -> None:
    lifetimes = [Lifetime(1000, 0, 1), Lifetime(1000, 0, 9), Lifetime(64, 2, 9), Lifetime(128, 2, 9)]
    found = plan(lifetimes)
    assert (found.offsets, found.size) == ((0, 1024, 128, 0), 2048)


def test_nothing_needs_nothing() -> None:
    assert (plan([]).offsets, plan([]).size) == ((), 0)
    assert lower_bound([]) == 0


def test_the_best_strategy_is_taken() -> None:
    """Largest first leaves a hole that no later buffer fits; placing the fullest step first does not.

    The largest goes to the bottom, and the one of 256 bytes that overlaps it on top of it: below that are 320
    bytes, too few for two of 192. The step at which these three are live is the fullest, though.
    """
    lifetimes = [Lifetime(256, 2, 4), Lifetime(192, 2, 2), Lifetime(320, 3, 6), Lifetime(192, 2, 2)]
    problem = AllocationProblem.of(lifetimes)
    assert problem.conflicts == [[1, 2, 3], [0, 3], [0], [0, 1]]
    by_size = assign_offsets(problem, ORDERS["size"](lifetimes))
    assert by_size == ([320, 0, 0, 576], 768)
    found = plan(lifetimes)
    assert (found.size, found.strategy) == (lower_bound(lifetimes), "breadth, lowest gap")
    assert found.size == 640


def test_random_plans_are_close_to_the_bound() -> None:
    """Over 200 random sets of buffers the sum of all plans is within 1 % of the sum of the bounds."""
    cases = [random_lifetimes(seed) for seed in range(200)]
    assert sum(plan(case).size for case in cases) <= 1.01 * sum(map(lower_bound, cases))


def test_plans_are_deterministic() -> None:
    lifetimes = random_lifetimes(7)
    assert plan(lifetimes) == plan(list(lifetimes))


def test_a_chain_of_residual_blocks_needs_buffers_that_hang_from_the_top() -> None:
    """Sizes and live ranges of ResNet-50's first stages: the large buffers must alternate between both
    ends."""
    large, wide, middle, small = 3211264, 1806336, 861184, 802816
    lives = [
        (629292, 0, 4), (3268864, 4, 5), (small, 5, 16), (middle, 8, 9), (wide, 9, 11), (wide, 11, 13),
        (small, 13, 18), (large, 16, 18), (large, 18, 29), (middle, 21, 22), (wide, 22, 24), (wide, 24, 26),
        (small, 26, 29), (large, 29, 40), (middle, 32, 33), (wide, 33, 35), (wide, 35, 37), (small, 37, 40),
        (large, 40, 49), (1663488, 43, 46), (2 * small, 49, 51), (2 * small, 51, 62),
    ]  # fmt: skip
    lifetimes = [Lifetime(*live) for live in lives]
    found = plan(lifetimes)
    assert found.size == lower_bound(lifetimes)
    assert found.strategy.startswith("search from ")


@pytest.mark.parametrize("seed", range(60))
def test_stacked_buffers_never_overlap_for_other_sizes(seed: int) -> None:
    lifetimes = random_lifetimes(seed)
    generator = random.Random(seed)
    sizes = [align(generator.choice([0, 1, 64, 1000, 70_000])) for _ in lifetimes]
    stacked, top = stack(lifetimes, plan(lifetimes).offsets)
    offsets: dict[int, int] = {}
    for index, below in stacked.items():
        offsets[index] = max((offsets[other] + sizes[other] for other in below), default=0)
    ends = {index: offset + sizes[index] for index, offset in offsets.items()}
    assert sorted(offsets) == list(range(len(lifetimes)))
    assert max(ends.values(), default=0) == max((ends[index] for index in top), default=0)
    for a, b in combinations(range(len(lifetimes)), 2):
        if lifetimes[a].overlaps(lifetimes[b]):
            assert ends[a] <= offsets[b] or ends[b] <= offsets[a]


@pytest.mark.parametrize("seed", range(60))
def test_stacking_a_plan_makes_it_no_larger(seed: int) -> None:
    lifetimes = random_lifetimes(seed)
    found = plan(lifetimes)
    ends: dict[int, int] = {}
    for index, below in stack(lifetimes, found.offsets)[0].items():
        ends[index] = max((ends[other] for other in below), default=0) + align(lifetimes[index].size)
    assert max(ends.values(), default=0) <= found.size
