"""Slices for `tloop-collapse-dims`: parts of tensors whose neighbouring dims are contiguous become parts of
the tensors with fewer dims."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from mlc.bindings import arith, ir, linalg, tensor
from mlc.passes.common.constants import index_constant
from mlc.passes.common.kernel_functions import DIMS
from mlc.passes.common.rewriting import replace_op

_UNKNOWN = ir.ShapedType.get_dynamic_size()
_SLICES = (tensor.ExtractSlice.NAME, tensor.InsertSlice.NAME)


class Slice:
    """A `tensor.extract_slice` or `tensor.insert_slice`: a part of a whole tensor."""

    def __init__(self, op: ir.Operation) -> None:
        self.op = op
        view = tensor.InsertSlice.match(op) or tensor.ExtractSlice(op)
        if isinstance(view, tensor.InsertSlice):
            self.part, self.whole = view.source, view.dest
        else:
            self.part, self.whole = view.result, view.source
        self.tensors = [*dict.fromkeys([view.source, self.whole, view.result])]
        self.offsets = _extents(view.static_offsets, view.offsets)
        self.sizes = _extents(view.static_sizes, view.sizes)
        self.is_plain = set(view.static_strides) == {1} and len(self.sizes) == len(self.part.type.shape)

    def is_contiguous(self, axis: int) -> bool:
        """Whether the part has all of the whole along the next axis."""
        size = self.sizes[axis + 1]
        return self.offsets[axis + 1] == 0 and _key(size) == _extent_key(self.whole, axis + 1)

    def collapse(self, groups: Sequence[Sequence[int]], result: ir.RankedTensorType) -> None:
        """Replaces the op by one with an axis for each group."""
        with ir.InsertionPoint(self.op), self.op.location:
            sizes = [product([self.sizes[axis] for axis in axes]) for axes in groups]
            inner = [[self.sizes[axis] for axis in axes[1:]] for axes in groups]
            starts = [
                product([self.offsets[first], *counts])
                for (first, *_), counts in zip(groups, inner, strict=True)
            ]
            (offsets, moving), (extents, open_extents) = _split(starts), _split(sizes)
            arguments: tuple[Any, ...] = (moving, open_extents, [], offsets, extents, [1] * len(groups))
            if tensor.InsertSlice.isa(self.op):
                made = tensor.InsertSliceOp(*list(self.op.operands)[:2], *arguments, results=[result])
            else:
                made = tensor.ExtractSliceOp(result, self.op.operands[0], *arguments)
        replace_op(self.op, made.result)


def is_slice(op: ir.Operation) -> bool:
    """Whether the op is a slice without steps that drops no dim."""
    return op.name in _SLICES and Slice(op).is_plain


def product(extents: Sequence[int | ir.Value]) -> int | ir.Value:
    """Builds the product of extents at the insertion point; integers alone make an integer."""
    known = prod(extent for extent in extents if isinstance(extent, int))
    result: int | ir.Value = known
    for extent in extents if known else ():
        if isinstance(extent, int):
            continue
        if isinstance(result, int):
            result = extent if result == 1 else arith.muli(index_constant(result), extent)
        else:
            result = arith.muli(result, extent)
    return result


def _extents(static: Sequence[int], dynamic: Sequence[ir.Value]) -> list[int | ir.Value]:
    values = iter(dynamic)
    return [next(values) if size == _UNKNOWN else size for size in static]


def _split(extents: Sequence[int | ir.Value]) -> tuple[list[int], list[ir.Value]]:
    """Splits extents as upstream's ops take them: integers with a mark for the others, and these."""
    static = [extent if isinstance(extent, int) else _UNKNOWN for extent in extents]
    return static, [extent for extent in extents if not isinstance(extent, int)]


def _key(size: int | ir.Value) -> object:
    """Returns what is equal for equal extents: an integer, the name of a kernel's dim, or the value."""
    if isinstance(size, int) or isinstance(size.owner, ir.Block) or not tensor.Extract.isa(size.owner):
        return size
    index = next(iter(tensor.Extract(size.owner.operation).indices)).owner
    return f"d{arith.Constant(index.operation).value.value}" if arith.Constant.isa(index) else size


def _extent_key(value: ir.Value, axis: int) -> object:
    """Returns the `_key` of a tensor's extent, or None if it is not known."""
    if value.type.shape[axis] != _UNKNOWN:
        return value.type.shape[axis]
    if isinstance(value.owner, ir.Block):
        kernel = value.owner.owner
        if DIMS not in kernel.attributes:
            return None
        names = kernel.attributes[DIMS][list(value.owner.arguments).index(value)]
        return ir.StringAttr(names[axis]).value
    op = value.owner.operation
    if op.name == tensor.Empty.NAME:
        return _key(_extents(value.type.shape, list(op.operands))[axis])
    if op.name == tensor.ExtractSlice.NAME:
        return _key(Slice(op).sizes[axis])
    if op.name in (tensor.InsertSlice.NAME, linalg.Fill.NAME):
        return _extent_key(op.operands[1], axis)
    return _extent_key(op.operands[-1], axis) if linalg.Generic.isa(op) else None
