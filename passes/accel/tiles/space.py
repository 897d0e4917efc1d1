"""The iteration space of a structured computation, and its operands as vectors of its shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.meanings import Extent, Index, Slice, Tile, add, as_value
from mlc.passes.base import PassFailure
from mlc.passes.tloop.computation import Computation, dim_position

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class Space:
    """`extents` has one entry for each iteration dim."""

    computation: Computation
    extents: tuple[Extent, ...]

    @property
    def shape(self) -> list[int]:
        return [each.padded for each in self.extents]

    def vector_type(self, element: ir.Type) -> ir.VectorType:
        return ir.VectorType.get(self.shape, element)


def space_of(code: Emission, op: ir.Operation) -> Space:
    """Raises PassFailure if no operand tells how long a dim is."""
    computation = Computation(op)
    found: dict[int, Extent] = {}
    for operand, access in zip(op.operands, computation.maps, strict=True):
        if not isinstance(operand.type, ir.RankedTensorType):
            continue
        for result, extent in zip(access.results, code.tensor(operand).extents, strict=True):
            dim = dim_position(result)
            if dim is not None and not (dim in found and isinstance(found[dim].size, int)):
                found[dim] = extent
    dims = range(computation.maps[0].n_dims)
    if any(dim not in found for dim in dims):
        raise PassFailure("no operand tells how long a loop of the computation is", op.location)
    return Space(computation, tuple(found[dim] for dim in dims))


def read(code: Emission, space: Space, source: Slice | Tile, access: ir.AffineMap, filler: int) -> ir.Value:
    """An operand as a vector of the space's shape; what lies outside of its memory is `filler`."""
    if isinstance(source, Tile):
        return spread(source.vector, _dims_of_tile(source, access, space), space)
    code.wait()
    return _load(space, source, access, filler)


def spread(value: ir.Value, dims: Sequence[int | None], space: Space) -> ir.Value:
    """A vector, whose dims are these of the space, along all of it; None is for one of length 1."""
    kept = [each for each in dims if each is not None]
    value = transposed(value, by_dim(dims))
    value = reshaped(value, [extent if dim in kept else 1 for dim, extent in enumerate(space.shape)])
    kind = space.vector_type(value.type.element_type)
    return value if value.type == kind else vector.BroadcastOp(kind, value).result


def _dims_of_tile(tile: Tile, access: ir.AffineMap, space: Space) -> list[int | None]:
    """Which dims of the space those of a tile are. Raises PassFailure where it is read otherwise than it was
    computed."""
    where = space.computation.op.location
    dims = [dim_position(each) for each in access.results]
    kept = [each for each in dims if each is not None]
    if len(set(kept)) != len(kept):
        raise PassFailure("a tile cannot be read along its diagonal", where)
    for extent, dim, result in zip(tile.vector.type.shape, dims, access.results, strict=True):
        known = dim is not None or isinstance(result, ir.AffineConstantExpr)
        if not known or extent != (1 if dim is None else space.shape[dim]):
            raise PassFailure("a tile can only be read as it was computed", where)
    return dims


def by_dim(dims: Sequence[int | None]) -> list[int]:
    """The order in which iteration dims follow each other, behind those that are none."""
    return sorted(range(len(dims)), key=lambda each: -1 if (dim := dims[each]) is None else dim)


def transposed(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """Dim i of the result is dim `order[i]` of the vector."""
    if list(order) == sorted(order):
        return value
    shape = [value.type.shape[each] for each in order]
    return vector.TransposeOp(ir.VectorType.get(shape, value.type.element_type), value, list(order)).result


def reshaped(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    if list(value.type.shape) == list(shape):
        return value
    return vector.ShapeCastOp(ir.VectorType.get(list(shape), value.type.element_type), value).result


def _load(space: Space, source: Slice, access: ir.AffineMap, filler: int) -> ir.Value:
    if source.memory is None:
        raise PassFailure("a tensor is read that nobody has written", space.computation.op.location)
    offsets: list[Index] = [each.offset for each in source.dims]
    strides = [1] * len(offsets)
    along: dict[int, int] = {}
    for at, result in zip(source.kept, access.results, strict=True):
        if at is None:
            continue
        constant, factors = _sum_of(result, space)
        step = source.dims[at].stride
        offsets[at] = add(offsets[at], constant * step)
        active = [dim for dim in factors if space.shape[dim] > 1]
        if len(active) > 1 or any(dim in along for dim in active):
            raise PassFailure(
                "a window must be tiled by 1 along all dims but those of its image",
                space.computation.op.location,
            )
        for dim in active:
            along[dim], strides[at] = at, factors[dim] * step
    memory = source.memory
    if any(each != 1 for each in strides):
        memory, offsets = _strided(memory, source, offsets, strides, along, space), [0] * len(offsets)
    order = sorted(along, key=along.__getitem__)
    return spread(
        _transfer(memory, offsets, [(along[dim], space.extents[dim]) for dim in order], filler), order, space
    )


def _strided(
    memory: ir.Value,
    source: Slice,
    offsets: list[Index],
    strides: list[int],
    along: dict[int, int],
    space: Space,
) -> ir.Value:
    """A view of the memory in which neighbours lie `strides` apart."""
    sizes = [1 if isinstance(each.extent.size, ir.Value) else each.extent.size for each in source.dims]
    for dim, at in along.items():
        sizes[at] = space.extents[dim].size
    mixed = [[each if isinstance(each, int) else _DYNAMIC for each in given] for given in (offsets, sizes)]
    dynamic = [[each for each in given if not isinstance(each, int)] for given in (offsets, sizes)]
    kind = ir.MemRefType(memory.type)
    own, _ = kind.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(
        ir.ShapedType.get_dynamic_stride_or_offset(), [a * b for a, b in zip(own, strides, strict=True)]
    )
    view = ir.MemRefType.get(mixed[1], kind.element_type, layout, kind.memory_space)
    return memref.SubViewOp(view, memory, dynamic[0], dynamic[1], [], mixed[0], mixed[1], strides).result


def _transfer(
    memory: ir.Value, offsets: Sequence[Index], dims: Sequence[tuple[int, Extent]], filler: int
) -> ir.Value:
    """A vector along some dims of the memory; without any, one of a single element."""
    element = memory.type.element_type
    zero = [] if dims else [ir.AffineConstantExpr.get(0)]
    access = ir.AffineMap.get(len(offsets), 0, [*(ir.AffineDimExpr.get(at) for at, _ in dims), *zero])
    in_bounds = [*(extent.whole for _, extent in dims), *(True for _ in zero)]
    return vector.TransferReadOp(
        ir.VectorType.get([extent.padded for _, extent in dims] or [1], element),
        memory,
        [as_value(each) for each in offsets],
        ir.AffineMapAttr.get(access),
        number(element, filler),
        ir.ArrayAttr.get([ir.BoolAttr.get(each) for each in in_bounds]),
    ).result


def number(kind: ir.Type, value: int) -> ir.Value:
    """A constant of a type of numbers."""
    if isinstance(kind, ir.IntegerType | ir.IndexType):
        return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, value)).result
    return arith.ConstantOp(kind, ir.FloatAttr.get(kind, float(value))).result


def _sum_of(expression: ir.AffineExpr, space: Space) -> tuple[int, dict[int, int]]:
    """An index as a constant, and a factor for each iteration dim."""
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
    raise PassFailure("an index that is no sum of loops has no tile", space.computation.op.location)


def without_padding(
    code: Emission, space: Space, value: ir.Value, dims: Sequence[int], filler: str = "zero"
) -> ir.Value:
    """A vector of the space's shape, with what changes nothing in place of what lies beyond `dims`."""
    if all(space.extents[dim].whole for dim in dims):
        return value
    shown = [
        each if dim in dims else Extent(each.padded, each.padded) for dim, each in enumerate(space.extents)
    ]
    element = value.type.element_type
    constant = arith.ConstantOp(element, neutral(element, filler)).result
    everywhere = vector.BroadcastOp(value.type, constant).result
    return arith.SelectOp(code.mask(shown), value, everywhere).result


def neutral(kind: ir.Type, name: str) -> ir.Attribute:
    """A number of a type: "zero", "one", "ones" (all bits), "least" or "greatest"."""
    if isinstance(kind, ir.IntegerType):
        top = 1 << (kind.width - 1)
        values = {"zero": 0, "one": 1, "ones": -1, "least": -top, "greatest": top - 1}
        return ir.IntegerAttr.get(kind, values[name])
    floats = {"zero": 0.0, "one": 1.0, "least": float("-inf"), "greatest": float("inf")}
    return ir.FloatAttr.get(kind, floats[name])
