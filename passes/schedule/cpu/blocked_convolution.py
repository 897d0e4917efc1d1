"""The schedule of convolutions of small images with many channels: blocks of the input channels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import dim_position
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add, positions
from mlc.passes.schedule.cpu.contraction import ContractionSchedule, choose_tile

# Of more pixels, weights are used so often that it does not matter how they come.
MOST_PIXELS = 100
# Of the second cache, for the image and the weights of two blocks of channels.
TOGETHER = 3 / 4
# Of the first cache, for the weights that all pixels are multiplied by before the next ones come.
WEIGHTS = 1 / 2
ELEMENT_BYTES = 4
# The dims of a convolution on blocked channels, and of its reduction.
BATCH, BLOCK, LINE, COLUMN, CHANNEL, INPUT_BLOCK, WINDOW_LINE, WINDOW_COLUMN, INPUT_CHANNEL = range(9)
FILTERS = [BLOCK, INPUT_BLOCK, WINDOW_LINE, WINDOW_COLUMN, INPUT_CHANNEL, CHANNEL]


def blocked_convolution(schedule: ContractionSchedule) -> BlockedConvolution | None:
    """The schedule for an image of few pixels, where it and the filters of two blocks of channels do not fit
    the second cache; None for other contractions."""
    anchor, target = schedule.anchor, schedule.target
    if len(anchor.parallel) != CHANNEL + 1 or len(anchor.extents) != INPUT_CHANNEL + 1:
        return None
    places = [dim_position(result) for result in anchor.maps[1].results]
    in_place = list(schedule.root_dims.items()) == [(dim, dim) for dim in anchor.parallel]
    if places != FILTERS or not in_place or not is_multiply_add(anchor):
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
    """For each block of output channels, so many `blocks` of input channels after the other: all pixels are
    multiplied by their filters, which stay in the first cache. The sums so far lie where the result goes."""

    schedule: ContractionSchedule
    blocks: int

    def build(self, builder: ScheduleBuilder, has_root: bool) -> None:
        """Emits the schedule for the blocks named "anchor", "init" and, where one follows, "root"."""
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
        lines = [builder.tile(each, positions({LINE: 1}), "sequential")[0] for each in elementwise]
        builder.vectorize([anchor, *lines])

    def tile_anchor(self, builder: ScheduleBuilder, anchor: ir.Value) -> ir.Value:
        """Register tiles over all pixels for each block of the reduction."""
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
