"""The schedule of products whose left operand does not stay in the second cache: blocks of the reduction."""

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

# In sizes of the second cache: larger left operands come from the third one for each panel.
LARGE = 1.5
# Rows that lie a multiple of this apart share few sets of the first cache. It is also what a way of such a
# cache holds.
ALIASING_BYTES = 4096
# Of the second cache, for the copied block: a block of a panel, and the one that is fetched, lie beside it.
BLOCK = 3 / 8
LARGEST_BLOCK_BYTES = 512 << 10
# Shorter blocks load and store the accumulators too often. A row of the longest one spans no whole page.
LEAST_DEPTH, LARGEST_DEPTH = 128, 768
# For fewer panels or rows the copy does not pay.
LEAST_PANELS, LEAST_ROWS = 6, 64
ELEMENT_BYTES = 4


@dataclass(frozen=True)
class Blocks:
    """Rows and steps of the reduction that are taken together."""

    rows: int
    depth: int


def choose_blocks(rows: int, panels: int, depth: int, target: Target, tile_rows: int) -> Blocks | None:
    """The blocks of a product `rows` x `depth` times `depth` x `panels` panels, whose register tiles have
    `tile_rows`; None where the left operand is read well as it lies, or where the sizes have no suitable
    divisors."""
    if panels < LEAST_PANELS or depth <= LARGEST_DEPTH or _ways(target) > tile_rows + 1:
        return None
    if not _reads_badly(rows, depth, target):
        return None
    most = min(int(target.l2 * BLOCK), LARGEST_BLOCK_BYTES) // ELEMENT_BYTES
    for block_depth in range(LARGEST_DEPTH, LEAST_DEPTH - 1, -1):
        if depth % block_depth == 0:
            fitting = range(min(most // block_depth, rows), LEAST_ROWS - 1, -1)
            block_rows = next((each for each in fitting if rows % each == 0), None)
            if block_rows is not None:
                return Blocks(block_rows, block_depth)
    return None


def _ways(target: Target) -> int:
    """How many lines of one set the first cache holds: with one for each row of a tile and one for the panel,
    whole rows are read as well as blocks of them."""
    return target.l1d // ALIASING_BYTES


def _reads_badly(rows: int, depth: int, target: Target) -> bool:
    """Whether the left operand does not stay in the second cache, or its rows not in the first one."""
    bytes_per_row = ELEMENT_BYTES * depth
    return rows * bytes_per_row > target.l2 * LARGE or bytes_per_row % ALIASING_BYTES == 0


def blocked_product(schedule: ContractionSchedule) -> BlockedProduct | None:
    """The schedule of `matmul_packed`, [M, K] times [P, K, t], whose result is [M, P, t]; None for another
    contraction, and where blocks do not pay."""
    anchor = schedule.anchor
    places = [[dim_position(result) for result in indexing_map.results] for indexing_map in anchor.maps]
    if anchor.dynamic:
        return None
    packed = places == [[0, 3], [1, 3, 2], [0, 1, 2]] and anchor.reductions == [3]
    in_place = list(schedule.root_dims.items()) == [(0, 0), (1, 1), (2, 2)]
    if not packed or not in_place or not is_multiply_add(anchor) or not _is_f32(anchor):
        return None
    rows, panels, _, depth = anchor.extents
    tile = choose_tile(anchor, schedule.target)
    blocks = choose_blocks(rows, panels, depth, schedule.target, tile.rows)
    return None if blocks is None else BlockedProduct(schedule, blocks)


def _is_f32(computation: Computation) -> bool:
    kinds = [ir.RankedTensorType(operand.type).element_type for operand in computation.op.operands]
    return all(isinstance(kind, ir.F32Type) for kind in kinds)


def over_the_sums(root: Computation, anchor: Computation) -> Computation:
    """The root as one that writes over the anchor's result, place by place: so the sums of the blocks before
    the last are kept in the result's memory and need none of their own."""
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
    """A product alone, or one whose root writes over its sums."""

    schedule: ContractionSchedule
    blocks: Blocks

    def build(self, builder: ScheduleBuilder, has_root: bool) -> None:
        """Emits the schedule for the blocks named "anchor", "init" and, where one follows, "root"."""
        names = ["init", "root"] if has_root else ["init"]
        elementwise = []
        for block in map(builder.get_block, names):
            panel, _ = builder.tile(block, [0, 1], "parallel")
            elementwise.append(builder.tile(panel, [1], "sequential")[0])
        anchor = self.tile_anchor(builder, builder.get_block("anchor"))
        builder.vectorize([anchor, *elementwise])

    def tile_anchor(self, builder: ScheduleBuilder, anchor: ir.Value) -> ir.Value:
        """For each block of the reduction, whose part of the left operand is copied: register tiles, for one
        panel after the other, which threads share."""
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
