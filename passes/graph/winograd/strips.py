"""Strips: the part of an image that a fused Winograd convolution transforms at a time."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op

# Transformed images and products beyond this size would go through memory, which takes longer than is saved.
SEPARATE_BYTES = 4 << 20
# Without a strip that fits they may still leave the L2 cache for the L3.
MOST_BYTES = 8 << 20
# Transformed strips stay in the L2 cache, together with the weights that stream through it.
SCRATCH_BYTES = 640 << 10
# Columns of the products that are transformed back at a time.
GROUP = 32
# More tiles than fit the accumulators of a register tile gain nothing; fewer reread the weights too often.
FEWEST, MOST = 12, 30
# Channels of images that are likely to be large.
MOST_OPEN = 64
# Floats between rows of transformed channels, so that their addresses do not meet in a few sets of the cache.
PADDING = 16


@dataclass(frozen=True)
class Strip:
    """`rows` x `columns` tiles of one image, whose indices are contiguous: all columns, or one row."""

    rows: int
    columns: int

    @property
    def tiles(self) -> int:
        """Tiles of the strip."""
        return self.rows * self.columns


def scratch_bytes(tile: int, tiles: int, channels: int) -> int:
    """Bytes of the transformed strip and of one group of its products; `tile` is m of F(m, 3)."""
    return 4 * (tile + 2) ** 2 * tiles * (channels + PADDING + GROUP)


def choose_strip(tile: int, rows: int, columns: int, channels: int) -> Strip | None:
    """The largest strip of `rows` x `columns` tiles that fits; None where it is not worth its while."""
    whole_rows = [Strip(count, columns) for count in range(1, rows + 1) if rows % count == 0]
    parts = [Strip(1, count) for count in range(1, columns) if columns % count == 0]
    fitting = [
        strip
        for strip in (*whole_rows, *parts)
        if FEWEST <= strip.tiles <= MOST and _fits(tile, strip.tiles, channels)
    ]
    return max(fitting, key=lambda strip: strip.tiles, default=None)


def open_strip(tile: int, channels: int) -> Strip | None:
    """The strip of images of unknown size: part of a row of tiles."""
    fitting = [count for count in range(FEWEST, MOST + 1) if _fits(tile, count, channels)]
    return Strip(1, fitting[-1]) if fitting else None


def strip_of_open(tile: int, inputs: int, outputs: int) -> Strip | None:
    """The strip of a convolution of images of unknown size, or None. With few channels images are likely to
    be large; rows of small ones would be short strips, each of which reads all weights."""
    return open_strip(tile, inputs) if min(inputs, outputs) <= MOST_OPEN else None


def _fits(tile: int, tiles: int, channels: int) -> bool:
    return scratch_bytes(tile, tiles, channels) <= SCRATCH_BYTES


def strip_of(output: ir.Operation) -> Strip | None:
    """The strip of a `winograd_output` op that shares a kernel with its product and with the transform
    before that; None where each is a separate kernel."""
    product = graph.MatmulPacked.defining(output.operands[0])
    before = defining_op(product.a, graph.WinogradInput.NAME) if product is not None else None
    if product is None or before is None:
        return None
    tile, (batch, height, width) = graph.attribute(output, "tile"), graph.attribute(output, "shape")
    pixels, _, channels = graph.shape_of(before.results[0])
    _, _, blocks, block = graph.shape_of(product.result)
    if -1 in (height, width):
        return strip_of_open(tile, channels, blocks * block)
    tiles = max(1, batch) * (height // tile) * (width // tile)
    if moved_bytes(pixels, tiles, channels + blocks * block) <= SEPARATE_BYTES:
        return None
    return choose_strip(tile, height // tile, width // tile, channels)


def moved_bytes(pixels: int, tiles: int, channels: int) -> int:
    """Bytes of transformed images and products together; `channels` are those of both."""
    return 4 * pixels * tiles * channels
