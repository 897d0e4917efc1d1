"""Layouts give every element to some thread, and to one register of it."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from mlc.passes.accel.common.layouts import Layout, blocked_layout
from mlc.passes.accel.common.matrix_layouts import (
    WarpGrid,
    accumulators,
    columns_of,
    left_operand,
    right_operand,
    rows_of,
    scalar_sums,
    warp_grid,
)
from mlc.passes.accel.threads.amd import wavefront_mma as amd
from mlc.passes.accel.threads.amd.wavefront_mma import OperandSide

GRID = WarpGrid(2, 2)
SUMS = accumulators(64, 32, GRID)
LAYOUTS = {
    "line": blocked_layout([1024], 4, 4),
    "few": blocked_layout([16], 4, 4),
    "one": blocked_layout([1], 8, 4),
    "matrix": blocked_layout([16, 256], 4, 8),
    "columns_first": blocked_layout([64, 64], 2, 4, order=[0, 1]),
    "accumulators": SUMS,
    "left_f16": left_operand(64, 16, GRID, 2),
    "left_tf32": left_operand(64, 8, GRID, 4),
    "right_s8": right_operand(32, 64, GRID, 1),
    "scalar_sums": scalar_sums(64, 64, WarpGrid(2, 2)),
    "rows": rows_of(scalar_sums(64, 64, WarpGrid(2, 2)), 4),
    "columns": columns_of(scalar_sums(64, 64, WarpGrid(2, 2)), 4),
    "wavefronts": blocked_layout([16, 256], 2, 8, lane_bits=6),
    "wavefront_scalar_sums": scalar_sums(64, 64, GRID, 6),
    "amd_sums": amd.accumulators(OperandSide(0, 64, 32, 1), OperandSide(1, 64, 32, 2), 1, False),
    "amd_sums_of_f64": amd.accumulators(OperandSide(0, 64, 32, 2), OperandSide(1, 64, 64, 1), 1, True),
    "amd_left": amd.operand_layout(OperandSide(0, 64, 32, 2), 8, GRID),
    "amd_right": amd.operand_layout(OperandSide(1, 64, 32, 1), 4, GRID),
}


def elements(layout: Layout) -> Counter[tuple[int, ...]]:
    threads = range(1 << len(layout.threads))
    return Counter(layout.element(register, thread) for register in range(layout.size) for thread in threads)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_every_element_is_held_as_often_as_there_are_copies(layout: Layout) -> None:
    copies = 1 << sum(1 for vector in layout.threads if not any(vector))
    expected = dict.fromkeys(itertools.product(*map(range, layout.shape)), copies)
    assert elements(layout) == expected


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_registers_are_found_by_their_offset(layout: Layout) -> None:
    for register in range(layout.size):
        assert layout.register_at(layout.offset(register)) == register
    with pytest.raises(KeyError):
        layout.register_at(tuple(layout.shape))


def test_the_fragments_of_ptx() -> None:
    """Lane 5 is the second one of group 1 in m16n8k16."""
    one = WarpGrid(1, 1)
    sums = accumulators(16, 8, one)
    assert [sums.element(index, 5) for index in range(4)] == [(1, 2), (1, 3), (9, 2), (9, 3)]
    left = left_operand(16, 16, one, 2)
    assert [left.element(index, 5) for index in range(8)] == [
        *((1, 2), (1, 3), (9, 2), (9, 3)),
        *((1, 10), (1, 11), (9, 10), (9, 11)),
    ]
    right = right_operand(16, 8, one, 2)
    assert [right.element(index, 5) for index in range(4)] == [(2, 1), (3, 1), (10, 1), (11, 1)]


def test_runs_of_registers_are_contiguous() -> None:
    assert blocked_layout([16, 256], 4, 8).unit_run(1) == 8
    assert SUMS.unit_run(1) == 2
    assert SUMS.unit_run(0) == 1


def test_reduced_and_expanded_agree_on_threads() -> None:
    rows = SUMS.remove_dims([1])
    assert rows.shape == (64,)
    assert rows.element(0, 5) == (SUMS.element(0, 5)[0],)
    assert rows.insert_dims([1]).element(1, 37) == (rows.element(1, 37)[0], 0)


def test_transposed_and_reshaped_keep_elements() -> None:
    flat = SUMS.reshape([2048])
    turned = SUMS.transpose([1, 0])
    for register, thread in itertools.product(range(SUMS.size), (0, 7, 100)):
        row, column = SUMS.element(register, thread)
        assert flat.element(register, thread) == (row * 32 + column,)
        assert turned.element(register, thread) == (column, row)
    assert flat.reshape([64, 32]) == SUMS


def test_a_part_has_registers_of_all_threads() -> None:
    """A part has fewer columns, which are in different registers, but not fewer rows, which are in different
    warps."""
    sums = accumulators(64, 32, WarpGrid(4, 1))
    part = sums.part([64, 16])
    assert part is not None and part.shape == (64, 16) and part.size == sums.size // 2
    for register, thread in itertools.product(range(part.size), (0, 7, 100)):
        row, column = part.element(register, thread)
        first, second = part.offset(register)
        assert sums.element(sums.register_at((first, second + 16)), thread) == (row, column + 16)
    assert sums.part([32, 32]) is None


def test_the_same_threads_in_other_registers() -> None:
    turned = Layout(SUMS.shape, SUMS.registers[::-1], SUMS.lanes, SUMS.warps)
    assert SUMS.same_threads(turned)
    assert not SUMS.same_threads(blocked_layout([64, 32], 4, 4))


@pytest.mark.parametrize(
    ("rows", "columns", "least_sum"), [(128, 128, 96), (64, 256, 96), (256, 32, 64), (16, 64, 24)]
)
def test_parts_of_warps_are_as_square_as_can_be(rows: int, columns: int, least_sum: int) -> None:
    """Parts of 8 warps have at least 16 rows and 8 columns."""
    found = warp_grid(rows, columns, 8, 16, 8)
    part = rows // found.down, columns // found.across
    assert (found.down * found.across, found.copies) == (8, 1)
    assert part[0] >= 16 and part[1] >= 8
    assert sum(part) == least_sum


def test_warps_that_are_too_many_hold_copies() -> None:
    assert warp_grid(16, 16, 8, 16, 8) == WarpGrid(1, 2, 4)


def test_blocks_must_be_powers_of_two() -> None:
    with pytest.raises(ValueError, match="is not a power of two"):
        blocked_layout([24], 1, 8)


WAVEFRONT_ROWS, WAVEFRONT_COLUMNS = OperandSide(0, 16, 16, 1), OperandSide(1, 16, 16, 1)


def test_a_wavefront_holds_sums_as_its_instruction_leaves_them() -> None:
    """Columns 4 (l / 16) + r of row l % 16; of f64, columns l / 16 + 4 r."""
    plain, apart = (amd.accumulators(WAVEFRONT_ROWS, WAVEFRONT_COLUMNS, 1, flag) for flag in (False, True))
    for register, lane in itertools.product(range(4), range(64)):
        assert plain.element(register, lane) == (lane % 16, 4 * (lane // 16) + register)
        assert apart.element(register, lane) == (lane % 16, lane // 16 + 4 * register)


def test_a_wavefront_gives_operands_as_its_instruction_takes_them() -> None:
    """8 elements along the reduction are those of two instructions that take 4 each."""
    one = WarpGrid(1, 1)
    left, right = (
        amd.operand_layout(WAVEFRONT_ROWS, 8, one),
        amd.operand_layout(WAVEFRONT_COLUMNS, 8, one),
    )
    for register, lane in itertools.product(range(8), range(64)):
        assert left.element(register, lane) == (lane % 16, 8 * (lane // 16) + register)
        assert right.element(register, lane) == (8 * (lane // 16) + register, lane % 16)


def test_sums_of_wavefronts_are_the_next_products_left_operand() -> None:
    rows, columns = OperandSide(0, 64, 32, 1), OperandSide(1, 16, 16, 1)
    assert amd.accumulators(rows, columns, 1, False) == amd.operand_layout(rows, 4, WarpGrid(2, 1))


def test_neighbours_belong_to_different_instructions() -> None:
    columns = OperandSide(1, 128, 128, 4)
    assert [columns.first(index) for index in range(8)] == [0, 1, 2, 3, 64, 65, 66, 67]
    right = amd.operand_layout(columns, 4, WarpGrid(1, 1))
    assert right.unit_run(1) == 4
    assert [right.element(index, 1) for index in range(5)] == [(0, 4), (0, 5), (0, 6), (0, 7), (1, 4)]
