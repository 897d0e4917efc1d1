"""The schedule of matrix products whose left operand does not fit the L2 cache, by blocks of the
reduction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mlc.bindings import ir
from mlc.passes.common.cloning import clone_body
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.linalg_builders import generic
from mlc.passes.common.register_tiles import best_rows, reduction_step, vectors
from mlc.passes.common.rewriting import replace_op
from mlc.passes.common.target import accumulators, lanes, longest_step
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add
from mlc.passes.schedule.cpu.contraction import ContractionSchedule, choose_tile
from mlc.targets import Target

# Times the size of the L2 cache: larger left operands come from the L3 cache for each panel.
LARGE = 1.5
# Rows whose distance is a multiple of this share few sets of the L1 cache. It is also the size of a way of
# such a cache.
ALIASING_BYTES = 4096
# Share of the L2 cache for the copied block, next to a block of a panel and the one that is fetched.
BLOCK = 3 / 8
LARGEST_BLOCK_BYTES = 512 << 10
# Shorter blocks load and store the accumulators too often. A row of the longest one is less than a page.
LEAST_DEPTH, LARGEST_DEPTH = 128, 768
# With fewer panels or rows the copy does not pay.
LEAST_PANELS, LEAST_ROWS = 6, 64
ELEMENT_BYTES = 4


@dataclass(frozen=True)
class Blocks:
    """Rows of a block, and its steps of the reduction."""

    rows: int
    depth: int


def choose_blocks(rows: int, panels: int, depth: int, target: Target, tile_rows: int) -> Blocks | None:
    """Returns the blocks of a product `rows` x `depth` times `depth` x `panels` panels, whose register tiles
    have `tile_rows`; None if the left operand is read well without a copy, or the sizes have no suitable
    divisors."""
    if panels < LEAST_PANELS or depth <= LARGEST_DEPTH or _ways(target) > tile_rows + 1:
        return None
    if not _reads_badly(rows, depth, target):
        return None
    most = min(int(target.l2 * BLOCK), LARGEST_BLOCK_BYTES) // ELEMENT_BYTES
    for block_depth in range(LARGEST_DEPTH, LEAST_DEPTH - 1, -1):
        if depth % block_depth == 0:
            fitting = range(min(most // block_depth, rows), LEAST_ROWS - 1, -1)
            block_rows = next((size for size in fitting if rows % size == 0), None)
            if block_rows is not None:
                return Blocks(block_rows, block_depth)
    return None


def _ways(target: Target) -> int:
    """Returns the ways of the L1 cache: with one for each row of a tile and one for the panel, full rows are
    read as well as blocks of them."""
    return target.l1d // ALIASING_BYTES


def _reads_badly(rows: int, depth: int, target: Target) -> bool:
    """Whether the left operand does not stay in the L2 cache, or its rows not in the L1 cache."""
    bytes_per_row = ELEMENT_BYTES * depth
    return rows * bytes_per_row > target.l2 * LARGE or bytes_per_row % ALIASING_BYTES == 0


def blocked_product(schedule: ContractionSchedule) -> BlockedProduct | None:
    """Returns the schedule of `matmul_packed`, [M, K] times [P, K, t], whose result is [M, P, t]; None for
    another contraction, and if blocks do not pay."""
    anchor = schedule.anchor
    dims = [[dim_position(result) for result in indexing_map.results] for indexing_map in anchor.maps]
    if anchor.dynamic:
        return None
    packed = dims == [[0, 3], [1, 3, 2], [0, 1, 2]] and anchor.reductions == [3]
    same_dims = list(schedule.root_dims.items()) == [(0, 0), (1, 1), (2, 2)]
    if not packed or not same_dims or not is_multiply_add(anchor) or not _is_f32(anchor):
        return None
    rows, panels, _, depth = anchor.extents
    tile = choose_tile(anchor, schedule.target)
    blocks = choose_blocks(rows, panels, depth, schedule.target, tile.rows)
    return None if blocks is None else BlockedProduct(schedule, blocks)


def _is_f32(computation: Computation) -> bool:
    elements = [ir.RankedTensorType(operand.type).element_type for operand in computation.op.operands]
    return all(isinstance(element, ir.F32Type) for element in elements)


def overwrite_sums(root: Computation, anchor: Computation) -> Computation:
    """Makes the root overwrite the anchor's result elementwise, so that partial sums are kept in the result's
    buffer."""
    at = root.inputs.index(anchor.result)
    inputs, maps = list(root.inputs), list(root.maps[:-1])
    del inputs[at], maps[at]
    old = root.op.regions[0].blocks[0]

    def body(*scalars: ir.Value) -> ir.Value:
        *given, total = scalars
        given.insert(at, total)
        return clone_body(old, dict(zip(old.arguments, given, strict=False)))[0]

    with ir.InsertionPoint(root.op), root.op.location:
        result = generic(inputs, maps, anchor.result, root.maps[-1], body)
    replace_op(root.op, [result])
    return Computation(result.owner.operation)


@dataclass
class BlockedProduct:
    """The schedule of a product alone, or of one whose root overwrites its sums."""

    schedule: ContractionSchedule
    blocks: Blocks

    def build(self, builder: ScheduleBuilder, has_root: bool) -> None:
        """Emits the schedule for the blocks named "anchor", "init" and, with `has_root`, "root"."""
        names = ["init", "root"] if has_root else ["init"]
        elementwise = []
        for block in map(builder.get_block, names):
            panel, _ = builder.tile(block, [0, 1], "parallel")
            elementwise.append(builder.tile(panel, [1], "sequential")[0])
        anchor = self.tile_anchor(builder, builder.get_block("anchor"))
        builder.vectorize([anchor, *elementwise])

    def tile_anchor(self, builder: ScheduleBuilder, anchor: ir.Value) -> ir.Value:
        """Tiles the anchor by register tiles in a parallel loop over panels, for each block of the reduction,
        whose part of the left operand is copied."""
        schedule, blocks = self.schedule, self.blocks
        tile = choose_tile(schedule.anchor, schedule.target)
        most = accumulators(schedule.target, vectors(tile.width, lanes(schedule.target)))
        tile = replace(tile, rows=best_rows(blocks.rows, tile.width, lanes(schedule.target), most))
        if blocks.rows < schedule.anchor.extents[0]:
            anchor, _ = builder.tile(anchor, [blocks.rows], "sequential")
        anchor, loop = builder.tile(anchor, [0, 0, 0, blocks.depth], "sequential")
        builder.cache_read(anchor, loop, 0, "left")
        anchor, _ = builder.tile(anchor, [0, 1], "parallel")
        anchor, loop = builder.tile(anchor, [tile.rows], "sequential")
        if blocks.rows % tile.rows:
            builder.peel(loop)
        longest = longest_step(schedule.target, tile.rows)
        step = reduction_step(blocks.depth, tile.rows, tile.width, lanes(schedule.target), longest)
        anchor, loop = builder.tile(anchor, [0, 0, 0, step], "sequential")
        if blocks.depth % step:
            builder.peel(loop)
        return anchor
