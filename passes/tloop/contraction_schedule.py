"""The default schedule of contractions, convolutions and pooling: a register tile per iteration.

The kernel's result is computed tile by tile; for each tile the accumulator starts in registers, runs through
all of the reduction, gets its epilogue, and is stored once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mlc.bindings import ir
from mlc.passes.tloop.computation import Computation, dim_position, dims_read
from mlc.passes.tloop.register_tile import best_rows, reduction_step
from mlc.passes.tloop.schedule_builder import ScheduleBuilder
from mlc.passes.tloop.target_attribute import lanes, registers
from mlc.targets import Target

# Columns of a register tile where the layout does not fix them.
COLUMNS = 32
WIDEST = 64
# Scalar ops of an epilogue that is too long to keep a tile of accumulators in registers.
HEAVY_EPILOGUE = 12


def is_column_reduction(computation: Computation) -> bool:
    """Whether the result's last dim is the last dim of an input: then vectors run along it."""
    if not computation.reductions or not computation.parallel:
        return False
    last = computation.parallel[-1]
    return any(
        indexing_map.results and dim_position(list(indexing_map.results)[-1]) == last
        for indexing_map in computation.maps[:-1]
    )


def is_multiply_add(computation: Computation) -> bool:
    """Whether both inputs have the innermost reduction dim as a dim of their own, as in a matrix product."""
    if len(computation.inputs) != 2 or not computation.reductions:
        return False
    innermost = computation.reductions[-1]
    return all(
        innermost in [dim_position(result) for result in each.results] for each in computation.maps[:-1]
    )


@dataclass
class ContractionSchedule:
    """`root` computes the kernel's result from the result of `anchor`, elementwise."""

    root: Computation
    anchor: Computation
    target: Target
    # Root dim for each of the anchor's parallel dims.
    root_dims: dict[int, int] = field(default_factory=dict)

    def matches(self) -> bool:
        """Whether root and anchor have one iteration space, so that a tile of one is a tile of the other."""
        reads = [index for index, value in enumerate(self.root.inputs) if value == self.anchor.result]
        if len(reads) != 1:
            return False
        results = self.root.maps[reads[0]].results
        positions = [dim for dim in map(dim_position, results) if dim is not None]
        if len(positions) != len(results) or sorted(positions) != list(range(len(self.root.extents))):
            return False
        self.root_dims = dict(zip(self.anchor.parallel, positions, strict=True))
        return True

    @property
    def column(self) -> int:
        return self.anchor.parallel[-1]

    def row(self) -> int | None:
        """The innermost dim, besides the column, that does not index the vector operand: its rows reuse
        it."""
        vector_maps = [
            each
            for each in self.anchor.maps[:-1]
            if each.results and dim_position(list(each.results)[-1]) == self.column
        ]
        weighted = is_multiply_add(self.anchor) or len(vector_maps) == 2
        shared = dims_read(vector_maps[-1]) if weighted else {self.column}
        candidates = [
            dim for dim in self.anchor.parallel[:-1] if dim not in shared and self.anchor.extents[dim] > 1
        ]
        return candidates[-1] if candidates else None

    def has_heavy_epilogue(self) -> bool:
        """Whether the epilogue of a whole tile would not fit the registers; it then runs row by row, from
        memory."""
        return len(self.root.op.regions[0].blocks[0].operations) > HEAVY_EPILOGUE

    def columns(self) -> int:
        """Columns of the register tile."""
        extent = self.anchor.extents[self.column]
        return extent if extent <= WIDEST else COLUMNS

    def build(self, builder: ScheduleBuilder, vector_root: bool) -> None:
        """Emits the schedule for the blocks named "root", "anchor" and "init"."""
        root = builder.get_block("root")
        others = [builder.get_block(name) for name in ("anchor", "init")]
        width = self.columns()
        row = self.row()
        rows = self._rows(row, width)
        peeled: list[ir.Value] = []

        def tile(dims: dict[int, int], mode: str) -> None:
            nonlocal root, others
            sizes = [0] * (max(self.root_dims[dim] for dim in dims) + 1)
            for dim, size in dims.items():
                sizes[self.root_dims[dim]] = size
            root, loop = builder.tile(root, sizes, mode)
            others = [builder.compute_at(block, loop) for block in others]
            uneven = any(self.anchor.extents[dim] % size for dim, size in dims.items())
            if mode == "sequential" and uneven:
                peeled.append(loop)

        self._outer_tiles(tile, row, width)
        if width < self.anchor.extents[self.column] and not self._column_is_parallel(width):
            tile({self.column: width}, "sequential")
        if row is not None and rows < self.anchor.extents[row]:
            tile({row: rows}, "sequential")
        for loop in peeled:
            builder.peel(loop)
        if row is not None and self.has_heavy_epilogue():
            root, _ = builder.tile(root, [0] * self.root_dims[row] + [1], "sequential")
        anchor = self._reduction_tiles(builder, others[0], rows, width)
        builder.vectorize([others[1], anchor, root] if vector_root else [others[1], anchor])

    def _rows(self, row: int | None, width: int) -> int:
        if row is None:
            return 1
        return best_rows(self.anchor.extents[row], width, lanes(self.target), registers(self.target))

    def _outer(self, row: int | None) -> list[int]:
        extents = self.anchor.extents
        return [dim for dim in self.anchor.parallel if dim not in (row, self.column) and extents[dim] > 1]

    def _column_is_parallel(self, width: int) -> bool:
        """Without outer dims the threads share the columns."""
        extent = self.anchor.extents[self.column]
        return not self._outer(self.row()) and extent > width and extent % width == 0

    def _outer_tiles(self, tile, row: int | None, width: int) -> None:  # type: ignore[no-untyped-def]
        outer = dict.fromkeys(self._outer(row), 1)
        if self._column_is_parallel(width):
            outer[self.column] = width
        if not outer:
            return
        tile(outer, "parallel")

    def _reduction_tiles(self, builder: ScheduleBuilder, anchor: ir.Value, rows: int, width: int) -> ir.Value:
        """Outer reduction dims one by one; the innermost of a matrix product in unrolled steps."""
        steps = {dim: 1 for dim in self.anchor.reductions if self.anchor.extents[dim] > 1}
        innermost = self.anchor.reductions[-1]
        if is_multiply_add(self.anchor) and innermost in steps:
            steps[innermost] = reduction_step(self.anchor.extents[innermost], rows, width, lanes(self.target))
        peeled = []
        for dim, step in steps.items():
            if step == self.anchor.extents[dim]:
                continue
            anchor, loop = builder.tile(anchor, [0] * dim + [step], "sequential")
            if self.anchor.extents[dim] % step:
                peeled.append(loop)
        for loop in peeled:
            builder.peel(loop)
        return anchor
