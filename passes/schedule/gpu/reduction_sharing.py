"""The choice between split-K, stream-K and plain tiles, by a model of the time that a product's blocks take.

Rates are NVIDIA's, per multiprocessor and cycle (whitepapers of A100 and H100). The overheads of a step, a
block and a launch are estimated, not measured. docs/gpu-products.md explains the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mlc.passes.schedule.gpu.product_tiles import GROUP_TILES, ProductTile, modelled_gpu, widest_tile
from mlc.targets import GpuTarget, Target

# Bytes of an operand that tensor cores multiply by as many of the other one, and scalar multiply-adds; of
# sm_80, twice as many on sm_90a.
UNIT_BYTES, MULTIPLY_ADDS = 2048, 64
# Rows that tensor cores of sm_90a need for their rate.
GROUP_ROWS = 64
# Bytes between a multiprocessor and the L2 cache; between its shared memory and all else.
CACHE_BYTES, SHARED_RATE = 64, 128
# Cycles: a barrier, reads of shared memory and a product that wait for each other; the first copies and the
# last stores of a block; one more launch.
STEP_CYCLES, BLOCK_CYCLES, LAUNCH_CYCLES = 128, 1000, 2500
# Parts of a tile's reduction at most, and steps of a part at least.
MOST_PARTS, LEAST_STEPS = 16, 2
# Persistent blocks on a multiprocessor at most.
MOST_PERSISTENT = 2
# The share of the time that sharing must save, since the model is coarse.
GAIN = 0.2
SUM_BYTES = 4
# Assumed of GPUs without a description, and of those that the rates are not for: an A100's.
PROCESSORS, SHARED_BYTES = 108, 163 * 1024


@dataclass(frozen=True)
class Wanted:
    """The requested sharing: parts of each tile's reduction, 1 for none, or blocks that share all steps; if
    both are 0, the choice is the model's."""

    parts: int = 0
    blocks: int = 0


@dataclass(frozen=True)
class ProductShape:
    """A product on a target: bytes of an element, and whether tensor cores multiply it (`units`)."""

    target: Target
    size: int
    units: bool

    @property
    def gpu(self) -> GpuTarget | None:
        """The GPU, if its model is known."""
        return modelled_gpu(self.target)

    @property
    def processors(self) -> int:
        """The number of multiprocessors."""
        return self.gpu.cores if self.gpu else PROCESSORS

    def resident(self, tile: ProductTile) -> int:
        """Returns the blocks that one multiprocessor runs at the same time."""
        shared = self.gpu.shared_bytes if self.gpu else SHARED_BYTES
        return max(1, shared // (tile.stages * self._step_bytes(tile)))

    def _step_bytes(self, tile: ProductTile) -> int:
        """Returns the bytes of a step's operands."""
        return (tile.height + tile.width) * tile.depth * self.size

    def _step(self, tile: ProductTile) -> float:
        """Returns the cycles of a multiprocessor for the products and the copies of a step."""
        fast = self.gpu is not None and self.gpu.clusters
        rate = UNIT_BYTES // self.size if self.units else MULTIPLY_ADDS
        if fast and (tile.height >= GROUP_ROWS or not self.units):
            rate *= 2
        products = tile.height * tile.width * tile.depth / rate
        moved = self._read_by_groups(tile) / SHARED_RATE if fast and self.units else 0
        return max(products, self._step_bytes(tile) / CACHE_BYTES, moved)

    def _read_by_groups(self, tile: ProductTile) -> int:
        """Returns the bytes of a step that are written to shared memory, and that products read there: each
        warp group its rows and all columns."""
        groups = max(1, tile.height // GROUP_ROWS)
        read = (tile.height + tile.width * groups) * tile.depth * self.size
        return self._step_bytes(tile) + read

    def _blocks_time(self, tile: ProductTile, blocks: int, steps: int) -> float:
        """Returns the cycles of blocks with `steps` steps; those that run on a multiprocessor at the same
        time wait for their operands together."""
        per_processor = -(-blocks // self.processors)
        waves = -(-per_processor // self.resident(tile))
        return steps * (per_processor * self._step(tile) + waves * STEP_CYCLES) + waves * BLOCK_CYCLES

    def _sums_time(self, tile: ProductTile, tiles: int) -> float:
        """Returns the cycles to write or read the accumulators of `tiles` tiles."""
        bytes_of_tile = tile.height * tile.width * SUM_BYTES
        return -(-tiles // self.processors) * bytes_of_tile / CACHE_BYTES

    def time(self, tile: ProductTile) -> float:
        """Returns the cycles of all blocks, and of the launch that adds shared sums."""
        if tile.parts > 1:
            blocks = tile.tiles * tile.parts
            steps = -(-tile.count // tile.parts)
            added = self._sums_time(tile, blocks) + self._sums_time(tile, tile.tiles) * tile.parts
            return self._blocks_time(tile, blocks, steps) + LAUNCH_CYCLES + added
        if tile.blocks:
            shared = tile.tiles if tile.tiles < tile.blocks else tile.tiles % tile.blocks + tile.blocks
            steps = -(-tile.tiles * tile.count // tile.blocks)
            parts = 1 + -(-tile.blocks // shared)
            added = self._sums_time(tile, 2 * tile.blocks) + self._sums_time(tile, shared) * parts
            return self._blocks_time(tile, tile.blocks, steps) + LAUNCH_CYCLES + added
        return self._blocks_time(tile, tile.tiles, tile.count)


def plain_tile(problem: ProductShape, tiles: Sequence[ProductTile]) -> ProductTile:
    """Returns the tile without shared reductions: the widest one that gives enough blocks; instead of the
    largest one for warp groups the next one, if its time is less."""
    widest = widest_tile(tiles)
    if (widest.height, widest.width) != GROUP_TILES[0]:
        return widest
    return min((widest, tiles[1]), key=problem.time)


def shared_tile(
    problem: ProductShape, plain: ProductTile, tiles: Sequence[ProductTile], wanted: Wanted
) -> ProductTile:
    """Returns `plain`, or the requested sharing, or one that is faster by the model."""
    if wanted.parts == 1:
        return plain
    found = list(_candidates(problem, tiles, wanted))
    if not found:
        return plain
    best = min(found, key=problem.time)
    return best if wanted != Wanted() or problem.time(best) < (1 - GAIN) * problem.time(plain) else plain


def _candidates(problem: ProductShape, tiles: Sequence[ProductTile], wanted: Wanted) -> Iterator[ProductTile]:
    """Yields tiles whose reductions are shared as requested, or in any way that may pay."""
    for tile in tiles:
        if wanted.parts:
            if tile.count > 1:
                yield _in_parts(tile, min(wanted.parts, tile.count))
        elif wanted.blocks:
            yield replace(tile, blocks=min(wanted.blocks, tile.tiles * tile.count))
        elif tile.tiles < problem.processors:
            for parts in range(2, min(MOST_PARTS, tile.count // LEAST_STEPS) + 1):
                yield _in_parts(tile, parts)
        else:
            # Against a last wave of few blocks. Persistent blocks are as many as are resident on the GPU,
            # which must be known.
            blocks = problem.processors * min(MOST_PERSISTENT, problem.resident(tile))
            if problem.gpu is not None and tile.tiles % blocks:
                yield replace(tile, blocks=blocks)


def _in_parts(tile: ProductTile, parts: int) -> ProductTile:
    """Returns the tile in `parts`, with no more stages than a part has steps."""
    return replace(tile, parts=parts, stages=min(tile.stages, -(-tile.count // parts)))
