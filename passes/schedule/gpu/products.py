"""Schedules of matrix products and convolutions for thread blocks: tiles, clusters, and the order of blocks.

The choice is that of docs/gpu-products.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation
from mlc.passes.common.kernel_functions import EXACT, PRECISION, precision_of
from mlc.passes.common.target import target_of
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.gpu.product_tiles import (
    ProductTile,
    element_bytes,
    modelled_gpu,
    product_tiles,
    sides,
    uses_tensor_cores,
    widest_tile,
)
from mlc.passes.schedule.gpu.reduction_sharing import (
    PROCESSORS,
    ProductShape,
    Wanted,
    plain_tile,
    shared_tile,
)
from mlc.passes.schedule.gpu.tiled_kernel import ResultComputation, TiledKernel
from mlc.targets import GpuTarget

# Attributes of a loop over tiles.
CLUSTER_ATTRIBUTE, GROUP_ATTRIBUTE = "accel.cluster", "accel.group"

# Blocks of a cluster along a dim, and the least elements of their tiles and steps of their loops.
CLUSTER, CLUSTER_TILE, CLUSTER_STEPS = 2, 128 * 128, 4

# Tiles of a group along the dims whose neighbours are far apart in the order of the others.
GROUP = 8

# The largest extent of a grid's dims but the first.
MOST_CLUSTERS = 65535


@dataclass(frozen=True)
class Grid:
    """The tiles of a product: `counts` along each dim of its result, in the order of the loops over them."""

    anchor: Computation
    counts: Mapping[int, int]

    @property
    def target(self) -> GpuTarget | None:
        """The GPU, if its model is known."""
        return modelled_gpu(target_of(self.anchor.op))


def order_blocks(
    anchor: Computation, precision: str, tile: ProductTile, root_dims: Mapping[int, int], asked: Sequence[int]
) -> dict[str, list[int]]:
    """Returns attributes of the loop over tiles: the shapes of clusters and of groups, over the dims with
    several tiles. `root_dims` are the dims of the loops, `asked` is the requested shape of clusters.

    Blocks that share reductions are in no clusters, and in plain order.
    """
    if tile.parts > 1 or tile.blocks:
        return {}
    dims = sorted(tile.result, key=lambda dim: root_dims[dim])
    grid = Grid(anchor, {dim: -(-anchor.extents[dim] // tile.result[dim]) for dim in dims})
    known, size = element_bytes(anchor)
    large = known and uses_tensor_cores(size, precision) and _is_large(tile)
    cluster = cluster_of(grid, asked or ((CLUSTER, CLUSTER) if large else (1, 1)), both=bool(asked))
    found = {CLUSTER_ATTRIBUTE: cluster, GROUP_ATTRIBUTE: group_of(grid, cluster)}
    several = [dim for dim in dims if grid.counts[dim] > 1]
    return {name: [shape.get(dim, 1) for dim in several] for name, shape in found.items() if shape}


def _is_large(tile: ProductTile) -> bool:
    return tile.height * tile.width >= CLUSTER_TILE and tile.count >= CLUSTER_STEPS


def cluster_of(grid: Grid, wanted: Sequence[int], both: bool) -> dict[int, int]:
    """Returns the tiles of a cluster along dims of the result: of rows and of columns as many as `wanted`, if
    they divide the tiles; of columns only if not of rows, unless of `both`. No dims if the target has no
    clusters."""
    if grid.target is None or not grid.target.clusters:
        return {}
    rows, columns = (
        _dim_of(dims, grid.counts, size) for dims, size in zip(sides(grid.anchor), wanted, strict=True)
    )
    found = rows | columns if both else rows or columns
    return found if prod(grid.counts.values()) // prod(found.values()) <= MOST_CLUSTERS else {}


def _dim_of(dims: Sequence[int], counts: Mapping[int, int], size: int) -> dict[int, int]:
    """Returns the last of `dims` whose number of tiles `size` divides, with `size`."""
    if size == 1:
        return {}
    return next(({dim: size} for dim in reversed(dims) if counts[dim] % size == 0), {})


def group_of(grid: Grid, cluster: Mapping[int, int]) -> dict[int, int]:
    """Returns the clusters of a group along dims of the result, whose ids are consecutive, before the next
    ones along the innermost dims. Blocks that run at the same time then read some rows and some columns, not
    all of one of them."""
    if prod(grid.counts.values()) <= (grid.target.cores if grid.target else PROCESSORS):
        return {}
    counts = {dim: count // cluster.get(dim, 1) for dim, count in grid.counts.items()}
    several = [dim for dim, count in counts.items() if count > 1]
    rows, columns = sides(grid.anchor)
    slow, fast = (rows, columns) if several and several[-1] in columns else (columns, rows)
    if not several or several[-1] not in fast:
        return {}
    found, rest = {}, GROUP // prod(cluster.get(dim, 1) for dim in slow)
    for dim in [dim for dim in reversed(several) if dim in slow]:
        found[dim] = _largest_divisor(counts[dim], rest)
        rest //= found[dim]
    return {dim: size for dim, size in found.items() if size > 1}


def _largest_divisor(count: int, limit: int) -> int:
    return max(index for index in range(1, max(1, limit) + 1) if count % index == 0)


def schedule_product(
    kernel: ir.Operation, root: Computation, anchor: Computation, wanted: Wanted, cluster: Sequence[int] = ()
) -> None:
    """Schedules a product: accumulators of a tile stay in registers, operands are copied to shared memory, a
    step of the reduction at a time. Blocks may share the steps of a tile, or be in clusters, of `cluster`
    blocks along rows and columns if that is given."""
    result, precision = ResultComputation.of(root, anchor), _precision(kernel, anchor)
    if precision != EXACT:
        anchor.op.attributes[PRECISION] = ir.StringAttr.get(precision)
    tile = _tile(anchor, precision, wanted)
    tiled = TiledKernel(kernel, result, tile.result)
    tiled.builder.annotate(tiled.blocks, "accel.warps", tile.warps)
    for name, shape in order_blocks(anchor, precision, tile, result.root_dims, cluster).items():
        tiled.builder.annotate(tiled.blocks, name, shape)
    tiled.compute_all()
    _steps(tiled.builder, tiled.block(anchor), tile)


def _steps(builder: ScheduleBuilder, block: ir.Value, tile: ProductTile) -> None:
    """Adds a loop for each dim of the reduction, and copies in the innermost one."""
    for dim, points in tile.steps.items():
        block, loop = builder.tile(block, positions({dim: points}), "sequential")
    for operand, buffer in enumerate(("left", "right")):
        builder.cache_read(block, loop, operand, buffer)
    builder.annotate(loop, "accel.stages", tile.stages)
    if tile.merged > 1:
        builder.annotate(loop, "accel.merged", tile.merged)
    if tile.parts > 1:
        builder.annotate(loop, "accel.split_k", tile.parts)
    if tile.blocks:
        builder.annotate(loop, "accel.stream_k", tile.blocks)


def _tile(anchor: Computation, precision: str, wanted: Wanted) -> ProductTile:
    """Returns the largest tile that leaves enough blocks, unless they share the reduction."""
    tiles = product_tiles(anchor, precision)
    widest = widest_tile(tiles)
    known, size = element_bytes(anchor)
    if not known or widest.height == 1 or widest.width == 1:
        return widest
    problem = ProductShape(target_of(anchor.op), size, uses_tensor_cores(size, precision))
    return shared_tile(problem, plain_tile(problem, tiles), tiles, wanted)


def _precision(kernel: ir.Operation, anchor: Computation) -> str:
    """Returns the kernel's precision of products of f32; EXACT for other types."""
    single = all(isinstance(value.type.element_type, ir.F32Type) for value in anchor.inputs)
    asked = precision_of(kernel)
    return asked if single else EXACT
