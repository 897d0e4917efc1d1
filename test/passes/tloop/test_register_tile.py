"""Register tiles fit the registers, cover the rows in few tiles, and reduction steps divide."""

from __future__ import annotations

import pytest
from mlc.passes.tloop.register_tile import best_rows, reduction_step, vectors

AVX512, AVX2, NEON = (16, 32), (8, 16), (4, 32)


@pytest.mark.parametrize(("width", "lanes", "count"), [(32, 16, 2), (33, 16, 3), (1, 16, 1), (8, 8, 1)])
def test_vectors(width: int, lanes: int, count: int) -> None:
    assert vectors(width, lanes) == count


@pytest.mark.parametrize(("lanes", "registers"), [AVX512, AVX2, NEON])
@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_tiles_fit_the_registers(lanes: int, registers: int, width: int) -> None:
    for extent in range(1, 200):
        rows = best_rows(extent, width, lanes, registers)
        assert 1 <= rows <= extent
        assert rows == 1 or (rows + 1) * vectors(width, lanes) <= registers


@pytest.mark.parametrize("extent", [7, 14, 28, 56, 112, 128, 960])
def test_common_extents_have_no_smaller_last_tile(extent: int) -> None:
    assert extent % best_rows(extent, 32, *AVX512) == 0


def test_a_prime_extent_has_large_tiles_and_a_rest() -> None:
    assert best_rows(97, 32, *AVX512) > 4


def test_enough_accumulators_are_in_flight() -> None:
    """Two units of four cycles each: eight fused multiply-adds must be independent."""
    assert best_rows(1000, 32, *AVX512) * vectors(32, 16) >= 8


@pytest.mark.parametrize(("extent", "step"), [(64, 8), (1, 1), (5, 5), (12, 6), (100, 5), (7, 7)])
def test_steps_divide_where_they_can(extent: int, step: int) -> None:
    assert reduction_step(extent, 8, 32, 16) == step


def test_a_prime_extent_takes_full_steps() -> None:
    assert reduction_step(97, 8, 32, 16) == 8


def test_large_tiles_take_small_steps() -> None:
    """The unrolled step must fit the cache of decoded instructions."""
    for rows in range(1, 30):
        assert reduction_step(4096, rows, 64, 16) * rows * 4 <= max(160, rows * 4)
