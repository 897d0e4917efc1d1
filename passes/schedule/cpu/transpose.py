"""The default schedule of elementwise kernels that read an operand across its rows: squares, transposed in
registers, in blocks whose cache lines stay until all of their elements are used."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.named_blocks import name_block
from mlc.passes.common.target import lanes, target_of
from mlc.passes.schedule.common.builder import ScheduleBuilder

# Rows and columns of a block: each of its rows is in another page, and the TLB holds 64 of them.
BLOCK = 64


def schedule_transpose(kernel: ir.Operation, root: Computation) -> bool:
    """Schedules an elementwise kernel that transposes; returns False for another one, and if there is nothing
    for several threads."""
    width = lanes(target_of(kernel))
    transposed = transposed_dim(root, width)
    if transposed is None:
        return False
    blocks = {dim: block_of(root.extents[dim], width) for dim in (transposed, len(root.extents) - 1)}
    sizes = [blocks.get(dim, 1) for dim in range(len(root.extents))]
    shared = [0 if size == extent else size for size, extent in zip(sizes, root.extents, strict=True)]
    if not any(shared):
        return False
    name_block(root.op, "root")
    builder = ScheduleBuilder(kernel)
    tiled, _ = builder.tile(builder.get_block("root"), shared, "parallel")
    for dim, block in blocks.items():
        tiled, loop = builder.tile(tiled, [0] * dim + [width], "sequential")
        if block % width:
            builder.shift_inwards(loop)
    builder.vectorize([tiled])
    return True


def transposed_dim(root: Computation, width: int) -> int | None:
    """Returns the iteration dim along which an operand is contiguous in memory, if that is not the last one
    and squares of `width` fit; None if no operand is transposed like this."""
    last = len(root.extents) - 1
    for indexing_map in root.maps[:-1]:
        dims = [dim_position(result) for result in indexing_map.results]
        if None in dims or last not in dims:
            continue
        inner = dims[-1]
        if inner is not None and inner != last and min(root.extents[inner], root.extents[last]) >= width:
            return inner
    return None


def block_of(extent: int, width: int) -> int:
    """Returns the largest divisor of at most BLOCK, preferably of full squares; all of the extent if there is
    none of at least a square."""
    fitting = [size for size in range(width, BLOCK + 1) if extent % size == 0]
    return max(fitting, key=lambda size: (size % width == 0, size), default=extent)
