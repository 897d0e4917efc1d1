"""Queries of a head per iteration of the parallel loop over attention."""

from __future__ import annotations

import pytest

from mlc.passes.schedule.cpu.attention import share_of_queries


@pytest.mark.parametrize(
    ("queries", "parts", "share"),
    [
        (512, 1, 512),
        (512, 3, 128),
        (512, 100, 32),
        # 4 blocks of 32 compute 128 queries of 125; parts of 50 would compute 64 each.
        (1000, 100, 125),
        # Parts must be equal.
        (197, 8, 197),
        (1536, 40, 32),
    ],
)
def test_parts_are_equal_and_whole_blocks_nearly(queries: int, parts: int, share: int) -> None:
    assert share_of_queries(queries, 32, parts) == share


def test_fewer_queries_than_a_block_are_one_part() -> None:
    assert share_of_queries(20, 20, 4) == 20
