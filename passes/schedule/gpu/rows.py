"""Schedules for thread blocks of kernels without products: elementwise, rows, windows."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir, linalg
from mlc.bindings.operations import address
from mlc.passes.common.computation import Computation, dim_position, dims_read
from mlc.passes.common.rewriting import defining_op
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.gpu.results import ResultGroup, block
from mlc.passes.schedule.gpu.tiles import (
    ELEMENTS,
    ReductionTiles,
    elementwise_tile,
    next_power_of_two,
    rows_of,
)

# Attribute of a launch: the warps of its blocks. Blocks whose tiles have more elements have more warps.
WARPS = "accel.warps"
LARGE_TILE, MORE_WARPS = 4 * ELEMENTS, 8
# Attribute of a loop: the index of the part of the kernel that it computes.
PART = "accel.part"


def schedule_part(builder: ScheduleBuilder, part: ResultGroup) -> None:
    """Schedules a block for each tile of the root, which computes all that the tile needs: rows of reductions
    at once or in steps, windows element by element."""
    if not part.reducing:
        _schedule_blocks(builder, part, elementwise_tile(part.root))
        return
    rows = rows_of(part.root, part.producers)
    _schedule_blocks(builder, part, rows.tile)
    for computation in (part.root, *(producer for producer in part.producers if producer.reductions)):
        _schedule_steps(builder, part, rows, computation)


def _schedule_blocks(builder: ScheduleBuilder, part: ResultGroup, tile: list[int]) -> None:
    if not tile:
        return
    _, loop = builder.tile(block(builder, part.root), tile, "parallel")
    # Loops of several parts are not merged, even if they compute the same.
    if part.index:
        builder.annotate(loop, PART, part.index)
    if _elements(part.root, tile) > LARGE_TILE:
        builder.annotate(loop, WARPS, MORE_WARPS)
    # Consumers before producers.
    for producer in reversed(part.producers):
        builder.compute_at(block(builder, producer), loop)


def _elements(root: Computation, tile: list[int]) -> int:
    return prod(next_power_of_two(size or extent) for size, extent in zip(tile, root.extents, strict=True))


def _schedule_steps(
    builder: ScheduleBuilder, part: ResultGroup, rows: ReductionTiles, computation: Computation
) -> None:
    sizes = rows.steps(computation, computation.op == part.root.op)
    if not sizes:
        return
    stepped = {dim for dim, size in enumerate(sizes) if size}
    needed = _computed_in_steps(computation, stepped)
    _, loop = builder.tile(block(builder, computation), sizes, "sequential")
    for producer in reversed(part.producers):
        if address(producer.op) in needed:
            builder.compute_at(block(builder, producer), loop)


def _computed_in_steps(computation: Computation, stepped: set[int]) -> set[int]:
    """Returns the addresses of elementwise computations of which a loop over the dims `stepped` reads other
    parts in each step: they are rematerialised in each reader."""
    found: set[int] = set()
    for value, access in zip(computation.inputs, computation.maps, strict=False):
        op = defining_op(value)
        if op is None or op.name != linalg.Generic.NAME or (producer := Computation(op)).reductions:
            continue
        inner = _along(producer, access, stepped)
        if inner:
            found |= {address(op), *_computed_in_steps(producer, inner)}
    return found


def _along(producer: Computation, access: ir.AffineMap, stepped: set[int]) -> set[int]:
    """Returns the dims of a producer along which its reader's dims `stepped` run."""
    found = set()
    for own, read in zip(producer.maps[-1].results, access.results, strict=True):
        dim = dim_position(own)
        if dim is not None and dims_read(ir.AffineMap.get(access.n_dims, 0, [read])) & stepped:
            found.add(dim)
    return found
