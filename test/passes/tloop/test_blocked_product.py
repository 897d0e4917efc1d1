"""Blocks divide the sizes, fit the second cache, and give each core something to do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mlc.passes.tloop.blocked_product import Blocks, choose_blocks
from mlc.targets import NAMED, Target


def with_cores(cores: int) -> Target:
    return replace(NAMED["x86-64-v4"], l2=1 << 20, cores=cores)


@pytest.mark.parametrize("cores", [1, 2, 4])
@pytest.mark.parametrize("depth", [1024, 3072])
@pytest.mark.parametrize("panels", [24, 32])
@pytest.mark.parametrize("rows", [64, 100, 197, 1024])
def test_blocks(rows: int, panels: int, depth: int, cores: int) -> None:
    target = with_cores(cores)
    blocks = choose_blocks(rows, panels, depth, target)
    assert blocks is not None
    assert (rows % blocks.rows, panels % blocks.panels, depth % blocks.depth) == (0, 0, 0)
    assert 4 * blocks.rows * blocks.depth <= target.l2 // 2
    assert rows // blocks.rows * panels // blocks.panels >= cores


def test_the_longest_block_comes_first() -> None:
    assert choose_blocks(128, 24, 3072, with_cores(2)) == Blocks(rows=128, panels=12, depth=768)
    assert choose_blocks(1024, 32, 1024, with_cores(2)) == Blocks(rows=128, panels=32, depth=512)


@pytest.mark.parametrize(
    ("rows", "panels", "depth"),
    [
        pytest.param(128, 24, 768, id="short rows"),
        pytest.param(128, 16, 1376, id="rows in different sets of the cache"),
        pytest.param(1, 32, 4096, id="a vector"),
        pytest.param(128, 5, 3072, id="few panels"),
        pytest.param(128, 43, 3072, id="a prime number of panels"),
        pytest.param(1009, 24, 3072, id="a prime number of rows"),
    ],
)
def test_whole(rows: int, panels: int, depth: int) -> None:
    assert choose_blocks(rows, panels, depth, with_cores(2)) is None
