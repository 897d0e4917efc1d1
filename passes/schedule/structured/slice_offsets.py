"""Offsets and sizes of slices."""

from __future__ import annotations

from mlc.bindings import ir, tensor
from mlc.passes.common.constants import index_constant
from mlc.passes.common.linalg_builders import Extent


def slice_offsets(op: ir.Operation) -> list[ir.Value]:
    """Returns the offsets of a `tensor.extract_slice` as values."""
    part = tensor.ExtractSlice(op)
    dynamic, unknown = iter(part.offsets), ir.ShapedType.get_dynamic_size()
    return [next(dynamic) if offset == unknown else index_constant(offset) for offset in part.static_offsets]


def slice_sizes(op: ir.Operation) -> list[Extent]:
    """Returns the sizes of a `tensor.extract_slice`."""
    part = tensor.ExtractSlice(op)
    dynamic, unknown = iter(part.sizes), ir.ShapedType.get_dynamic_size()
    return [next(dynamic) if size == unknown else size for size in part.static_sizes]
