"""Layouts of the operands and accumulators of matrix multiplications of tiles.

Source: the fragments of `mma.sync` in NVIDIA's PTX documentation, of shape m16n8 and 32 bytes of the
reduction ("Matrix Fragments for mma.m16n8k16" and its neighbours), and of `wgmma` ("Register Fragments and
Shared Memory Matrix Layouts"). Threads of a multiplication without matrix units hold blocks of 4 columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.passes.accel.common.layouts import LANE_BITS, Layout, Vector, along, bits

ROWS, COLUMNS = 16, 8
# Rows of the accumulator of one `wgmma`; each warp of a group of 4 has 16.
GROUP_ROWS = 64
# Bytes along the reduction that one instruction reads of a row of an operand, and that a register holds.
DEPTH_BYTES, REGISTER_BYTES = 32, 4
# Bits of a lane's index that select columns, without matrix units.
_LANES_ACROSS = 3


@dataclass(frozen=True)
class WarpGrid:
    """The partition of a matrix multiplication's result among the warps of a block: `down` times `across`
    parts, each of which `copies` warps compute."""

    down: int
    across: int
    copies: int = 1


def warp_grid(
    rows: int, columns: int, warps: int, least_rows: int, least_columns: int, *, whole_rows: bool = False
) -> WarpGrid:
    """Returns the grid with the most parts, and of these with the most square ones: a warp then reads least
    of the operands. With `whole_rows`, each warp has all columns of its rows, if there is a part for each."""
    grids = [
        WarpGrid(parts // across, across, warps // parts)
        for parts in _powers(warps)
        for across in _powers(parts)
    ]
    fitting = [
        grid for grid in grids if rows // grid.down >= least_rows and columns // grid.across >= least_columns
    ]
    if whole_rows:
        fitting = [grid for grid in fitting if grid.across == grid.copies == 1] or fitting
    return min(
        fitting or grids[:1], key=lambda grid: (grid.copies, rows // grid.down + columns // grid.across)
    )


def grid_of(sums: Layout) -> WarpGrid:
    """Returns the partition among the warps of an accumulator with the layout `sums`."""
    down, across = (sum(1 for vector in sums.warps if vector[dim]) for dim in range(2))
    return WarpGrid(1 << down, 1 << across, 1 << (len(sums.warps) - down - across))


def _powers(most: int) -> list[int]:
    return [1 << bit for bit in range(bits(most) + 1)]


def accumulators(rows: int, columns: int, grid: WarpGrid) -> Layout:
    """Returns the layout of the accumulator of `mma.sync`, `[rows, columns]`."""
    part_rows, part_columns = rows // grid.down, columns // grid.across
    registers = [(0, 1), (8, 0), *_across(COLUMNS, part_columns), *_down(ROWS, part_rows)]
    lanes = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
    warps = [*_across(part_columns, columns), *_down(part_rows, rows), *_none(grid.copies)]
    return Layout((rows, columns), tuple(registers), lanes, tuple(warps))


def left_operand(rows: int, depth: int, grid: WarpGrid, element_bytes: int) -> Layout:
    """Returns the layout of the left operand of `mma.sync`, `[rows, depth]`."""
    pack = REGISTER_BYTES // element_bytes
    registers = [*_across(1, pack), (8, 0), (0, 4 * pack), *_across(8 * pack, depth)]
    registers += _down(ROWS, rows // grid.down)
    lanes = ((0, pack), (0, 2 * pack), (1, 0), (2, 0), (4, 0))
    return Layout(
        (rows, depth),
        tuple(registers),
        lanes,
        (*_none(grid.across), *_down(rows // grid.down, rows), *_none(grid.copies)),
    )


def right_operand(depth: int, columns: int, grid: WarpGrid, element_bytes: int) -> Layout:
    """Returns the layout of the right operand of `mma.sync`, `[depth, columns]`."""
    pack = REGISTER_BYTES // element_bytes
    registers = [*_down(1, pack), (4 * pack, 0), *_down(8 * pack, depth)]
    registers += _across(COLUMNS, columns // grid.across)
    lanes = ((pack, 0), (2 * pack, 0), (0, 1), (0, 2), (0, 4))
    return Layout(
        (depth, columns),
        tuple(registers),
        lanes,
        (*_across(columns // grid.across, columns), *_none(grid.down), *_none(grid.copies)),
    )


def warpgroup_sums(rows: int, columns: int, grid: WarpGrid) -> Layout:
    """Returns the layout of the accumulator of `wgmma`, `[rows, columns]`, partitioned among warp groups by
    `grid`."""
    part_rows, part_columns = rows // grid.down, columns // grid.across
    registers = [(0, 1), (8, 0), *_across(COLUMNS, part_columns), *_down(GROUP_ROWS, part_rows)]
    lanes = ((0, 2), (0, 4), (1, 0), (2, 0), (4, 0))
    warps = [*_down(ROWS, GROUP_ROWS), *_across(part_columns, columns), *_down(part_rows, rows)]
    return Layout((rows, columns), tuple(registers), lanes, tuple(warps))


def warpgroup_left_operand(sums: Layout, depth: int, element_bytes: int) -> Layout:
    """Returns the layout of the left operand of `wgmma` in registers, `[rows, depth]`, for the accumulator
    `sums`."""
    pack = REGISTER_BYTES // element_bytes
    registers = [*_across(1, pack), (8, 0), (0, 4 * pack), *_across(8 * pack, depth)]
    registers += [register for register in sums.registers if register[0] >= GROUP_ROWS]
    lanes = ((0, pack), (0, 2 * pack), (1, 0), (2, 0), (4, 0))
    warps = tuple((row, 0) for row, _ in sums.warps)
    return Layout((sums.shape[0], depth), tuple(registers), lanes, warps)


def scalar_grid(
    rows: int, columns: int, warps: int, lane_bits: int = LANE_BITS, *, whole_rows: bool = False
) -> WarpGrid:
    """Returns the partition of a multiplication without matrix units, with 8 lanes along the columns if they
    suffice."""
    least_rows = 1 << (lane_bits - _LANES_ACROSS)
    return warp_grid(rows, columns, warps, least_rows, 16, whole_rows=whole_rows)


def scalar_sums(rows: int, columns: int, grid: WarpGrid, lane_bits: int = LANE_BITS) -> Layout:
    """Returns the accumulator's layout without matrix units: threads hold 4 columns, in blocks as square as
    possible."""
    part_rows, part_columns = rows // grid.down, columns // grid.across
    run = min(4, part_columns)
    columns_left = _across(run, part_columns)
    rows_left = _down(1, part_rows)
    down = lane_bits - _LANES_ACROSS
    lanes = [*columns_left[:_LANES_ACROSS], *rows_left[:down]]
    rest = [*columns_left[_LANES_ACROSS:], *rows_left[down:]]
    while len(lanes) < lane_bits:
        lanes.append(rest.pop(0) if rest else (0, 0))
    warps = [*_across(part_columns, columns), *_down(part_rows, rows), *_none(grid.copies)]
    return Layout((rows, columns), (*_across(1, run), *rest), tuple(lanes), tuple(warps))


def rows_of(sums: Layout, depth: int) -> Layout:
    """Returns the left operand's layout, `[rows, depth]`: each thread has all of the rows of its
    accumulators."""
    return _operand(sums, 0, depth)


def columns_of(sums: Layout, depth: int) -> Layout:
    """Returns the right operand's layout, `[depth, columns]`: each thread has all of the columns of its
    accumulators."""
    return _operand(sums, 1, depth)


def _operand(sums: Layout, kept: int, depth: int) -> Layout:
    def only(vectors: tuple[Vector, ...]) -> tuple[Vector, ...]:
        return tuple((vector[0], 0) if kept == 0 else (0, vector[1]) for vector in vectors)

    own = [vector for vector in only(sums.registers) if any(vector)]
    reduction = along(1 - kept, 2, 1, depth)
    # The dim that is contiguous in memory comes first.
    registers = [*reduction, *own] if kept == 0 else [*own, *reduction]
    shape = (sums.shape[0], depth) if kept == 0 else (depth, sums.shape[1])
    return Layout(shape, tuple(registers), only(sums.lanes), only(sums.warps))


def _none(count: int) -> list[Vector]:
    """Zero vectors, for bits of a warp's index that do not select a part."""
    return [(0, 0)] * bits(count)


def _across(start: int, end: int) -> list[Vector]:
    return along(1, 2, start, end // start)


def _down(start: int, end: int) -> list[Vector]:
    return along(0, 2, start, end // start)
