"""Schedules of products and convolutions for thread blocks."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.passes.base import PassFailure
from mlc.passes.tloop.block_order import order_blocks
from mlc.passes.tloop.block_parts import compute_all_at, producer, tag_producers
from mlc.passes.tloop.computation import Computation, dim_position
from mlc.passes.tloop.contraction_schedule import positions
from mlc.passes.tloop.identity import identity_behind
from mlc.passes.tloop.kernel_functions import PRECISION
from mlc.passes.tloop.product_sharing import Problem, Wanted, shared_tile
from mlc.passes.tloop.product_tiles import (
    ProductTile,
    element_bytes,
    product_tiles,
    uses_tensor_units,
    widest_tile,
)
from mlc.passes.tloop.schedule_builder import ScheduleBuilder
from mlc.passes.tloop.target_attribute import target_of

EXACT = "exact"


def schedule_product(
    kernel: ir.Operation, root: Computation, anchor: Computation, wanted: Wanted, cluster: Sequence[int] = ()
) -> None:
    """Sums of a tile stay in registers; operands come into shared memory, a step of the reduction at a
    time. Blocks may share the steps of a tile, or be in clusters, of `cluster` blocks along rows and columns
    if that is asked for."""
    if root.op == anchor.op:
        root = identity_behind(anchor.result)
    precision = _precision(kernel, anchor)
    if precision != EXACT:
        anchor.op.attributes[PRECISION] = ir.StringAttr.get(precision)
    tile, places = _tile(anchor, precision, wanted), root_dims(root, anchor)
    others = tag_producers(kernel, root)
    builder = ScheduleBuilder(kernel)
    sizes = positions({places[dim]: points for dim, points in tile.result.items()})
    _, blocks = builder.tile(builder.get_block("root"), sizes, "parallel")
    builder.annotate(blocks, "accel.warps", tile.warps)
    for name, numbers in order_blocks(anchor, precision, tile, places, cluster).items():
        builder.annotate(blocks, name, numbers)
    compute_all_at(builder, others, blocks)
    _steps(builder, producer([each.op == anchor.op for each in others].index(True)), tile)


def _steps(builder: ScheduleBuilder, name: str, tile: ProductTile) -> None:
    """A loop for each dim of the reduction; in the innermost one, copies."""
    block = builder.get_block(name)
    for dim, points in tile.steps.items():
        block, loop = builder.tile(block, positions({dim: points}), "sequential")
    for operand, buffer in enumerate(("left", "right")):
        builder.cache_read(block, loop, operand, buffer)
    builder.annotate(loop, "accel.stages", tile.stages)
    if tile.parts > 1:
        builder.annotate(loop, "accel.split_k", tile.parts)
    if tile.blocks:
        builder.annotate(loop, "accel.stream_k", tile.blocks)


def _tile(anchor: Computation, precision: str, wanted: Wanted) -> ProductTile:
    """As large as leaves enough blocks, unless they share the reduction."""
    tiles = product_tiles(anchor, precision)
    plain = widest_tile(tiles)
    known, size = element_bytes(anchor)
    if not known or plain.height == 1 or plain.width == 1:
        return plain
    problem = Problem(target_of(anchor.op), size, uses_tensor_units(size, precision))
    return shared_tile(problem, plain, tiles, wanted)


def _precision(kernel: ir.Operation, anchor: Computation) -> str:
    """What the kernel asks for, if it is of f32."""
    single = all(isinstance(each.type.element_type, ir.F32Type) for each in anchor.inputs)
    asked = kernel.attributes[PRECISION].value if PRECISION in kernel.attributes else EXACT
    return asked if single else EXACT


def root_dims(root: Computation, anchor: Computation) -> dict[int, int]:
    """For each dim of the anchor's result, which one of the root it is. Raises PassFailure where the root
    does not read each element once."""
    reads = [access for value, access in zip(root.inputs, root.maps, strict=False) if value == anchor.result]
    dims = [dim_position(each) for each in reads[0].results] if len(reads) == 1 else []
    if sorted(dim for dim in dims if dim is not None) != list(range(len(root.extents))):
        raise PassFailure("what follows a product must read each of its elements once", root.op.location)
    return {dim: place for dim, place in zip(anchor.parallel, dims, strict=True) if place is not None}
