"""Emission of slices of tensors: slices of memory, and insertions into them."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import fields, ir, tensor, views
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
_VIEWS: dict[str, type[tensor.ExtractSlice | tensor.InsertSlice | tensor.ParallelInsertSlice]] = {
    view.NAME: view for view in (tensor.ExtractSlice, tensor.InsertSlice, tensor.ParallelInsertSlice)
}


class _Mapped(views.AnyView):
    """An op that may have an affine map, as `affine.min` has."""

    map = fields.optional(fields.affine_map())


class SliceOp:
    """The offsets, sizes and strides of a slicing op: for each dim an int, or a value of the old IR."""

    def __init__(self, op: ir.Operation) -> None:
        view = _VIEWS[op.name](op)
        self.op = op
        self.offsets = _mixed_values(view.static_offsets, view.offsets)
        self.sizes = _mixed_values(view.static_sizes, view.sizes)
        self.strides = _mixed_values(view.static_strides, view.strides)
        if not all(isinstance(stride, int) for stride in self.strides):
            raise PassError("slices with dynamic strides have no tile", op.location)

    def is_whole(self, extents: Sequence[Extent], code: Emission) -> bool:
        """Whether the slice is all of a tile with these extents."""
        sizes = [code.index(size) for size in self.sizes]
        return all(
            offset == 0 and stride == 1 and size == extent.size
            for offset, stride, size, extent in zip(self.offsets, self.strides, sizes, extents, strict=True)
        )


def _mixed_values(static: Sequence[int], dynamic: Sequence[ir.Value]) -> list[Index]:
    """The static values, and operands for those that are dynamic."""
    operands = iter(dynamic)
    return [next(operands) if value == _DYNAMIC else value for value in static]


def kept_dims(sizes: Sequence[Index], rank: int) -> tuple[int, ...]:
    """Returns the dims that a rank-reduced slice of `sizes` keeps: it drops the first ones of size 1."""
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
    view, taken = tensor.ExtractSlice(op), SliceOp(op)
    source, result, rank = code.tensor(view.source), view.result, view.result.type.rank
    if isinstance(source, SharedTile):
        if not taken.is_whole(source.extents, code) or rank != len(source.extents):
            raise PassError("a part of a tile in shared memory cannot be taken", op.location)
        code.values[result] = source
        return
    if isinstance(source, VectorTile):
        if not taken.is_whole(source.extents, code):
            raise PassError("a part of a tile in registers cannot be taken", op.location)
        kept = kept_dims(taken.sizes, rank)
        shape = [source.vector.type.shape[dim] for dim in kept] or [1]
        extents = tuple(source.extents[dim] for dim in kept)
        code.values[result] = VectorTile(reshape_vector(source.vector, shape), extents)
        return
    code.values[result] = part_of(code, source, taken, rank)


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
    affine_map = None if isinstance(op, ir.Block) else _Mapped(op).map
    if end is None or extent.bound != extent.padded or affine_map is None:
        return False
    # If it is shorter than its bound, it is the rest of the source after the offset.
    start = AffineForm(offset) if isinstance(offset, int) else form_of(offset)
    results = map_forms(affine_map, list(op.operands))
    longer = [form for form in results if form not in (None, AffineForm(extent.bound))]
    return bool(longer) and all(start + form == AffineForm(end) for form in longer if form is not None)


def insert_slice(code: Emission, op: ir.Operation) -> None:
    """Emits `tensor.insert_slice` into all of a tile, or into a result, whose memory is written."""
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
    (result,) = op.results
    shape = _mixed_values(result.type.shape, list(op.operands))
    code.values[result] = all_of(None, [Extent(code.index(size), bound_of(size, op)) for size in shape])


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
