"""The default schedule of contractions, convolutions and pooling: a register tile per iteration.

The kernel's result is computed tile by tile; for each tile the accumulator starts in registers, runs through
all of the reduction, gets its epilogue, and is stored once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position, dims_read, divided_dims
from mlc.passes.common.padding import padded_dims
from mlc.passes.common.register_tiles import (
    OPEN_ROWS,
    OPEN_ROWS_AND_COLUMNS,
    best_lines,
    best_rows,
    can_be_alone,
    open_rows,
    reduction_step,
    tile_columns,
    vectors,
)
from mlc.passes.common.target import accumulators, lanes, longest_step, registers
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add, positions
from mlc.targets import Target


@dataclass(frozen=True)
class RegisterTile:
    """The accumulators that stay in registers: `rows` points of dim `row` (None: no dim has rows) times
    `width` points of dim `column`, for each of `lines` points of dim `line`, if it has one."""

    column: int
    width: int
    row: int | None
    rows: int
    line: int | None = None
    lines: int = 1

    @property
    def sizes(self) -> dict[int, int]:
        """The tile sizes of the dims that have rows."""
        dims = {self.line: self.lines, self.row: self.rows}
        return {dim: points for dim, points in dims.items() if dim is not None}


def accumulator_lanes(anchor: Computation, target: Target) -> int:
    """Returns the accumulators per vector register: f64 halves them, types below 32 bits are widened."""
    element = ir.RankedTensorType(anchor.init.type).element_type
    return lanes(target, max(32, element.width))


def choose_tile(anchor: Computation, target: Target, overlap: bool = False) -> RegisterTile:
    """Returns the register tile of a contraction for the target's registers. With `overlap`, the last tile of
    columns may begin within the one before."""
    column, candidates = anchor.parallel[-1], reusing_dims(anchor)
    vector = accumulator_lanes(anchor, target)
    width = tile_columns(anchor.extents[column], vector, registers(target), overlap)
    if not candidates:
        return RegisterTile(column, width, None, 1)
    *others, row = candidates
    most = accumulators(target, vectors(width, vector))
    if row in anchor.dynamic:
        limit = OPEN_ROWS_AND_COLUMNS if column in anchor.dynamic else OPEN_ROWS
        return RegisterTile(column, width, row, open_rows(width, vector, most, limit))
    rows = best_rows(anchor.extents[row], width, vector, most)
    lined = others and others[-1] not in anchor.dynamic and is_multiply_add(anchor)
    if rows == anchor.extents[row] and lined:
        lines = best_lines(anchor.extents[others[-1]], most // vectors(width, vector) // rows)
        if lines > 1:
            return RegisterTile(column, width, row, rows, others[-1], lines)
    return RegisterTile(column, width, row, rows)


def reusing_dims(anchor: Computation) -> list[int]:
    """Returns the dims, besides the column, that do not index the vector operand: their points reuse it. If
    the columns slide, no dim is like that, and those with constant strides are taken."""
    column = anchor.parallel[-1]
    vector_maps = [
        indexing_map
        for indexing_map in anchor.maps[:-1]
        if indexing_map.results and dim_position(list(indexing_map.results)[-1]) == column
    ]
    weighted = is_multiply_add(anchor) or len(vector_maps) == 2
    shared = dims_read(vector_maps[-1]) if weighted else {column}
    if not vector_maps:
        shared = shared.union(*map(divided_dims, anchor.maps[:-1]))
    return [dim for dim in anchor.parallel[:-1] if dim not in shared and anchor.extents[dim] > 1]


# Scalar ops of an epilogue that is too long to keep a tile of accumulators in registers.
HEAVY_EPILOGUE = 12
# Tiles of rows that a thread computes for all columns, where there are no other dims to share.
TILES_OF_THREAD = 4
# Products of an element whose storing takes longer than they do: rows of the result are written one after the
# other, and not a vector of each row at a time.
FEW_PRODUCTS = 32
# Iterations of a parallel loop for each core.
LEAST_BLOCKS = 2


class TileNest:
    """The loops over tiles of the result, outermost first; anchor and initial value move into each of them.

    `root_dims` maps each parallel dim of the anchor to a dim of the root.
    """

    def __init__(
        self,
        builder: ScheduleBuilder,
        anchor: Computation,
        root_dims: Mapping[int, int],
        shared: Iterable[int] = (),
    ) -> None:
        self.builder = builder
        # Dims that threads share have blocks of tiles, of which the last has any size.
        self.extents, self.dynamic = anchor.extents, anchor.dynamic.union(shared)
        self.root_dims = root_dims
        self.root, self.anchor, self.init = (builder.get_block(name) for name in ("root", "anchor", "init"))
        self.uneven: list[ir.Value] = []
        self.overlapping: list[ir.Value] = []
        # Loops over dynamic extents.
        self.open: list[ir.Value] = []

    def tile(self, sizes: Mapping[int, int], mode: str, overlap: bool = False) -> None:
        """Adds a loop over tiles of `sizes[dim]` points of the anchor's dims. With `overlap`, a partial last
        tile is made a full one."""
        by_root_dim = {self.root_dims[dim]: size for dim, size in sizes.items()}
        self.root, loop = self.builder.tile(self.root, positions(by_root_dim), mode)
        self.anchor = self.builder.compute_at(self.anchor, loop)
        self.init = self.builder.compute_at(self.init, loop)
        if mode == "sequential" and self.dynamic.intersection(sizes) and not overlap:
            if max(sizes.values()) > 1:
                self.open.append(loop)
        elif mode == "sequential" and (
            overlap or any(self.extents[dim] % size for dim, size in sizes.items())
        ):
            (self.overlapping if overlap else self.uneven).append(loop)

    def peel(self) -> None:
        """Peels the partial last tile of every loop that has one, or makes it a full one."""
        for loop in self.open:
            self.builder.balance(loop)
        for loop in self.overlapping:
            self.builder.shift_inwards(loop)
        for loop in self.uneven:
            self.builder.peel(loop)

    def split_root(self, dims: Iterable[int]) -> None:
        """Tiles the root alone by 1 along `dims` of the anchor."""
        sizes = {self.root_dims[dim]: 1 for dim in dims}
        self.root, _ = self.builder.tile(self.root, positions(sizes), "sequential")


@dataclass
class ContractionSchedule:
    """The schedule of a kernel whose `root` computes the result elementwise from that of `anchor`."""

    root: Computation
    anchor: Computation
    target: Target
    # Root dim for each of the anchor's parallel dims.
    root_dims: dict[int, int] = field(default_factory=dict)

    def matches(self) -> bool:
        """Whether root and result of the anchor have one iteration space, so that tiles of one are tiles of
        the other."""
        reads = [index for index, value in enumerate(self.root.inputs) if value == self.anchor.result]
        if len(reads) != 1:
            return False
        results = self.root.maps[reads[0]].results
        positions = [dim for dim in map(dim_position, results) if dim is not None]
        if len(positions) != len(results) or sorted(positions) != list(range(len(self.root.extents))):
            return False
        self.root_dims = dict(zip(self.anchor.parallel, positions, strict=True))
        return True

    def has_heavy_epilogue(self) -> bool:
        """Whether the epilogue of a full tile would not fit the registers; it then runs row by row, from
        memory."""
        return len(self.root.op.regions[0].blocks[0].operations) > HEAVY_EPILOGUE

    def build(self, builder: ScheduleBuilder, vector_root: bool) -> None:
        """Emits the schedule for the blocks named "root", "anchor" and "init"."""
        tile, extents = choose_tile(self.anchor, self.target, overlap=True), self.anchor.extents
        parallel = self.parallel_sizes(tile)
        shared = {dim for dim, points in tile.sizes.items() if parallel.get(dim, 0) > points}
        nest = TileNest(builder, self.anchor, self.root_dims, shared)
        if parallel:
            nest.tile(parallel, "parallel")
        if tile.column not in parallel and tile.width < extents[tile.column]:
            overlap = tile.column in self.anchor.dynamic or not can_be_alone(
                extents[tile.column] % tile.width, accumulator_lanes(self.anchor, self.target)
            )
            nest.tile({tile.column: tile.width}, "sequential", overlap)
        for dim, points in tile.sizes.items():
            loops = points < extents[dim] or dim in self.anchor.dynamic
            if dim in shared or (loops and dim not in parallel):
                nest.tile({dim: points}, "sequential")
        nest.peel()
        if tile.row is not None and self.has_heavy_epilogue():
            nest.split_root(tile.sizes)
        anchor = self.tile_reductions(builder, nest.anchor, tile)
        builder.vectorize([nest.init, anchor, *([nest.root] if vector_root else [])])

    def parallel_sizes(self, tile: RegisterTile) -> dict[int, int]:
        """Returns the tile sizes of the parallel loop: 1 for the dims outside the tile, and the lines of the
        tile if they divide the dim; without any of static extent, the threads share the columns, or blocks of
        rows where columns are dynamic. Where elements are sums of few products, tiles of rows are outer dims,
        too."""
        extents = self.anchor.extents
        outer = [dim for dim in self.anchor.parallel if dim not in (tile.row, tile.column, tile.line)]
        sizes = {dim: 1 for dim in outer if extents[dim] > 1}
        if tile.line is not None and extents[tile.line] % tile.lines == 0:
            sizes[tile.line] = tile.lines
        columns = extents[tile.column]
        if tile.row is not None and self.has_few_products(tile.row, tile.rows):
            return {**sizes, tile.row: tile.rows}
        # A dynamic batch may be 1.
        alone = self.anchor.dynamic.issuperset(sizes)
        if alone and tile.column in self.anchor.dynamic:
            return sizes if tile.row is None else {**sizes, tile.row: TILES_OF_THREAD * tile.rows}
        if alone and columns > tile.width and columns % tile.width == 0:
            return {**sizes, tile.column: tile.width}
        return sizes

    def has_few_products(self, row: int, rows: int) -> bool:
        """Whether elements are sums of few products, and tiles of `rows` are enough for all threads."""
        anchor = self.anchor
        if not is_multiply_add(anchor) or anchor.dynamic.intersection((row, *anchor.reductions)):
            return False
        products = prod(anchor.extents[dim] for dim in anchor.reductions)
        blocks, partial = divmod(anchor.extents[row], rows)
        return products <= FEW_PRODUCTS and not partial and blocks >= LEAST_BLOCKS * max(1, self.target.cores)

    def reduction_steps(self, tile: RegisterTile) -> dict[int, int]:
        """Returns the tile sizes of the reduction: 1 for outer dims, unrolled steps for the innermost of a
        matrix product."""
        extents = self.anchor.extents
        steps = {dim: 1 for dim in self.anchor.reductions if extents[dim] > 1}
        innermost = self.anchor.reductions[-1]
        # A dynamic reduction is not unrolled: there would be a remainder.
        if is_multiply_add(self.anchor) and innermost in steps and innermost not in self.anchor.dynamic:
            rows = tile.rows * tile.lines
            longest = longest_step(self.target, rows)
            steps[innermost] = reduction_step(
                extents[innermost], rows, tile.width, accumulator_lanes(self.anchor, self.target), longest
            )
        return {dim: step for dim, step in steps.items() if step < extents[dim]}

    def tile_reductions(self, builder: ScheduleBuilder, anchor: ir.Value, tile: RegisterTile) -> ir.Value:
        """Adds a loop per reduction dim, outermost first; returns the tiled anchor."""
        uneven, padded = [], []
        points = {**dict.fromkeys(self.anchor.parallel, 1), **tile.sizes, tile.column: tile.width}
        with_padding = padded_dims(self.anchor, points)
        for dim, step in self.reduction_steps(tile).items():
            anchor, loop = builder.tile(anchor, positions({dim: step}), "sequential")
            if self.anchor.extents[dim] % step:
                uneven.append(loop)
            if dim in with_padding and step == 1:
                padded.append(loop)
        for loop in uneven:
            builder.peel(loop)
        for loop in padded:
            builder.skip_padding(loop)
        return anchor
