"""Slices of tensors: parts of memories, and what is put into them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlc.bindings import ir, tensor
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import (
    Extent,
    Index,
    SharedTile,
    Slice,
    SliceDim,
    VectorTile,
    add,
    all_of,
    multiply,
)
from mlc.passes.accel.tiles.transfers import load, write
from mlc.passes.accel.tiles.vector_shapes import reshaped
from mlc.passes.base import PassError
from mlc.passes.common.affine import AffineForm, form_of, map_forms, upper_bound

_DYNAMIC = ir.ShapedType.get_dynamic_size()
# Operands in front of a slice's offsets.
_BEFORE = {tensor.ExtractSlice.NAME: 1, tensor.InsertSlice.NAME: 2, tensor.ParallelInsertSlice.NAME: 2}


class SliceOp:
    """What an op says about a slice: for each dim a number, or a value of the old IR."""

    def __init__(self, op: ir.Operation) -> None:
        dynamic = iter(list(op.operands)[_BEFORE[op.name] :])
        self.op = op
        self.offsets = _mixed(op, "static_offsets", dynamic)
        self.sizes = _mixed(op, "static_sizes", dynamic)
        self.strides = _mixed(op, "static_strides", dynamic)
        if not all(isinstance(stride, int) for stride in self.strides):
            raise PassError("slices with strides that are not known have no tile", op.location)

    def is_whole(self, extents: Sequence[Extent], code: Emission) -> bool:
        """Whether it is all of a tile."""
        sizes = [code.index(size) for size in self.sizes]
        return all(
            offset == 0 and stride == 1 and size == extent.size
            for offset, stride, size, extent in zip(self.offsets, self.strides, sizes, extents, strict=True)
        )


def _mixed(op: ir.Operation, name: str, dynamic: Iterator[ir.Value]) -> list[Index]:
    """Numbers that the attribute has, and values where it has none."""
    return [next(dynamic) if each == _DYNAMIC else each for each in ir.DenseI64ArrayAttr(op.attributes[name])]


def kept_dims(sizes: Sequence[Index], rank: int) -> tuple[int, ...]:
    """Which dims a slice of `rank` dims keeps, of those with `sizes`: it drops ones of 1, the first first."""
    surplus = len(sizes) - rank
    kept = []
    for dim, size in enumerate(sizes):
        if surplus and size == 1:
            surplus -= 1
        else:
            kept.append(dim)
    return tuple(kept)


def extract_slice(code: Emission, op: ir.Operation) -> None:
    """A part of a part of memory; of a tile, only the whole."""
    source, taken = code.tensor(op.operands[0]), SliceOp(op)
    rank = len(op.results[0].type.shape)
    if isinstance(source, SharedTile):
        if not taken.is_whole(source.extents, code) or rank != len(source.extents):
            raise PassError("a part of a tile in shared memory cannot be taken", op.location)
        code.values[op.results[0]] = source
        return
    if isinstance(source, VectorTile):
        if not taken.is_whole(source.extents, code):
            raise PassError("a part of a tile in registers cannot be taken", op.location)
        kept = kept_dims(taken.sizes, rank)
        shape = [source.vector.type.shape[each] for each in kept] or [1]
        extents = tuple(source.extents[each] for each in kept)
        code.values[op.results[0]] = VectorTile(reshaped(source.vector, shape), extents)
        return
    code.values[op.results[0]] = part_of(code, source, taken, rank)


def part_of(code: Emission, source: Slice, taken: SliceOp, rank: int) -> Slice:
    """The slice of a slice, whose tile has `rank` dims."""
    dims = list(source.dims)
    for position, at in enumerate(source.kept):
        if at is not None:
            dims[at] = _part_of_dim(code, source.dims[at], taken, position)
    kept = tuple(source.kept[dim] for dim in kept_dims(taken.sizes, rank))
    return Slice(source.memory, tuple(dims), kept, source.padding)


def _part_of_dim(code: Emission, dim: SliceDim, taken: SliceOp, position: int) -> SliceDim:
    offset, size, stride = (each[position] for each in (taken.offsets, taken.sizes, taken.strides))
    assert isinstance(stride, int)
    extent = Extent(code.index(size), bound_of(size, taken.op))
    ends = dim.ends and _ends(offset, size, extent, dim.extent)
    start = add(dim.offset, multiply(code.index(offset), dim.stride))
    return SliceDim(start, dim.stride * stride, extent, ends, dim.inside)


def bound_of(size: Index, op: ir.Operation) -> int:
    """What a size is at most. Raises PassError if that is not known."""
    found = size if isinstance(size, int) else upper_bound(size)
    if found is None:
        raise PassError("a slice of unknown size has no tile", op.location)
    return found


def _ends(offset: Index, size: Index, extent: Extent, source: Extent) -> bool:
    """Whether the source ends with the slice, where this is shorter than its vector."""
    if extent.whole or (offset == 0 and extent.size == source.size):
        return True
    end = source.size if isinstance(source.size, int) else None
    if isinstance(size, int):
        return isinstance(offset, int) and end == offset + size
    op = size.owner
    if end is None or extent.bound != extent.padded or isinstance(op, ir.Block) or "map" not in op.attributes:
        return False
    # Shorter than its bound: as long as what is left behind the offset.
    start = AffineForm(offset) if isinstance(offset, int) else form_of(offset)
    results = map_forms(op.attributes["map"].value, list(op.operands))
    longer = [form for form in results if form not in (None, AffineForm(extent.bound))]
    return bool(longer) and all(start + form == AffineForm(end) for form in longer if form is not None)


def insert_slice(code: Emission, op: ir.Operation) -> None:
    """All of a tile, in place of what it was; or a part of a result, into the memory where that lies."""
    if op.results[0] in code.destinations:
        code.values[op.results[0]] = code.destinations[op.results[0]]
        return
    value, target = code.tensor(op.operands[0]), code.tensor(op.operands[1])
    if isinstance(target, Slice) and target.memory is not None:
        _put(code, value, target, op)
        code.values[op.results[0]] = target
        return
    if not isinstance(value, VectorTile) or not SliceOp(op).is_whole(target.extents, code):
        raise PassError("a part of a tile in registers cannot be written", op.location)
    code.values[op.results[0]] = value


def empty(code: Emission, op: ir.Operation) -> None:
    """A tensor that nobody has written, and nobody reads as it is: `tensor.empty`."""
    sizes = iter(op.operands)
    shape = [next(sizes) if each == _DYNAMIC else each for each in op.results[0].type.shape]
    extents = [Extent(code.index(each), bound_of(each, op)) for each in shape]
    code.values[op.results[0]] = all_of(None, extents)


def store(code: Emission, op: ir.Operation) -> None:
    """`tensor.parallel_insert_slice`: the block's part of a result."""
    value, target = code.tensor(op.operands[0]), code.tensor(op.operands[1])
    assert isinstance(target, Slice), "results lie in memory"
    _put(code, value, target, op)


def _put(code: Emission, value: Slice | SharedTile | VectorTile, target: Slice, op: ir.Operation) -> None:
    """Writes into a part of the target, unless it was computed there."""
    if isinstance(value, Slice):
        if value.memory is None:
            raise PassError("a tensor is stored that nobody has written", op.location)
        if value.memory == target.memory:
            return
        value = load(code, value)
    if isinstance(value, SharedTile):
        raise PassError("a tile in shared memory is stored that was not computed", op.location)
    write(code, value, part_of(code, target, SliceOp(op), len(value.extents)))


HANDLERS = {
    tensor.Empty.NAME: empty,
    tensor.ExtractSlice.NAME: extract_slice,
    tensor.InsertSlice.NAME: insert_slice,
    tensor.ParallelInsertSlice.NAME: store,
}
