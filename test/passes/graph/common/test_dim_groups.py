"""Runs of dims with equal products, and the shapes of operands that follow from them."""

from __future__ import annotations

import random
from math import prod

import pytest

from mlc.passes.graph.common.dim_groups import dim_groups
from mlc.passes.graph.layout.sink_reshapes import reshaped_operand_shape


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([20, 96], [20, 3, 32], [([0], [0]), ([1], [1, 2])]),
        ([2, 10, 96], [20, 3, 32], [([0, 1], [0]), ([2], [1, 2])]),
        ([6, 4], [4, 6], [([0, 1], [0, 1])]),
        ([5], [1, 5], [([0], [0, 1])]),
        ([3, 1], [3], [([0], [0]), ([1], [])]),
        ([], [1, 1], [([], [0]), ([], [1])]),
        ([], [], []),
        ([4], [5], None),
        ([2, 3], [2], None),
        ([2], [2, 2], None),
    ],
)
def test_groups(old: list[int], new: list[int], expected: object) -> None:
    assert dim_groups(old, new) == expected


@pytest.mark.parametrize("seed", range(40))
def test_groups_cover_both_shapes_in_order(seed: int) -> None:
    generator = random.Random(seed)
    factors = [generator.choice([1, 2, 3, 4, 6]) for _ in range(generator.randint(1, 6))]
    old, new = join_neighbours(factors, generator), join_neighbours(factors, generator)
    groups = dim_groups(old, new)
    assert groups is not None
    assert [dim for olds, _ in groups for dim in olds] == list(range(len(old)))
    assert [dim for _, news in groups for dim in news] == list(range(len(new)))
    assert all(prod(old[dim] for dim in olds) == prod(new[dim] for dim in news) for olds, news in groups)


def join_neighbours(factors: list[int], generator: random.Random) -> list[int]:
    """`factors` with random neighbours multiplied."""
    shape = [factors[0]]
    for factor in factors[1:]:
        if generator.random() < 0.5:
            shape[-1] *= factor
        else:
            shape.append(factor)
    return shape


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        ([96], [1, 3, 32]),
        ([2, 10, 96], [20, 3, 32]),
        ([1, 1, 96], [1, 3, 32]),
        ([2, 10, 1], [20, 1, 1]),
        ([1], [1, 1, 1]),
        ([], [1, 1, 1]),
        # One row of ten, repeated: no reshape of it broadcasts to twenty rows.
        ([10, 96], None),
        ([2, 1, 96], None),
    ],
)
def test_operands_follow(operand: list[int], expected: list[int] | None) -> None:
    assert reshaped_operand_shape(operand, [2, 10, 96], [20, 3, 32]) == expected
