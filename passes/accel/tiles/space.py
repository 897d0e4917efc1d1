"""The iteration space of a structured computation, and its operands as vectors of its shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.meanings import Buffer, Extent, Index, Slice, Tile, add, as_value
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


@dataclass(frozen=True)
class Access:
    """How a computation reads a dim of an operand: at `constant`, and `factor` times as far as it is along
    the iteration dim `dim`, None for one place only."""

    constant: int
    dim: int | None = None
    factor: int = 1


def accesses(indexing_map: ir.AffineMap, space: Space) -> list[Access]:
    """One for each dim of an operand. Raises PassFailure for windows of several places."""
    found = []
    for result in indexing_map.results:
        constant, factors = _sum_of(result, space)
        active = [dim for dim in factors if space.shape[dim] > 1]
        if len(active) > 1:
            raise PassFailure(
                "a window must be tiled by 1 along all dims but those of its image",
                space.computation.op.location,
            )
        found.append(Access(constant, active[0], factors[active[0]]) if active else Access(constant))
    dims = [each.dim for each in found if each.dim is not None]
    if len(set(dims)) != len(dims):
        raise PassFailure("a tile cannot be read along its diagonal", space.computation.op.location)
    return found


def read(
    code: Emission, space: Space, source: Slice | Buffer | Tile, access: ir.AffineMap, filler: int
) -> ir.Value:
    """An operand as a vector of the space's shape; what lies outside of its memory is `filler`."""
    found = accesses(access, space)
    if isinstance(source, Slice):
        code.wait()
        return _load(space, source, found, filler)
    if isinstance(source, Buffer):
        code.wait()
        return spread(_whole(source), [each.dim for each in found], space)
    if any(each.constant or each.factor != 1 for each in found):
        raise PassFailure("a tile can only be read as it was computed", space.computation.op.location)
    return spread(source.vector, [each.dim for each in found], space)


def _whole(source: Buffer) -> ir.Value:
    """What lies in shared memory as a vector with the tile's dims."""
    kind, zero = ir.MemRefType(source.memory.type), as_value(0)
    vector_type = ir.VectorType.get(list(kind.shape), kind.element_type)
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(2))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * 2)
    filler = number(kind.element_type, 0)
    matrix = vector.TransferReadOp(vector_type, source.memory, [zero, zero], identity, filler, inside).result
    return reshaped(matrix, [each.padded for each in source.extents])


def spread(value: ir.Value, dims: Sequence[int | None], space: Space) -> ir.Value:
    """A vector, whose dims are those of the space, None for ones of 1 element, along all of the space."""
    kept = [each for each in dims if each is not None]
    if list(value.type.shape) != [1 if dim is None else space.shape[dim] for dim in dims]:
        raise PassFailure("a tile can only be read as it was computed", space.computation.op.location)
    value = transposed(value, by_dim(dims))
    value = reshaped(value, [extent if dim in kept else 1 for dim, extent in enumerate(space.shape)])
    kind = space.vector_type(value.type.element_type)
    return value if value.type == kind else vector.BroadcastOp(kind, value).result


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


def _load(space: Space, source: Slice, found: Sequence[Access], filler: float) -> ir.Value:
    if source.memory is None:
        raise PassFailure("a tensor is read that nobody has written", space.computation.op.location)
    offsets: list[Index] = [each.offset for each in source.dims]
    strides = [1] * len(offsets)
    along: dict[int, int] = {}
    for at, each in zip(source.kept, found, strict=True):
        if at is None:
            continue
        step = source.dims[at].stride
        offsets[at] = add(offsets[at], each.constant * step)
        if each.dim is not None:
            along[each.dim], strides[at] = at, each.factor * step
    memory, inside = source.memory, all(each.inside for each in source.dims)
    if not inside:
        filler = source.padding
        _check_padded(offsets, strides, along, space)
    if any(each != 1 for each in strides):
        memory, offsets = _strided(memory, source, offsets, strides, along, space), [0] * len(offsets)
    order = sorted(along, key=along.__getitem__)
    dims = [(along[dim], space.extents[dim]) for dim in order]
    loaded = _transfer(memory, offsets, dims, filler, inside)
    return spread(loaded, order or [None], space)


def _check_padded(
    offsets: Sequence[Index], strides: Sequence[int], along: dict[int, int], space: Space
) -> None:
    """Upstream takes reads from constant places for reads inside of the memory, and views have no outside."""
    constant = any(isinstance(each, int) and each < 0 for each in offsets)
    if constant or not along or any(each != 1 for each in strides):
        raise PassFailure(
            "around an image only what neighbours each other can be read, without a copy",
            space.computation.op.location,
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
    memory: ir.Value,
    offsets: Sequence[Index],
    dims: Sequence[tuple[int, Extent]],
    filler: float,
    inside: bool,
) -> ir.Value:
    """A vector along some dims of the memory; without any, one of a single element. `inside` says that places
    are, but for what lies beyond the extents."""
    element = memory.type.element_type
    zero = [] if dims else [ir.AffineConstantExpr.get(0)]
    access = ir.AffineMap.get(len(offsets), 0, [*(ir.AffineDimExpr.get(at) for at, _ in dims), *zero])
    in_bounds = [*(inside and extent.whole for _, extent in dims), *(True for _ in zero)]
    return vector.TransferReadOp(
        ir.VectorType.get([extent.padded for _, extent in dims] or [1], element),
        memory,
        [as_value(each) for each in offsets],
        ir.AffineMapAttr.get(access),
        number(element, filler),
        ir.ArrayAttr.get([ir.BoolAttr.get(each) for each in in_bounds]),
    ).result


def number(kind: ir.Type, value: float) -> ir.Value:
    """A constant of a type of numbers."""
    if isinstance(kind, ir.IntegerType | ir.IndexType):
        return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, int(value))).result
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
