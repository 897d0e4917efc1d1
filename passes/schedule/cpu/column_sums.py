"""Reductions over the rows of a large array, which are read contiguously: sums stay in the L1 cache."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.register_tiles import panel
from mlc.passes.common.target import lanes, registers
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add, positions
from mlc.passes.schedule.cpu.contraction import ContractionSchedule, TileNest

# Rows that are added to the sums together, by which loads and stores of these decrease.
ROWS = 4
# Sums of a tile: parts of rows are contiguous in memory for a page.
LARGEST_BYTES = 4096
ELEMENT_BYTES = 4


def column_sums(schedule: ContractionSchedule) -> ColumnSums | None:
    """Returns the schedule of a reduction over the rows of an array that does not fit the L2 cache; None for
    other contractions, and if a register tile takes full rows."""
    anchor = schedule.anchor
    if is_multiply_add(anchor) or anchor.parallel[-1] in anchor.dynamic or not _reads_whole_rows(anchor):
        return None
    column, row = anchor.parallel[-1], anchor.reductions[-1]
    width = panel(lanes(schedule.target), registers(schedule.target))
    columns = _columns_together(anchor.extents[column], width)
    large = anchor.work * ELEMENT_BYTES > schedule.target.l2
    if columns is None or not large or anchor.extents[row] < 2 * ROWS:
        return None
    return ColumnSums(schedule, columns, width)


def _reads_whole_rows(anchor: Computation) -> bool:
    """Whether an input has all dims, the columns last and rows before them; others have plain dims."""
    inputs = [[dim_position(result) for result in indexing_map.results] for indexing_map in anchor.maps[:-1]]
    every = {dim for dim, extent in enumerate(anchor.extents) if extent > 1}
    rows = [anchor.reductions[-1], anchor.parallel[-1]]
    whole = any(dims[-2:] == rows and every <= set(dims) for dims in inputs)
    return whole and all(None not in dims for dims in inputs)


def _columns_together(extent: int, width: int) -> int | None:
    """Returns the largest divisor of `extent`, a multiple of the width, that leaves work for several threads;
    None without one of two widths."""
    most = min(LARGEST_BYTES // ELEMENT_BYTES, extent // 2)
    fitting = range(most // width * width, width, -width)
    return next((columns for columns in fitting if extent % columns == 0), None)


@dataclass
class ColumnSums:
    """The schedule with sums of `columns` columns in memory, to which rows are added in vectors of
    `width`."""

    schedule: ContractionSchedule
    columns: int
    width: int

    def build(self, builder: ScheduleBuilder) -> None:
        """Emits the schedule for the blocks named "root", "anchor" and "init"."""
        anchor = self.schedule.anchor
        column, extents = anchor.parallel[-1], anchor.extents
        nest = TileNest(builder, anchor, self.schedule.root_dims)
        outer = {dim: 1 for dim in anchor.parallel[:-1] if extents[dim] > 1}
        nest.tile({**outer, column: self.columns}, "parallel")
        tiled, rows = self.tile_anchor(builder, nest.anchor)
        at_init = positions({len(anchor.parallel) - 1: self.width})
        init, _ = builder.tile(nest.init, at_init, "sequential")
        at_root = positions({self.schedule.root_dims[column]: self.width})
        root, _ = builder.tile(nest.root, at_root, "sequential")
        # Last: it simplifies the loops, and with them removes the tags of the other computations.
        if extents[anchor.reductions[-1]] % ROWS:
            builder.peel(rows)
        builder.vectorize([init, tiled, root])

    def tile_anchor(self, builder: ScheduleBuilder, tiled: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Tiles outer dims of the sum by 1, and rows by groups, whose vectors are added one by one.

        Returns the tiled anchor and the loop over groups."""
        anchor = self.schedule.anchor
        *outer, row = anchor.reductions
        for dim in outer:
            tiled, _ = builder.tile(tiled, positions({dim: 1}), "sequential")
        tiled, rows = builder.tile(tiled, positions({row: ROWS}), "sequential")
        for dim, size in ((anchor.parallel[-1], self.width), (row, 1)):
            tiled, _ = builder.tile(tiled, positions({dim: size}), "sequential")
        return tiled, rows
