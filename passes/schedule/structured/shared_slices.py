"""Slices of one value at the same offsets become parts of the largest, so that it is computed once."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import address, arith, ir, tensor
from mlc.passes.common.constants import index_constant
from mlc.passes.common.linalg_builders import Extent
from mlc.passes.common.rewriting import replace_op
from mlc.passes.schedule.structured.slice_offsets import part_of, slice_offsets, slice_sizes


def share_slices(slices: Sequence[ir.Operation]) -> None:
    """Makes `tensor.extract_slice` ops of one value that differ in their sizes alone slices of one with the
    largest sizes. The elements of a window are read so: each of them along all of a row but its end."""
    groups: dict[tuple[object, ...], list[ir.Operation]] = {}
    for op in slices:
        part = tensor.ExtractSlice(op)
        if part.result.type.rank == len(part.static_sizes) == sum(part.static_strides):
            start = (tuple(part.static_offsets), tuple(part.offsets))
            groups.setdefault((op.block, *start), []).append(op)
    for group in groups.values():
        if len({tuple(slice_sizes(op)) for op in group}) > 1:
            _share(group)


def _share(group: Sequence[ir.Operation]) -> None:
    """Inserts the common slice before the last of them, where all sizes are known."""
    positions = {address(op.operation): position for position, op in enumerate(group[0].block)}
    ordered = sorted(group, key=lambda op: positions[address(op)])
    with ir.InsertionPoint(ordered[-1]), ordered[-1].location:
        sizes = [_largest(sizes) for sizes in zip(*map(slice_sizes, ordered), strict=True)]
        last = ordered[-1]
        whole = part_of(tensor.ExtractSlice(last).source, slice_offsets(last), sizes)
        for op in ordered:
            replace_op(op, [part_of(whole, [0] * len(sizes), slice_sizes(op))])


def _largest(sizes: Sequence[Extent]) -> Extent:
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) == len(sizes):
        return max(known)
    values = [index_constant(size) if isinstance(size, int) else size for size in sizes]
    largest = values[0]
    for value in values[1:]:
        largest = largest if value == largest else arith.maxui(largest, value)
    return largest
