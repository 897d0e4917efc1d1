"""Register tiles fit the registers, cover the rows in few tiles, and reduction steps divide."""

from __future__ import annotations

import pytest

from mlc.passes.common.register_tiles import (
    best_lines,
    best_rows,
    can_be_alone,
    panel,
    reduction_step,
    tile_columns,
    travels_in_registers,
    vectors,
)
from mlc.passes.common.target import accumulators, lanes, longest_step, registers
from mlc.targets import NAMED, Target

PROCESSORS = [
    NAMED[name]
    for name in ("x86-64", "x86-64-v3", "x86-64-v4", "aarch64", "aarch64-sve256", "riscv64-v128", "riscv64")
]
AVX512 = (16, 29)


@pytest.mark.parametrize(("width", "lanes", "count"), [(32, 16, 2), (33, 16, 3), (1, 16, 1), (8, 8, 1)])
def test_vectors(width: int, lanes: int, count: int) -> None:
    assert vectors(width, lanes) == count


@pytest.mark.parametrize("target", PROCESSORS, ids=str)
@pytest.mark.parametrize("columns", [4, 8, 16, 20, 32, 64, 1000])
def test_tiles_fit_the_registers(target: Target, columns: int) -> None:
    """Besides the accumulators, a row of the vector operand does, and a scalar to multiply it by."""
    width = tile_columns(columns, lanes(target), registers(target))
    for extent in range(1, 200):
        per_row = vectors(width, lanes(target))
        rows = best_rows(extent, width, lanes(target), accumulators(target, per_row))
        assert 1 <= rows <= extent
        assert (rows + 1) * per_row + 1 <= registers(target)


@pytest.mark.parametrize("target", PROCESSORS, ids=str)
def test_panels_are_tiles(target: Target) -> None:
    width = panel(lanes(target), registers(target))
    assert width % lanes(target) == 0
    assert tile_columns(width, lanes(target), registers(target)) == width
    assert tile_columns(1024, lanes(target), registers(target)) == width


@pytest.mark.parametrize(
    ("columns", "lanes", "whole"),
    [(16, 16, True), (7, 16, True), (32, 16, True), (64, 16, True), (48, 16, False), (49, 16, False)],
)
def test_vectors_that_travel_in_registers(columns: int, lanes: int, whole: bool) -> None:
    assert travels_in_registers(columns, lanes) == whole


@pytest.mark.parametrize(
    ("columns", "width"), [(49, 16), (48, 32), (24, 16), (28, 16), (33, 32), (196, 32), (120, 16), (784, 32)]
)
def test_odd_column_counts(columns: int, width: int) -> None:
    """A 7x7 image has 49 pixels: three vectors and one scalar, not a vector of 49."""
    assert tile_columns(columns, 16, 32) == width


@pytest.mark.parametrize(("columns", "width"), [(49, 32), (48, 32), (24, 16), (120, 32), (196, 32), (7, 7)])
def test_overlapping_tiles_are_wider(columns: int, width: int) -> None:
    assert tile_columns(columns, 16, 32, overlap=True) == width


@pytest.mark.parametrize("target", PROCESSORS, ids=str)
def test_neither_tiles_nor_their_rest_are_taken_apart(target: Target) -> None:
    for extent in range(1, 400):
        width = tile_columns(extent, lanes(target), registers(target))
        assert 1 <= width <= extent
        assert travels_in_registers(width, lanes(target))
        assert travels_in_registers(extent % width, lanes(target))


@pytest.mark.parametrize(
    ("columns", "lanes", "alone"),
    [(0, 16, True), (4, 16, True), (17, 16, False), (1, 16, False), (1, 1, True)],
)
def test_columns_after_the_last_tile(columns: int, lanes: int, alone: bool) -> None:
    assert can_be_alone(columns, lanes) == alone


def test_the_elements_of_an_iteration_fit_the_floating_point_registers_of_risc_v() -> None:
    for rows in range(1, 25):
        assert rows * longest_step(NAMED["riscv64-v128"], rows) <= 24


@pytest.mark.parametrize("extent", [7, 14, 28, 56, 112, 128, 960])
def test_common_extents_have_no_smaller_last_tile(extent: int) -> None:
    assert extent % best_rows(extent, 32, *AVX512) == 0


def test_a_prime_extent_has_large_tiles_and_a_rest() -> None:
    assert best_rows(97, 32, *AVX512) > 4


def test_enough_accumulators_are_in_flight() -> None:
    """Two units of four cycles each: eight fused multiply-adds must be independent."""
    assert best_rows(1000, 32, *AVX512) * vectors(32, 16) >= 8
    for target in PROCESSORS:
        assert accumulators(target, vectors(panel(lanes(target), registers(target)), lanes(target))) >= 8


@pytest.mark.parametrize(("extent", "step"), [(64, 4), (1, 1), (6, 3), (12, 4), (100, 4), (9, 3)])
def test_steps_divide_where_they_can(extent: int, step: int) -> None:
    assert reduction_step(extent, 8, 32, 16) == step


def test_a_prime_extent_takes_full_steps() -> None:
    assert reduction_step(97, 8, 32, 16) == 4


def test_large_tiles_take_small_steps() -> None:
    """A few hundred instructions, which fit the cache of decoded ones."""
    for rows in range(1, 30):
        assert reduction_step(4096, rows, 64, 16) * rows * 4 <= max(64, rows * 4)


@pytest.mark.parametrize(
    ("extent", "most", "lines"), [(7, 2, 2), (6, 2, 2), (4, 3, 2), (9, 4, 3), (3, 4, 3), (7, 1, 1), (7, 0, 1)]
)
def test_lines_make_few_tiles(extent: int, most: int, lines: int) -> None:
    assert best_lines(extent, most) == lines
