"""Schedules of products and convolutions for thread blocks."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.passes.common.computation import Computation
from mlc.passes.common.kernel_functions import EXACT, PRECISION, precision_of
from mlc.passes.common.target import target_of
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.gpu.product_tiles import (
    ProductTile,
    element_bytes,
    product_tiles,
    uses_tensor_units,
    widest_tile,
)
from mlc.passes.schedule.gpu.reduction_sharing import Problem, Wanted, plain_tile, shared_tile
from mlc.passes.schedule.gpu.tile_order import order_blocks
from mlc.passes.schedule.gpu.tiled_kernel import Result, TiledKernel


def schedule_product(
    kernel: ir.Operation, root: Computation, anchor: Computation, wanted: Wanted, cluster: Sequence[int] = ()
) -> None:
    """Sums of a tile stay in registers; operands come into shared memory, a step of the reduction at a
    time. Blocks may share the steps of a tile, or be in clusters, of `cluster` blocks along rows and columns
    if that is asked for."""
    result, precision = Result.of(root, anchor), _precision(kernel, anchor)
    if precision != EXACT:
        anchor.op.attributes[PRECISION] = ir.StringAttr.get(precision)
    tile = _tile(anchor, precision, wanted)
    tiled = TiledKernel(kernel, result, tile.result)
    tiled.builder.annotate(tiled.blocks, "accel.warps", tile.warps)
    for name, numbers in order_blocks(anchor, precision, tile, result.places, cluster).items():
        tiled.builder.annotate(tiled.blocks, name, numbers)
    tiled.compute_all()
    _steps(tiled.builder, tiled.block(anchor), tile)


def _steps(builder: ScheduleBuilder, block: ir.Value, tile: ProductTile) -> None:
    """A loop for each dim of the reduction; in the innermost one, copies."""
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
    """As large as leaves enough blocks, unless they share the reduction."""
    tiles = product_tiles(anchor, precision)
    widest = widest_tile(tiles)
    known, size = element_bytes(anchor)
    if not known or widest.height == 1 or widest.width == 1:
        return widest
    problem = Problem(target_of(anchor.op), size, uses_tensor_units(size, precision))
    return shared_tile(problem, plain_tile(problem, tiles), tiles, wanted)


def _precision(kernel: ir.Operation, anchor: Computation) -> str:
    """What the kernel asks for, if it is of f32."""
    single = all(isinstance(each.type.element_type, ir.F32Type) for each in anchor.inputs)
    asked = precision_of(kernel)
    return asked if single else EXACT
