"""The default schedule of elementwise kernels that read an operand across its rows: squares, transposed in
registers, in blocks whose cache lines stay until all of their elements are used."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.named_blocks import name_block
from mlc.passes.common.target import lanes, target_of
from mlc.passes.schedule.common.builder import ScheduleBuilder

# Rows and columns of a block: each of its rows is in another page, and the TLB holds 64 of them.
BLOCK = 64
SMALLEST_SQUARE = 4


def schedule_transpose(kernel: ir.Operation, root: Computation) -> int:
    """Schedules an elementwise kernel that transposes; returns the iterations of its parallel loop, 0 for
    another kernel, and if there is nothing for several threads."""
    last = len(root.extents) - 1
    width = lanes(target_of(kernel))
    # Smaller squares where one of the dims is shorter than a vector.
    while (transposed := transposed_dim(root, width)) is None and width > SMALLEST_SQUARE:
        width //= 2
    if transposed is None:
        return 0
    blocks = {dim: _block(root, dim, width) for dim in (transposed, last)}
    sizes = [blocks.get(dim, 1) for dim in range(len(root.extents))]
    shared = [0 if size == extent else size for size, extent in zip(sizes, root.extents, strict=True)]
    if not any(shared):
        longest = max(blocks, key=root.extents.__getitem__)
        if root.extents[longest] <= BLOCK:
            return 0
        # The last block is a partial one: its squares are shifted like those of a dynamic dim.
        shared[longest] = blocks[longest] = BLOCK
    name_block(root.op, "root")
    builder = ScheduleBuilder(kernel)
    tiled, _ = builder.tile(builder.get_block("root"), shared, "parallel")
    for dim, block in blocks.items():
        tiled, loop = builder.tile(tiled, [0] * dim + [width], "sequential")
        if dim in root.dynamic or block % width or root.extents[dim] % block:
            builder.shift_inwards(loop)
    builder.vectorize([tiled])
    return prod(-(-extent // size) for extent, size in zip(root.extents, shared, strict=True) if size)


def transposed_dim(root: Computation, width: int) -> int | None:
    """Returns the iteration dim along which an operand is contiguous in memory, if that is not the last one
    and squares of `width` fit; None if no operand is transposed like this."""
    last = len(root.extents) - 1
    for indexing_map in root.maps[:-1]:
        inner = _contiguous_dim(indexing_map, last, width)
        if inner is not None and min(root.extents[inner], root.extents[last]) >= width:
            return inner
    return None


def _contiguous_dim(read: ir.AffineMap, last: int, width: int) -> int | None:
    """Returns the dim of a map's last result, if a square along it and `last` is one of the operand; blocks
    of channels are read by `d mod B`, or by `d * B + last`."""
    if len(read.results) < 2:
        return None
    *outer, innermost = read.results
    inner, block = _remainder(innermost)
    if inner in (None, last) or block % width:
        return None
    others = [expression for expression in outer if not _is_quotient(expression, inner, block)]
    found = [dim_position(expression) for expression in others]
    across = [_is_part_of_block(expression, last) for expression in others]
    bare = [dim for dim, part in zip(found, across, strict=True) if not part]
    fits = None not in bare and inner not in bare and bare.count(last) + sum(across) == 1
    return inner if fits else None


def _remainder(expression: ir.AffineExpr) -> tuple[int | None, int]:
    """Splits `d mod B` into d and B; a bare dim has a block of 0, any other expression no dim."""
    if isinstance(expression, ir.AffineModExpr):
        return dim_position(expression.lhs), ir.AffineConstantExpr(expression.rhs).value
    return dim_position(expression), 0


def _is_quotient(expression: ir.AffineExpr, dim: int | None, block: int) -> bool:
    """Whether the expression is `d floordiv B`."""
    return (
        isinstance(expression, ir.AffineFloorDivExpr)
        and dim_position(expression.lhs) == dim
        and ir.AffineConstantExpr(expression.rhs).value == block
    )


def _is_part_of_block(expression: ir.AffineExpr, last: int) -> bool:
    """Whether the expression is `d * B + last`."""
    return (
        isinstance(expression, ir.AffineAddExpr)
        and isinstance(expression.lhs, ir.AffineMulExpr)
        and dim_position(expression.lhs.lhs) not in (None, last)
        and dim_position(expression.rhs) == last
    )


def _block(root: Computation, dim: int, width: int) -> int:
    """Returns the points of a block along a dim; all of a dynamic one, and a block of channels of those that
    are read by one."""
    for read in root.maps:
        position, channels = _remainder(list(read.results)[-1]) if len(read.results) else (None, 0)
        if position == dim and channels:
            return channels
    extent = root.extents[dim]
    return extent if dim in root.dynamic else block_of(extent, width)


def block_of(extent: int, width: int) -> int:
    """Returns the largest divisor of at most BLOCK, preferably of full squares; all of the extent if there is
    none of at least a square."""
    fitting = [size for size in range(width, BLOCK + 1) if extent % size == 0]
    return max(fitting, key=lambda size: (size % width == 0, size), default=extent)
