"""Blocks divide the sizes and fit the L2 cache."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlc.passes.schedule.cpu.blocked_product import Blocks, choose_blocks
from mlc.targets import NAMED

TARGET = replace(NAMED["x86-64-v4"], l1d=32 << 10, l2=1 << 20)


@pytest.mark.parametrize("depth", [1024, 3072])
@pytest.mark.parametrize("rows", [64, 100, 197, 1024])
def test_blocks(rows: int, depth: int) -> None:
    blocks = choose_blocks(rows, 24, depth, TARGET, 8)
    assert blocks is not None
    assert (rows % blocks.rows, depth % blocks.depth) == (0, 0)
    assert 4 * blocks.rows * blocks.depth <= TARGET.l2 // 2


def test_the_longest_block_comes_first() -> None:
    assert choose_blocks(128, 24, 3072, TARGET, 8) == Blocks(rows=128, depth=768)
    assert choose_blocks(1024, 32, 1024, TARGET, 8) == Blocks(rows=128, depth=512)


@pytest.mark.parametrize(
    ("rows", "panels", "depth"),
    [
        pytest.param(128, 24, 768, id="short rows"),
        pytest.param(128, 16, 1376, id="rows in different sets of the cache"),
        pytest.param(1, 32, 4096, id="a vector"),
        pytest.param(128, 5, 3072, id="few panels"),
        pytest.param(1009, 24, 3072, id="a prime number of rows"),
    ],
)
def test_whole(rows: int, panels: int, depth: int) -> None:
    assert choose_blocks(rows, panels, depth, TARGET, 8) is None


def test_tiles_whose_rows_stay_in_the_first_cache_read_whole_rows() -> None:
    wide = replace(TARGET, l1d=48 << 10)
    assert choose_blocks(1024, 32, 1024, wide, 8) is None
    assert choose_blocks(1024, 32, 1024, wide, 12) == Blocks(rows=128, depth=512)
