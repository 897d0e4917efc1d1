"""Reads and writes of tiles in memory: transfers in the order of its dims, and gathers."""

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
from mlc.passes.accel.tiles.vector_shapes import reshape_vector, splat, transpose_vector
from mlc.passes.base import PassError
from mlc.passes.common.linalg_builders import constant

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class TileAccess:
    """The elements of a memory that a tile has: its first index and its stride along each dim of the memory,
    and the dim of the memory that each dim of the tile longer than 1 is along."""

    offsets: tuple[Index, ...]
    strides: tuple[int, ...]
    along: dict[int, int]


def read_vector(source: Slice, access: TileAccess, extents: Sequence[Extent]) -> ir.Value:
    """Reads a tile with the given extents, 1 along dims that are not in the memory; elements outside of the
    memory are the slice's padding.

    It is read in the memory's order and transposed in registers, so that adjacent threads read contiguous
    elements."""
    memory: ir.Value = _memory(source)
    offsets: Sequence[Index] = access.offsets
    if any(stride != 1 for stride in access.strides):
        memory, offsets = _strided_view(source, access, extents)
    dims = sorted(access.along, key=lambda dim: access.along[dim])
    inside = all(dim.inside for dim in source.dims)
    along = [(access.along[dim], extents[dim]) for dim in dims]
    value = _transfer(memory, offsets, along, 0 if inside else source.padding, inside)
    value = transpose_vector(value, [dims.index(dim) for dim in sorted(dims)])
    shape = [extent.padded if dim in dims else 1 for dim, extent in enumerate(extents)]
    return reshape_vector(value, shape or [1])


def _transfer(
    memory: ir.Value,
    offsets: Sequence[Index],
    along: Sequence[tuple[int, Extent]],
    filler: float,
    inside: bool,
) -> ir.Value:
    """Reads a vector along some dims of the memory, or of one element. With `inside`, all indices up to the
    extents are inside of the memory."""
    element = memory.type.element_type
    dims = along or [(len(offsets) - 1, UNIT)]
    return vector.TransferReadOp(
        ir.VectorType.get([extent.padded for _, extent in dims], element),
        memory,
        [as_value(offset) for offset in offsets],
        _permutation(len(offsets), [at for at, _ in dims]),
        constant(element, filler),
        _in_bounds([inside and extent.whole for _, extent in dims]),
    ).result


def _permutation(rank: int, along: Sequence[int]) -> ir.Attribute:
    return ir.AffineMapAttr.get(ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(dim) for dim in along]))


def _in_bounds(dims: Sequence[bool]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.BoolAttr.get(dim) for dim in dims])


def _strided_view(
    source: Slice, access: TileAccess, extents: Sequence[Extent]
) -> tuple[ir.Value, list[Index]]:
    """A view of the memory with the access's strides, and the first index of the tile in it."""
    sizes: list[Index] = [1] * len(source.dims)
    for dim, at in access.along.items():
        sizes[at] = extents[dim].size
    given = [access.offsets, sizes]
    mixed = [[value if isinstance(value, int) else _DYNAMIC for value in group] for group in given]
    dynamic = [[value for value in group if not isinstance(value, int)] for group in given]
    memory = _memory(source)
    source_type = ir.MemRefType(memory.type)
    source_strides, _ = source_type.get_strides_and_offset()
    steps = [a * b for a, b in zip(source_strides, access.strides, strict=True)]
    start: int = ir.ShapedType.get_dynamic_stride_or_offset()
    if not dynamic[0]:
        start = sum(at * stride for at, stride in zip(mixed[0], source_strides, strict=True))
    layout = ir.StridedLayoutAttr.get(start, steps)
    view_type = ir.MemRefType.get(mixed[1], source_type.element_type, layout, source_type.memory_space)
    strides = list(access.strides)
    view = memref.SubViewOp(view_type, memory, *dynamic, [], mixed[0], mixed[1], strides).result
    return view, [0] * len(sizes)


def _memory(source: Slice) -> ir.Value:
    assert source.memory is not None, "tensors are written before they are read"
    return source.memory


def load(code: Emission, source: Slice) -> VectorTile:
    """Reads all of a slice of a memory."""
    code.wait()
    extents = source.extents
    along = {dim: at for dim, at in enumerate(source.kept) if at is not None and extents[dim].padded > 1}
    offsets = tuple(dim.offset for dim in source.dims)
    access = TileAccess(offsets, tuple(dim.stride for dim in source.dims), along)
    return VectorTile(read_vector(source, access, extents), extents)


def gather(
    code: Emission, source: Slice, indices: Sequence[tuple[ir.Value, int]], extents: Sequence[Extent]
) -> ir.Value:
    """Reads elements at computed indices: for each dim of the slice, a vector of `extents` with the indices
    along it, and their factor. Elements outside of the memory, and in padding of the vectors, are not read:
    they are the slice's padding, or 0."""
    code.wait()
    memory, element = _memory(source), _memory(source).type.element_type
    steps, _ = ir.MemRefType(memory.type).get_strides_and_offset()
    start: Index = 0
    for dim, step in zip(source.dims, steps, strict=True):
        start = add(start, multiply(dim.offset, step))
    shape = [extent.padded for extent in extents] or [1]
    total, conditions = splat(ir.VectorType.get(shape, ir.IndexType.get()), 0), []
    for at, (index, factor) in zip(source.kept, indices, strict=True):
        if at is None:
            continue
        dim = source.dims[at]
        distance = arith.MulIOp(index, splat(total.type, factor * dim.stride)).result
        total = arith.AddIOp(total, arith.MulIOp(distance, splat(total.type, steps[at])).result).result
        if not dim.inside:
            conditions.append(_is_inside(distance, dim.offset, memory.type.shape[at]))
    mask, result_type = code.mask(extents), ir.VectorType.get(shape, element)
    for condition in conditions:
        mask = arith.AndIOp(mask, condition).result
    return vector.GatherOp(
        result_type,
        code.flat(memory),
        [as_value(start)],
        total,
        mask,
        splat(result_type, source.padding if conditions else 0),
    ).result


def _is_inside(distance: ir.Value, offset: Index, extent: int) -> ir.Value:
    """Whether indices `offset + distance` are in [0, extent): a negative one is a large unsigned integer."""
    start = vector.BroadcastOp(distance.type, as_value(offset)).result
    index = arith.AddIOp(start, distance).result
    return arith.CmpIOp(arith.CmpIPredicate.ult, index, splat(distance.type, extent)).result


def write(code: Emission, tile: VectorTile, part: Slice) -> None:
    """Writes a tile without its padding. Raises PassError for memory that is not a result's."""
    assert part.memory is not None, "results are in memory"
    if root_memory(part.memory) not in code.results:
        raise PassError("only results of a kernel can be written", ir.Location.current)
    kept = [at for at in part.kept if at is not None and part.dims[at].extent.padded > 1]
    along = kept or [len(part.dims) - 1]
    dims = [part.dims[at] for at in along]
    clipped = all(dim.ends or dim.extent.whole for dim in dims)
    if any(dim.stride != 1 for dim in part.dims):
        raise PassError("parts of results that have strides cannot be written", ir.Location.current)
    vector.TransferWriteOp(
        None,
        reshape_vector(tile.vector, [dim.extent.padded for dim in dims]),
        part.memory,
        [as_value(dim.offset) for dim in part.dims],
        _permutation(len(part.dims), along),
        _in_bounds([dim.extent.whole for dim in dims]),
        mask=None if clipped else code.mask([dim.extent for dim in dims]),
    )


def root_memory(memory: ir.Value) -> ir.Value:
    """Returns the memref that a view is a view of."""
    while not isinstance(memory, ir.BlockArgument):
        memory = memory.owner.operands[0]
    return memory
