"""Emission of slices of tensors: slices of memory, and insertions into them."""

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
from mlc.passes.accel.tiles.vector_shapes import reshape_vector
from mlc.passes.base import PassError
from mlc.passes.common.affine import AffineForm, form_of, map_forms, upper_bound

_DYNAMIC = ir.ShapedType.get_dynamic_size()
# The number of operands before a slice's offsets.
_BEFORE = {tensor.ExtractSlice.NAME: 1, tensor.InsertSlice.NAME: 2, tensor.ParallelInsertSlice.NAME: 2}


class SliceOp:
    """The offsets, sizes and strides of a slicing op: for each dim an int, or a value of the old IR."""

    def __init__(self, op: ir.Operation) -> None:
        dynamic = iter(list(op.operands)[_BEFORE[op.name] :])
        self.op = op
        self.offsets = _mixed_values(op, "static_offsets", dynamic)
        self.sizes = _mixed_values(op, "static_sizes", dynamic)
        self.strides = _mixed_values(op, "static_strides", dynamic)
        if not all(isinstance(stride, int) for stride in self.strides):
            raise PassError("slices with dynamic strides have no tile", op.location)

    def is_whole(self, extents: Sequence[Extent], code: Emission) -> bool:
        """Whether the slice is all of a tile with these extents."""
        sizes = [code.index(size) for size in self.sizes]
        return all(
            offset == 0 and stride == 1 and size == extent.size
            for offset, stride, size, extent in zip(self.offsets, self.strides, sizes, extents, strict=True)
        )


def _mixed_values(op: ir.Operation, name: str, dynamic: Iterator[ir.Value]) -> list[Index]:
    """The static values of an attribute, and operands where it has none."""
    static = ir.DenseI64ArrayAttr(op.attributes[name])
    return [next(dynamic) if value == _DYNAMIC else value for value in static]


def kept_dims(sizes: Sequence[Index], rank: int) -> tuple[int, ...]:
    """Returns the dims that a rank-reduced slice keeps, of those with `sizes`: it drops the first ones of
    size 1."""
    surplus = len(sizes) - rank
    kept = []
    for dim, size in enumerate(sizes):
        if surplus and size == 1:
            surplus -= 1
        else:
            kept.append(dim)
    return tuple(kept)


def extract_slice(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.extract_slice` of memory; of a tile, only all of it can be taken."""
    source, taken = code.tensor(tensor.ExtractSlice(op).source), SliceOp(op)
    rank = len(tensor.ExtractSlice(op).result.type.shape)
    if isinstance(source, SharedTile):
        if not taken.is_whole(source.extents, code) or rank != len(source.extents):
            raise PassError("a part of a tile in shared memory cannot be taken", op.location)
        code.values[op.results[0]] = source
        return
    if isinstance(source, VectorTile):
        if not taken.is_whole(source.extents, code):
            raise PassError("a part of a tile in registers cannot be taken", op.location)
        kept = kept_dims(taken.sizes, rank)
        shape = [source.vector.type.shape[dim] for dim in kept] or [1]
        extents = tuple(source.extents[dim] for dim in kept)
        code.values[op.results[0]] = VectorTile(reshape_vector(source.vector, shape), extents)
        return
    code.values[op.results[0]] = part_of(code, source, taken, rank)


def part_of(code: Emission, source: Slice, taken: SliceOp, rank: int) -> Slice:
    """Returns the slice of a slice, whose tile has `rank` dims."""
    dims = list(source.dims)
    for position, at in enumerate(source.kept):
        if at is not None:
            dims[at] = _part_of_dim(code, source.dims[at], taken, position)
    kept = tuple(source.kept[dim] for dim in kept_dims(taken.sizes, rank))
    return Slice(source.memory, tuple(dims), kept, source.padding)


def _part_of_dim(code: Emission, dim: SliceDim, taken: SliceOp, position: int) -> SliceDim:
    offset, size, stride = (values[position] for values in (taken.offsets, taken.sizes, taken.strides))
    assert isinstance(stride, int)
    extent = Extent(code.index(size), bound_of(size, taken.op))
    ends = dim.ends and _ends(offset, size, extent, dim.extent)
    start = add(dim.offset, multiply(code.index(offset), dim.stride))
    return SliceDim(start, dim.stride * stride, extent, ends, dim.inside)


def bound_of(size: Index, op: ir.Operation) -> int:
    """Returns the upper bound of a size. Raises PassError if it has none."""
    found = size if isinstance(size, int) else upper_bound(size)
    if found is None:
        raise PassError("a slice of unbounded size has no tile", op.location)
    return found


def _ends(offset: Index, size: Index, extent: Extent, source: Extent) -> bool:
    """Whether the source ends with the slice if the slice is shorter than its vector."""
    if extent.whole or (offset == 0 and extent.size == source.size):
        return True
    end = source.size if isinstance(source.size, int) else None
    if isinstance(size, int):
        return isinstance(offset, int) and end == offset + size
    op = size.owner
    if end is None or extent.bound != extent.padded or isinstance(op, ir.Block) or "map" not in op.attributes:
        return False
    # If it is shorter than its bound, it is the rest of the source after the offset.
    start = AffineForm(offset) if isinstance(offset, int) else form_of(offset)
    results = map_forms(op.attributes["map"].value, list(op.operands))
    longer = [form for form in results if form not in (None, AffineForm(extent.bound))]
    return bool(longer) and all(start + form == AffineForm(end) for form in longer if form is not None)


def insert_slice(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.insert_slice` of all of a tile, or of a slice of a result, which is written to its
    memory."""
    insert = tensor.InsertSlice(op)
    result = insert.result
    if result in code.destinations:
        code.values[result] = code.destinations[result]
        return
    value, target = code.tensor(insert.source), code.tensor(insert.dest)
    if isinstance(target, Slice) and target.memory is not None:
        _put(code, value, target, op)
        code.values[result] = target
        return
    if not isinstance(value, VectorTile) or not SliceOp(op).is_whole(target.extents, code):
        raise PassError("a part of a tile in registers cannot be written", op.location)
    code.values[result] = value


def empty(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.empty`: a tensor that is not written yet."""
    sizes = iter(op.operands)
    shape = [next(sizes) if size == _DYNAMIC else size for size in op.results[0].type.shape]
    extents = [Extent(code.index(size), bound_of(size, op)) for size in shape]
    code.values[op.results[0]] = all_of(None, extents)


def store(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.parallel_insert_slice`: writes the block's part of a result."""
    insert = tensor.ParallelInsertSlice(op)
    value, target = code.tensor(insert.source), code.tensor(insert.dest)
    assert isinstance(target, Slice), "results are in memory"
    _put(code, value, target, op)


def _put(code: Emission, value: Slice | SharedTile | VectorTile, target: Slice, op: ir.Operation) -> None:
    """Writes a value into a slice of the target, unless it was computed there."""
    if isinstance(value, Slice):
        if value.memory is None:
            raise PassError("a tensor is stored before it is written", op.location)
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
