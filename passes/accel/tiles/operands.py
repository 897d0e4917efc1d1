"""Operands of a structured computation as vectors of the shape of its iteration space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.iteration_space import Space
from mlc.passes.accel.tiles.representations import Extent, SharedTile, Slice, VectorTile, add, all_of
from mlc.passes.accel.tiles.transfers import TileAccess, gather, read_vector
from mlc.passes.accel.tiles.vector_shapes import by_dim, reshaped, splat, transposed
from mlc.passes.base import PassError
from mlc.passes.common.computation import dim_position

# An index as a constant, and a factor for each iteration dim.
Sum = tuple[int, dict[int, int]]


@dataclass(frozen=True)
class OperandIndex:
    """How a computation reads a dim of an operand: at `constant`, and `factor` times as far as it is along
    the iteration dim `dim`, None for one place only."""

    constant: int
    dim: int | None = None
    factor: int = 1


def accesses(indexing_map: ir.AffineMap, space: Space) -> list[OperandIndex]:
    """One for each dim of an operand. Raises PassError for windows of several places, and diagonals."""
    found = []
    for result in indexing_map.results:
        constant, factors = _sum_of(result, space)
        active = [dim for dim in factors if space.shape[dim] > 1]
        if len(active) > 1:
            raise PassError(
                "a window must be tiled by 1 along all dims but those of its image",
                space.computation.op.location,
            )
        found.append(
            OperandIndex(constant, active[0], factors[active[0]]) if active else OperandIndex(constant)
        )
    dims = [each.dim for each in found if each.dim is not None]
    if len(set(dims)) != len(dims):
        raise PassError("a tile cannot be read along its diagonal", space.computation.op.location)
    return found


def read(
    code: Emission, space: Space, source: Slice | SharedTile | VectorTile, access: ir.AffineMap
) -> ir.Value:
    """An operand as a vector of the space's shape; what lies outside of its memory is its padding, or 0."""
    if isinstance(source, Slice):
        code.wait()
        return _load(code, space, source, access)
    found = accesses(access, space)
    if isinstance(source, SharedTile):
        code.wait()
        return spread(_whole(source), [each.dim for each in found], space)
    if any(each.constant or each.factor != 1 for each in found):
        raise PassError("a tile can only be read as it was computed", space.computation.op.location)
    return spread(source.vector, [each.dim for each in found], space)


def _whole(source: SharedTile) -> ir.Value:
    """What lies in shared memory as a vector with the tile's dims."""
    extents = [Extent(each, each) for each in ir.MemRefType(source.memory.type).shape]
    matrix = read_vector(all_of(source.memory, extents), TileAccess((0, 0), (1, 1), {0: 0, 1: 1}), extents)
    return reshaped(matrix, [extent.padded for extent in source.extents])


def spread(value: ir.Value, dims: Sequence[int | None], space: Space) -> ir.Value:
    """A vector, whose dims are those of the space, None for ones of 1 element, along all of the space."""
    if list(value.type.shape) != ([1 if dim is None else space.shape[dim] for dim in dims] or [1]):
        raise PassError("a tile can only be read as it was computed", space.computation.op.location)
    if dims:
        value = transposed(value, by_dim(dims))
    shape = [extent if dim in dims else 1 for dim, extent in enumerate(space.shape)]
    return space.everywhere(reshaped(value, shape))


def _load(code: Emission, space: Space, source: Slice, access: ir.AffineMap) -> ir.Value:
    where = space.computation.op.location
    if source.memory is None:
        raise PassError("a tensor is read that nobody has written", where)
    sums = [_sum_of(result, space) for result in access.results]
    active = [dim for _, factors in sums for dim in factors if space.shape[dim] > 1]
    several = any(sum(space.shape[dim] > 1 for dim in factors) > 1 for _, factors in sums)
    inside = all(dim.inside for dim in source.dims)
    if inside:
        apart = several or len(set(active)) != len(active)
    else:
        apart = _is_apart(_place_in(source, accesses(access, space)))
    if apart:
        return gather(code, source, [(_place(space, each), 1) for each in sums], space.extents)
    place = _place_in(source, accesses(access, space))
    return space.everywhere(read_vector(source, place, space.extents))


def _place_in(source: Slice, found: Sequence[OperandIndex]) -> TileAccess:
    offsets, strides = [dim.offset for dim in source.dims], [1] * len(source.dims)
    along: dict[int, int] = {}
    for at, each in zip(source.kept, found, strict=True):
        if at is None:
            continue
        step = source.dims[at].stride
        offsets[at] = add(offsets[at], each.constant * step)
        if each.dim is not None:
            along[each.dim], strides[at] = at, each.factor * step
    return TileAccess(tuple(offsets), tuple(strides), along)


def _is_apart(place: TileAccess) -> bool:
    """Whether only elements one by one can be read around a memory: views have no outside, and upstream takes
    reads from constant places for reads inside of the memory."""
    constant = any(isinstance(offset, int) and offset < 0 for offset in place.offsets)
    return constant or not place.along or any(stride != 1 for stride in place.strides)


def _place(space: Space, index: Sum) -> ir.Value:
    """An index at all places of the space."""
    constant, factors = index
    total = splat(space.vector_type(ir.IndexType.get()), constant)
    for dim, factor in factors.items():
        step = splat(total.type, factor)
        total = arith.AddIOp(total, arith.MulIOp(space.places(dim), step).result).result
    return total


def _sum_of(expression: ir.AffineExpr, space: Space) -> Sum:
    if isinstance(expression, ir.AffineConstantExpr):
        return ir.AffineConstantExpr(expression).value, {}
    dim = dim_position(expression)
    if dim is not None:
        return 0, {dim: 1}
    if isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        binary = ir.AffineBinaryExpr(expression)
        (a, left), (b, right) = _sum_of(binary.lhs, space), _sum_of(binary.rhs, space)
        if isinstance(expression, ir.AffineAddExpr):
            both = {each: left.get(each, 0) + right.get(each, 0) for each in (*left, *right)}
            return a + b, both
        if not right:
            return a * b, {each: factor * b for each, factor in left.items()}
    raise PassError("an index that is no sum of loops has no tile", space.computation.op.location)
