"""Offsets and sizes of slices, and slices by them."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, tensor
from mlc.passes.common.constants import index_constant
from mlc.passes.common.dynamic_dims import UNKNOWN
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


def part_of(source: ir.Value, offsets: Sequence[Extent], sizes: Sequence[Extent]) -> ir.Value:
    """Builds a slice; offsets and sizes are values or constants."""
    (starts, moving), (counts, open_counts) = _split(offsets), _split(sizes)
    type_ = ir.RankedTensorType.get(counts, ir.RankedTensorType(source.type).element_type)
    ones = [1] * len(sizes)
    return tensor.ExtractSliceOp(type_, source, moving, open_counts, [], starts, counts, ones).result


def _split(indices: Sequence[Extent]) -> tuple[list[int], list[ir.Value]]:
    """Returns the constants, with a mark for the others, and these as values."""
    static = [index if isinstance(index, int) else UNKNOWN for index in indices]
    return static, [index for index in indices if not isinstance(index, int)]
