"""Schedules of products of matrices with one or few vectors, for thread blocks: they read every element of
the matrix once, as wide as they can, so that shared memory would be of no use. The reduction is split in
two."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from mlc.bindings import arith, ir, tensor
from mlc.passes.common.cloning import clone_body
from mlc.passes.common.computation import Computation, dim_position
from mlc.passes.common.linalg_builders import affine_map, dims, full_tensor, generic, is_float
from mlc.passes.common.rewriting import defining_op, replace_op
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.gpu.product_tiles import BLOCKS, element_bytes, sides
from mlc.passes.schedule.gpu.tiled_kernel import ResultComputation, TiledKernel
from mlc.passes.schedule.gpu.tiles import next_power_of_two


def split_sum(computation: Computation, factor: int, axis: int) -> tuple[Computation, Computation]:
    """Splits a sum over one dim, the last one: the partial result with index i is the sum of terms i, i +
    factor, and so on. `axis` is the dim of the first computation's result along which they are; the second
    one adds them.

    `factor` must divide the dim, and inputs that have it must be indexed by it alone.
    """
    op, parallel = computation.op, computation.maps[-1].n_dims - 1
    type_ = ir.RankedTensorType(computation.result.type)
    shape = [*type_.shape[:axis], factor, *type_.shape[axis:]]
    with ir.InsertionPoint(op), op.location:
        inputs = [
            _expand_input(value, access, parallel, factor)
            for value, access in zip(computation.inputs, computation.maps, strict=False)
        ]
        maps = [_split_map(access, parallel, axis) for access in computation.maps[:-1]]
        every = dims(parallel + 2)
        partial = generic(
            inputs,
            maps,
            full_tensor(shape, type_.element_type, 0),
            affine_map(parallel + 2, every[:-1]),
            lambda *scalars: _clone_scalars(op, scalars),
            reductions=[parallel + 1],
        )
        kept = [dim for index, dim in enumerate(every[:-1]) if index != axis]
        whole = generic(
            [partial],
            [affine_map(parallel + 1, every[:-1])],
            computation.init,
            affine_map(parallel + 1, kept),
            _add,
            reductions=[axis],
        )
    replace_op(op, whole)
    return Computation(partial.owner.operation), Computation(whole.owner.operation)


def _add(new: ir.Value, old: ir.Value) -> ir.Value:
    return arith.addf(old, new) if is_float(old.type) else arith.addi(old, new)


def _expand_input(value: ir.Value, access: ir.AffineMap, reduced: int, factor: int) -> ir.Value:
    """Expands the dim of an input that is reduced into two."""
    type_ = ir.RankedTensorType(value.type)
    groups: list[list[int]] = []
    shape: list[int] = []
    for extent, result in zip(type_.shape, access.results, strict=True):
        parts = [extent // factor, factor] if dim_position(result) == reduced else [extent]
        groups.append(list(range(len(shape), len(shape) + len(parts))))
        shape += parts
    result_type = ir.RankedTensorType.get(shape, type_.element_type)
    return tensor.ExpandShapeOp(result_type, value, groups, [], shape).result


def _split_map(access: ir.AffineMap, reduced: int, axis: int) -> ir.AffineMap:
    """Returns the map over the iteration dims with a new one at `axis`, which is part of the last one."""
    every = dims(reduced + 2)
    renamed = [*every[:axis], *every[axis + 1 : reduced + 1]]
    results: list[ir.AffineExpr] = []
    for result in access.results:
        dim = dim_position(result)
        if dim == reduced:
            results += [every[reduced + 1], every[axis]]
        else:
            results.append(result if dim is None else renamed[dim])
    return affine_map(reduced + 2, results)


def _clone_scalars(op: ir.Operation, scalars: Sequence[ir.Value]) -> ir.Value:
    """Clones the computation's body for other scalars."""
    body = op.regions[0].blocks[0]
    return clone_body(body, dict(zip(body.arguments, scalars, strict=True)))[0]


# More vectors are the rows of a tile.
MOST_VECTORS = 4
# Elements of the matrix that a block reads at a time: 16 for each thread of 4 warps.
ELEMENTS = 2048
# Columns of a tile: a sector of memory at least, unless blocks would be too few, and as many as a warp reads
# at once at most. Between them, as many as leave several blocks on each multiprocessor: the loads that one
# block has in flight are too few for the bandwidth of the memory.
SECTOR_BYTES, LEAST_COLUMNS, MOST_COLUMNS = 32, 8, 128
MANY_BLOCKS = 4 * BLOCKS
# Partial sums, below which splitting does not pay.
LEAST_SUMS = 16


def schedule_vectors(kernel: ir.Operation, root: Computation, anchor: Computation) -> bool:
    """Adds the schedule if one operand of the product has few vectors, and its reduction can be split."""
    long = _long_dim(anchor)
    if long is None or any(defining_op(value) is not None for value in anchor.inputs):
        return False
    columns = _columns(anchor, long)
    factor = gcd(anchor.extents[anchor.reductions[0]], ELEMENTS // columns)
    if factor < LEAST_SUMS:
        return False
    result = ResultComputation.of(root, anchor)
    tile = {dim: next_power_of_two(anchor.extents[dim]) for dim in anchor.parallel} | {long: columns}
    partial, _ = split_sum(anchor, factor, _axis_of_sums(anchor, long))
    tiled = TiledKernel(kernel, result, tile)
    tiled.compute_all()
    tiled.builder.tile(tiled.block(partial), positions({partial.reductions[0]: 1}), "sequential")
    return True


def _columns(anchor: Computation, long: int) -> int:
    """Returns the columns of a tile: a sector of memory at least, wider if that leaves enough blocks; less if
    there would be too few."""
    extent = anchor.extents[long]
    sector = SECTOR_BYTES // max(1, element_bytes(anchor)[1])
    least = sector if extent >= sector * BLOCKS else LEAST_COLUMNS
    wide = 1 << (extent // MANY_BLOCKS).bit_length() >> 1
    return min(next_power_of_two(extent), max(least, min(MOST_COLUMNS, wide)))


def _long_dim(anchor: Computation) -> int | None:
    """Returns the dim along which the matrix has many vectors; None if both operands have, or the product is
    batched."""
    rows, columns = sides(anchor)
    batch = [dim for dim in anchor.parallel if dim not in (*rows, *columns)]
    few, many = sorted((rows, columns), key=lambda dims: prod(anchor.extents[dim] for dim in dims))
    long = [dim for dim in many if anchor.extents[dim] > 1]
    plain = [*anchor.parallel, *anchor.reductions] == list(range(len(anchor.extents)))
    single = len(long) == len(anchor.reductions) == 1
    alone = plain and single and all(anchor.extents[dim] == 1 for dim in batch)
    return long[0] if alone and prod(anchor.extents[dim] for dim in few) <= MOST_VECTORS else None


def _axis_of_sums(anchor: Computation, long: int) -> int:
    """Returns the dim of the partial sums for which the last dim is the contiguous one of the matrix."""
    matrix = next(access for access in anchor.maps[:2] if long in map(dim_position, access.results))
    last = dim_position(list(matrix.results)[-1])
    return len(anchor.parallel) if last == anchor.reductions[0] else long
