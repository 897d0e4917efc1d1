"""Schedules of products of matrices with vectors, or with few of them, for thread blocks: they read the
matrix once, as wide as they can, and no element of it twice, so that shared memory would be of no use."""

from __future__ import annotations

from math import gcd, prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.rewriting import defining_op
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.gpu.partial_sums import split_sum
from mlc.passes.schedule.gpu.product_tiles import BLOCKS, element_bytes, sides
from mlc.passes.schedule.gpu.tiled_kernel import Result, TiledKernel
from mlc.passes.schedule.gpu.tiles import padded

# More vectors are the rows of a tile.
MOST_VECTORS = 4
# Elements of the matrix that a block reads at a time: 16 for each thread of 4 warps.
ELEMENTS = 2048
# Columns of a tile: a sector of memory at least, unless blocks would be too few, and as many as a warp reads
# at once at most. Between them, as many as leave several blocks on each multiprocessor: the loads that one
# block has under way are too few for the speed of the memory.
SECTOR_BYTES, LEAST_COLUMNS, MOST_COLUMNS = 32, 8, 128
MANY_BLOCKS = 4 * BLOCKS
# Partial sums, below which it is no use to split.
LEAST_SUMS = 16


def schedule_vectors(kernel: ir.Operation, root: Computation, anchor: Computation) -> bool:
    """Adds the schedule if one side of the product has few points, and its reduction can be split."""
    long = _long_dim(anchor)
    if long is None or any(defining_op(each) is not None for each in anchor.inputs):
        return False
    columns = _columns(anchor, long)
    factor = gcd(anchor.extents[anchor.reductions[0]], ELEMENTS // columns)
    if factor < LEAST_SUMS:
        return False
    result = Result.of(root, anchor)
    tile = {dim: padded(anchor.extents[dim]) for dim in anchor.parallel} | {long: columns}
    partial, _ = split_sum(anchor, factor, _place_of_sums(anchor, long))
    tiled = TiledKernel(kernel, result, tile)
    tiled.compute_all()
    tiled.builder.tile(tiled.block(partial), positions({partial.reductions[0]: 1}), "sequential")
    return True


def _columns(anchor: Computation, long: int) -> int:
    """A sector of memory at least, wider where that leaves enough blocks; less where there would be too
    few."""
    extent = anchor.extents[long]
    sector = SECTOR_BYTES // max(1, element_bytes(anchor)[1])
    least = sector if extent >= sector * BLOCKS else LEAST_COLUMNS
    wide = 1 << (extent // MANY_BLOCKS).bit_length() >> 1
    return min(padded(extent), max(least, min(MOST_COLUMNS, wide)))


def _long_dim(anchor: Computation) -> int | None:
    """The dim along which the matrix has many vectors; None where both sides have, or the product is
    batched."""
    rows, columns = sides(anchor)
    batch = [dim for dim in anchor.parallel if dim not in (*rows, *columns)]
    few, many = sorted((rows, columns), key=lambda dims: prod(anchor.extents[dim] for dim in dims))
    long = [dim for dim in many if anchor.extents[dim] > 1]
    plain = [*anchor.parallel, *anchor.reductions] == list(range(len(anchor.extents)))
    single = len(long) == len(anchor.reductions) == 1
    alone = plain and single and all(anchor.extents[dim] == 1 for dim in batch)
    return long[0] if alone and prod(anchor.extents[dim] for dim in few) <= MOST_VECTORS else None


def _place_of_sums(anchor: Computation, long: int) -> int:
    """Where partial sums lie, so that the last dim is that along which the matrix lies in memory."""
    matrix = next(each for each in anchor.maps[:2] if long in map(dim_position, each.results))
    last = dim_position(list(matrix.results)[-1])
    return len(anchor.parallel) if last == anchor.reductions[0] else long
