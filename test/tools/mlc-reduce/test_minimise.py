"""Delta debugging: what is left is minimal."""

import random
from collections.abc import Iterable

import pytest

from mlc.tools.reduce.child_process import run_isolated
from mlc.tools.reduce.delta_debugging import minimise


@pytest.mark.parametrize("seed", range(50))
def test_a_monotone_predicate_leaves_exactly_what_it_needs(seed: int) -> None:
    chance = random.Random(seed)
    items = list(range(chance.randrange(1, 60)))
    needed = set(chance.sample(items, chance.randrange(len(items) + 1)))

    def first_interesting(choices: Iterable[list[int]]) -> list[int] | None:
        return next((kept for kept in choices if needed <= set(kept)), None)

    assert minimise(items, first_interesting) == sorted(needed)


@pytest.mark.parametrize("seed", range(50))
def test_the_result_is_minimal_for_any_of_several_needs(seed: int) -> None:
    chance = random.Random(seed)
    items = list(range(30))
    needs = [set(chance.sample(items, 4)) for _ in range(5)]

    def interesting(kept: list[int]) -> bool:
        return any(need <= set(kept) for need in needs)

    result = minimise(items, lambda choices: next(filter(interesting, choices), None))
    assert interesting(result)
    assert not any(interesting([item for item in result if item != left]) for left in result)


def test_a_child_that_crashes_or_hangs_gives_none() -> None:
    import os
    import time

    assert run_isolated(os.abort) is None
    assert run_isolated(lambda: time.sleep(60), limit=0.1) is None
    assert run_isolated(lambda: "text" * 100_000) == "text" * 100_000
