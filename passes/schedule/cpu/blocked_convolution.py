"""The schedule of convolutions of small images with many channels, by blocks of the input channels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import dim_position
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add, positions
from mlc.passes.schedule.cpu.contraction import ContractionSchedule, choose_tile

# With more pixels, weights are reused so often that the order of loading them does not matter.
MOST_PIXELS = 100
# Share of the L2 cache for the image and the weights of two blocks of channels.
TOGETHER = 3 / 4
# Share of the L1 cache for the weights by which all pixels are multiplied before the next ones are loaded.
WEIGHTS = 1 / 2
ELEMENT_BYTES = 4
# The dims of a convolution on blocked channels, and of its reduction.
BATCH, BLOCK, LINE, COLUMN, CHANNEL, INPUT_BLOCK, WINDOW_LINE, WINDOW_COLUMN, INPUT_CHANNEL = range(9)
FILTERS = [BLOCK, INPUT_BLOCK, WINDOW_LINE, WINDOW_COLUMN, INPUT_CHANNEL, CHANNEL]


def blocked_convolution(schedule: ContractionSchedule) -> BlockedConvolution | None:
    """Returns the schedule for an image of few pixels, if it and the filters of two blocks of channels do not
    fit the L2 cache; None for other contractions."""
    anchor, target = schedule.anchor, schedule.target
    if len(anchor.parallel) != CHANNEL + 1 or len(anchor.extents) != INPUT_CHANNEL + 1:
        return None
    dims = [dim_position(result) for result in anchor.maps[1].results]
    same_dims = list(schedule.root_dims.items()) == [(dim, dim) for dim in anchor.parallel]
    if dims != FILTERS or not same_dims or not is_multiply_add(anchor):
        return None
    extents = anchor.extents
    per_block = prod(extents[dim] for dim in FILTERS[2:]) * ELEMENT_BYTES
    image = prod(ir.RankedTensorType(anchor.inputs[0].type).shape[1:]) * ELEMENT_BYTES
    fits = 2 * per_block * extents[INPUT_BLOCK] + image <= target.l2 * TOGETHER
    if fits or extents[LINE] * extents[COLUMN] > MOST_PIXELS:
        return None
    most = max(1, int(target.l1d * WEIGHTS) // per_block)
    blocks = next(index for index in range(most, 0, -1) if extents[INPUT_BLOCK] % index == 0)
    return BlockedConvolution(schedule, blocks) if blocks < extents[INPUT_BLOCK] else None


@dataclass
class BlockedConvolution:
    """The schedule that, per block of output channels, multiplies all pixels by the filters of `blocks`
    blocks of input channels at a time, which stay in the L1 cache. Partial sums are kept in the result's
    buffer."""

    schedule: ContractionSchedule
    blocks: int

    def build(self, builder: ScheduleBuilder, has_root: bool) -> None:
        """Emits the schedule for the blocks named "anchor", "init" and, with `has_root`, "root"."""
        sizes = positions({BATCH: 1, BLOCK: 1})
        anchor, init = builder.get_block("anchor"), builder.get_block("init")
        elementwise = []
        if has_root:
            root, loop = builder.tile(builder.get_block("root"), sizes, "parallel")
            anchor = builder.compute_at(anchor, loop)
            elementwise.append(root)
        else:
            anchor, loop = builder.tile(anchor, sizes, "parallel")
        elementwise.append(builder.compute_at(init, loop))
        anchor = self.tile_anchor(builder, anchor)
        lines = [builder.tile(block, positions({LINE: 1}), "sequential")[0] for block in elementwise]
        builder.vectorize([anchor, *lines])

    def tile_anchor(self, builder: ScheduleBuilder, anchor: ir.Value) -> ir.Value:
        """Tiles the anchor by register tiles over all pixels, for each block of the reduction."""
        tile, extents = choose_tile(self.schedule.anchor, self.schedule.target), self.schedule.anchor.extents
        anchor, _ = builder.tile(anchor, positions({INPUT_BLOCK: self.blocks}), "sequential")
        uneven = []
        for dim, points in {LINE: 1, **tile.sizes}.items():
            if points < extents[dim]:
                anchor, loop = builder.tile(anchor, positions({dim: points}), "sequential")
                uneven += [loop] if extents[dim] % points else []
        for loop in uneven:
            builder.peel(loop)
        return self.schedule.tile_reductions(builder, anchor, tile)
