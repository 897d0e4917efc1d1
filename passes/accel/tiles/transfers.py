"""Tiles from memory, and back: vectors whose dims lie in its order, or elements at computed places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, memref, vector
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import (
    UNIT,
    Extent,
    Index,
    Slice,
    VectorTile,
    add,
    as_value,
    multiply,
)
from mlc.passes.accel.tiles.vector_shapes import reshaped, splat, transposed
from mlc.passes.base import PassError
from mlc.passes.common.linalg_builders import constant

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class TileAccess:
    """Where a tile lies in a memory: the index at which it begins and the distance of neighbours, for each
    dim of the memory; and along which of these each dim of the tile runs that is longer than 1."""

    offsets: tuple[Index, ...]
    strides: tuple[int, ...]
    along: dict[int, int]


def read_vector(source: Slice, place: TileAccess, extents: Sequence[Extent]) -> ir.Value:
    """A tile with these extents, 1 where it does not run along the memory; what lies outside of the memory
    is the slice's padding.

    The memory's order comes first, and is changed in registers: neighbours in memory are then read by
    neighbouring threads.
    """
    memory: ir.Value = _memory(source)
    offsets: Sequence[Index] = place.offsets
    if any(each != 1 for each in place.strides):
        memory, offsets = _strided(source, place, extents)
    dims = sorted(place.along, key=lambda each: place.along[each])
    inside = all(each.inside for each in source.dims)
    along = [(place.along[each], extents[each]) for each in dims]
    value = _transfer(memory, offsets, along, 0 if inside else source.padding, inside)
    value = transposed(value, [dims.index(each) for each in sorted(dims)])
    return reshaped(value, [each.padded if dim in dims else 1 for dim, each in enumerate(extents)] or [1])


def _transfer(
    memory: ir.Value,
    offsets: Sequence[Index],
    along: Sequence[tuple[int, Extent]],
    filler: float,
    inside: bool,
) -> ir.Value:
    """A vector along some dims of the memory, or of one element. `inside` says that all places are inside of
    the memory, but for what lies beyond the extents."""
    element = memory.type.element_type
    dims = along or [(len(offsets) - 1, UNIT)]
    return vector.TransferReadOp(
        ir.VectorType.get([extent.padded for _, extent in dims], element),
        memory,
        [as_value(offset) for offset in offsets],
        _places(len(offsets), [at for at, _ in dims]),
        constant(element, filler),
        _in_bounds([inside and extent.whole for _, extent in dims]),
    ).result


def _places(rank: int, along: Sequence[int]) -> ir.Attribute:
    return ir.AffineMapAttr.get(ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(each) for each in along]))


def _in_bounds(dims: Sequence[bool]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.BoolAttr.get(dim) for dim in dims])


def _strided(source: Slice, place: TileAccess, extents: Sequence[Extent]) -> tuple[ir.Value, list[Index]]:
    """A view of the memory in which neighbours lie `strides` apart, and where the tile begins in it."""
    sizes: list[Index] = [1] * len(source.dims)
    for dim, at in place.along.items():
        sizes[at] = extents[dim].size
    given = [place.offsets, sizes]
    mixed = [[each if isinstance(each, int) else _DYNAMIC for each in group] for group in given]
    dynamic = [[each for each in group if not isinstance(each, int)] for group in given]
    memory = _memory(source)
    kind = ir.MemRefType(memory.type)
    own, _ = kind.get_strides_and_offset()
    steps = [a * b for a, b in zip(own, place.strides, strict=True)]
    start: int = ir.ShapedType.get_dynamic_stride_or_offset()
    if not dynamic[0]:
        start = sum(at * stride for at, stride in zip(mixed[0], own, strict=True))
    layout = ir.StridedLayoutAttr.get(start, steps)
    view = ir.MemRefType.get(mixed[1], kind.element_type, layout, kind.memory_space)
    strides = list(place.strides)
    made = memref.SubViewOp(view, memory, *dynamic, [], mixed[0], mixed[1], strides).result
    return made, [0] * len(sizes)


def _memory(source: Slice) -> ir.Value:
    assert source.memory is not None, "nobody reads what is not written"
    return source.memory


def load(code: Emission, source: Slice) -> VectorTile:
    """All of a part of a memory."""
    code.wait()
    extents = source.extents
    along = {dim: at for dim, at in enumerate(source.kept) if at is not None and extents[dim].padded > 1}
    offsets = tuple(dim.offset for dim in source.dims)
    place = TileAccess(offsets, tuple(dim.stride for dim in source.dims), along)
    return VectorTile(read_vector(source, place, extents), extents)


def gather(
    code: Emission, source: Slice, places: Sequence[tuple[ir.Value, int]], extents: Sequence[Extent]
) -> ir.Value:
    """Elements at computed places: for each dim of the slice, a vector of `extents` with the places along it,
    and what they are multiplied by. Around the memory, and in padding of the vectors, nothing is read: there
    is the slice's padding, or 0."""
    code.wait()
    memory, element = _memory(source), _memory(source).type.element_type
    steps, _ = ir.MemRefType(memory.type).get_strides_and_offset()
    start: Index = 0
    for dim, step in zip(source.dims, steps, strict=True):
        start = add(start, multiply(dim.offset, step))
    shape = [extent.padded for extent in extents] or [1]
    total, conditions = splat(ir.VectorType.get(shape, ir.IndexType.get()), 0), []
    for at, (place, factor) in zip(source.kept, places, strict=True):
        if at is None:
            continue
        dim = source.dims[at]
        distance = arith.MulIOp(place, splat(total.type, factor * dim.stride)).result
        total = arith.AddIOp(total, arith.MulIOp(distance, splat(total.type, steps[at])).result).result
        if not dim.inside:
            conditions.append(_is_inside(distance, dim.offset, memory.type.shape[at]))
    mask, kind = code.mask(extents), ir.VectorType.get(shape, element)
    for condition in conditions:
        mask = arith.AndIOp(mask, condition).result
    return vector.GatherOp(
        kind,
        code.flat(memory),
        [as_value(start)],
        total,
        mask,
        splat(kind, source.padding if conditions else 0),
    ).result


def _is_inside(distance: ir.Value, offset: Index, extent: int) -> ir.Value:
    """Whether places that far from an offset are places of a dim: a negative one is a large unsigned
    number."""
    start = vector.BroadcastOp(distance.type, as_value(offset)).result
    place = arith.AddIOp(start, distance).result
    return arith.CmpIOp(arith.CmpIPredicate.ult, place, splat(distance.type, extent)).result


def write(code: Emission, tile: VectorTile, part: Slice) -> None:
    """Stores what of the tile is no padding. Raises PassError for memory that is no result's."""
    assert part.memory is not None, "results lie in memory"
    if root_memory(part.memory) not in code.results:
        raise PassError("only results of a kernel can be written", ir.Location.current)
    kept = [each for each in part.kept if each is not None and part.dims[each].extent.padded > 1]
    along = kept or [len(part.dims) - 1]
    dims = [part.dims[each] for each in along]
    clipped = all(dim.ends or dim.extent.whole for dim in dims)
    if any(dim.stride != 1 for dim in part.dims):
        raise PassError("parts of results that have strides cannot be written", ir.Location.current)
    vector.TransferWriteOp(
        None,
        reshaped(tile.vector, [dim.extent.padded for dim in dims]),
        part.memory,
        [as_value(dim.offset) for dim in part.dims],
        _places(len(part.dims), along),
        _in_bounds([dim.extent.whole for dim in dims]),
        mask=None if clipped else code.mask([dim.extent for dim in dims]),
    )


def root_memory(memory: ir.Value) -> ir.Value:
    """What a view is made of."""
    while not isinstance(memory, ir.BlockArgument):
        memory = memory.owner.operands[0]
    return memory
