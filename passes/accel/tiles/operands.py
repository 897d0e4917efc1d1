"""Operands of a structured computation as vectors of the shape of its iteration space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.iteration_space import Space
from mlc.passes.accel.tiles.representations import Extent, SharedTile, Slice, VectorTile, add, all_of
from mlc.passes.accel.tiles.transfers import TileAccess, gather, read_vector
from mlc.passes.accel.tiles.vector_shapes import order_by_dim, reshape_vector, splat, transpose_vector
from mlc.passes.base import PassError
from mlc.passes.common.computation import dim_position

# A linear index: a constant, and a factor for each iteration dim.
LinearIndex = tuple[int, dict[int, int]]


@dataclass(frozen=True)
class OperandIndex:
    """The index along a dim of an operand that a computation reads: `constant`, plus `factor` times the index
    along the iteration dim `dim`; None if it is constant."""

    constant: int
    dim: int | None = None
    factor: int = 1


def accesses(indexing_map: ir.AffineMap, space: Space) -> list[OperandIndex]:
    """Returns the index along each dim of an operand. Raises PassError for windows and diagonals."""
    found = []
    for result in indexing_map.results:
        constant, factors = _linear_index(result, space)
        active = [dim for dim in factors if space.shape[dim] > 1]
        if len(active) > 1:
            raise PassError(
                "a window must be tiled by 1 along all dims but those of its image",
                space.computation.op.location,
            )
        found.append(
            OperandIndex(constant, active[0], factors[active[0]]) if active else OperandIndex(constant)
        )
    dims = [index.dim for index in found if index.dim is not None]
    if len(set(dims)) != len(dims):
        raise PassError("a tile cannot be read along its diagonal", space.computation.op.location)
    return found


def read(
    code: Emission, space: Space, source: Slice | SharedTile | VectorTile, access: ir.AffineMap
) -> ir.Value:
    """Reads an operand as a vector of the space's shape; out of bounds it is the slice's padding, or 0."""
    if isinstance(source, Slice):
        code.wait()
        return _load(code, space, source, access)
    found = accesses(access, space)
    if isinstance(source, SharedTile):
        code.wait()
        return spread(_read_all(source), [index.dim for index in found], space)
    if any(index.constant or index.factor != 1 for index in found):
        raise PassError("a tile can only be read as it was computed", space.computation.op.location)
    return spread(source.vector, [index.dim for index in found], space)


def _read_all(source: SharedTile) -> ir.Value:
    """A tile in shared memory as a vector with the tile's dims."""
    extents = [Extent(size, size) for size in ir.MemRefType(source.memory.type).shape]
    matrix = read_vector(all_of(source.memory, extents), TileAccess((0, 0), (1, 1), {0: 0, 1: 1}), extents)
    return reshape_vector(matrix, [extent.padded for extent in source.extents])


def spread(value: ir.Value, dims: Sequence[int | None], space: Space) -> ir.Value:
    """Broadcasts a vector with `dims` of the space, None for extent 1, to all of the space."""
    if list(value.type.shape) != ([1 if dim is None else space.shape[dim] for dim in dims] or [1]):
        raise PassError("a tile can only be read as it was computed", space.computation.op.location)
    if dims:
        value = transpose_vector(value, order_by_dim(dims))
    shape = [extent if dim in dims else 1 for dim, extent in enumerate(space.shape)]
    return space.broadcast(reshape_vector(value, shape))


def _load(code: Emission, space: Space, source: Slice, access: ir.AffineMap) -> ir.Value:
    where = space.computation.op.location
    if source.memory is None:
        raise PassError("a tensor is read before it is written", where)
    sums = [_linear_index(result, space) for result in access.results]
    active = [dim for _, factors in sums for dim in factors if space.shape[dim] > 1]
    several = any(sum(space.shape[dim] > 1 for dim in factors) > 1 for _, factors in sums)
    inside = all(dim.inside for dim in source.dims)
    if inside:
        gathers = several or len(set(active)) != len(active)
    else:
        gathers = _needs_gather(_tile_access(source, accesses(access, space)))
    if gathers:
        return gather(code, source, [(_index_vector(space, index), 1) for index in sums], space.extents)
    return space.broadcast(read_vector(source, _tile_access(source, accesses(access, space)), space.extents))


def _tile_access(source: Slice, found: Sequence[OperandIndex]) -> TileAccess:
    offsets, strides = [dim.offset for dim in source.dims], [1] * len(source.dims)
    along: dict[int, int] = {}
    for at, index in zip(source.kept, found, strict=True):
        if at is None:
            continue
        step = source.dims[at].stride
        offsets[at] = add(offsets[at], index.constant * step)
        if index.dim is not None:
            along[index.dim], strides[at] = at, index.factor * step
    return TileAccess(tuple(offsets), tuple(strides), along)


def _needs_gather(access: TileAccess) -> bool:
    """Whether a read that may leave its memory must be a gather: views have no outside, and upstream assumes
    that reads at constant offsets are inside of the memory."""
    constant = any(isinstance(offset, int) and offset < 0 for offset in access.offsets)
    return constant or not access.along or any(stride != 1 for stride in access.strides)


def _index_vector(space: Space, index: LinearIndex) -> ir.Value:
    """The values of an index at all points of the space."""
    constant, factors = index
    total = splat(space.vector_type(ir.IndexType.get()), constant)
    for dim, factor in factors.items():
        step = splat(total.type, factor)
        total = arith.AddIOp(total, arith.MulIOp(space.indices(dim), step).result).result
    return total


def _linear_index(expression: ir.AffineExpr, space: Space) -> LinearIndex:
    if isinstance(expression, ir.AffineConstantExpr):
        return ir.AffineConstantExpr(expression).value, {}
    dim = dim_position(expression)
    if dim is not None:
        return 0, {dim: 1}
    if isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        binary = ir.AffineBinaryExpr(expression)
        (a, left), (b, right) = _linear_index(binary.lhs, space), _linear_index(binary.rhs, space)
        if isinstance(expression, ir.AffineAddExpr):
            both = {d: left.get(d, 0) + right.get(d, 0) for d in (*left, *right)}
            return a + b, both
        if not right:
            return a * b, {d: factor * b for d, factor in left.items()}
    where = space.computation.op.location
    raise PassError("an index that is not a linear function of loops has no tile", where)
