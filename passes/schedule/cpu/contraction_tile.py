"""The register tile of a contraction: which dims it lies along, and how many points of each it has."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.passes.common.computation import Computation, dim_position, dims_read, divided_dims
from mlc.passes.common.register_tiles import best_lines, best_rows, open_rows, tile_columns, vectors
from mlc.passes.common.target import accumulators, lanes, registers
from mlc.passes.schedule.common.contractions import is_multiply_add
from mlc.targets import Target


@dataclass(frozen=True)
class RegisterTile:
    """The accumulators that stay in registers: `rows` points of dim `row` (None: no dim has rows) times
    `width` points of dim `column`; all that for `lines` points of dim `line`, where it has one."""

    column: int
    width: int
    row: int | None
    rows: int
    line: int | None = None
    lines: int = 1

    @property
    def sizes(self) -> dict[int, int]:
        """Points of the dims that have rows."""
        dims = {self.line: self.lines, self.row: self.rows}
        return {dim: points for dim, points in dims.items() if dim is not None}


def choose_tile(anchor: Computation, target: Target, overlap: bool = False) -> RegisterTile:
    """The register tile of a contraction for the target's registers. With `overlap`, the last tile of columns
    may begin within the one before."""
    column, candidates = anchor.parallel[-1], reusing_dims(anchor)
    width = tile_columns(anchor.extents[column], lanes(target), registers(target), overlap)
    if not candidates:
        return RegisterTile(column, width, None, 1)
    *others, row = candidates
    most = accumulators(target, vectors(width, lanes(target)))
    if row in anchor.run_time:
        return RegisterTile(column, width, row, open_rows(width, lanes(target), most))
    rows = best_rows(anchor.extents[row], width, lanes(target), most)
    lined = others and others[-1] not in anchor.run_time and is_multiply_add(anchor)
    if rows == anchor.extents[row] and lined:
        lines = best_lines(anchor.extents[others[-1]], most // vectors(width, lanes(target)) // rows)
        if lines > 1:
            return RegisterTile(column, width, row, rows, others[-1], lines)
    return RegisterTile(column, width, row, rows)


def reusing_dims(anchor: Computation) -> list[int]:
    """The dims, besides the column, that do not index the vector operand: their points reuse it. Where the
    columns slide, no dim is like that, and those whose steps are alike are taken."""
    column = anchor.parallel[-1]
    vector_maps = [
        each for each in anchor.maps[:-1] if each.results and dim_position(list(each.results)[-1]) == column
    ]
    weighted = is_multiply_add(anchor) or len(vector_maps) == 2
    shared = dims_read(vector_maps[-1]) if weighted else {column}
    if not vector_maps:
        shared = shared.union(*map(divided_dims, anchor.maps[:-1]))
    return [dim for dim in anchor.parallel[:-1] if dim not in shared and anchor.extents[dim] > 1]
