"""How much of a kernel's result one thread block computes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.passes.base import PassFailure
from mlc.passes.tloop.computation import Computation
from mlc.passes.tloop.default_schedules import row_dims

# Elements of a tile: 8 for each thread of 4 warps, as many as 16 bytes of f16 hold.
ELEMENTS = 1024
# Rows that a reduction needs whole: as many elements at most, which 128 threads hold in 64 registers each.
ROW_ELEMENTS = 8192


def padded(extent: int) -> int:
    """What a dim is in a tile of threads: the next power of two."""
    return 1 << (extent - 1).bit_length() if extent > 1 else 1


def elementwise_tile(root: Computation) -> list[int]:
    """The inner dims whole, as far as they fit."""
    return _inner_first(root.extents, range(len(root.extents)), ELEMENTS)


def _inner_first(extents: Sequence[int], dims: Sequence[int], elements: int) -> list[int]:
    """Extents of a tile with that many elements at most, counted with padding, along `dims`; 0, all of it,
    along the others."""
    tile = [0] * len(extents)
    rest = elements
    for dim in reversed(dims):
        tile[dim] = min(rest, padded(extents[dim]))
        rest //= tile[dim]
    return tile


def row_tile(root: Computation, others: Sequence[Computation]) -> list[int]:
    """All of the dims that reductions touch, and some rows."""
    rows = row_dims(root)
    whole = max(_row_length(each, rows if each.op == root.op else None) for each in (root, *others))
    if whole > ROW_ELEMENTS:
        raise PassFailure(f"rows of {whole} elements are longer than a block's tile", root.op.location)
    tile = _inner_first(root.extents, rows, max(1, ELEMENTS // whole))
    return tile if any(tile) else [1, *tile[1:]]


def _row_length(computation: Computation, rows: Sequence[int] | None) -> int:
    if rows is None:
        return prod(padded(computation.extents[dim]) for dim in computation.reductions)
    return prod(padded(each) for dim, each in enumerate(computation.extents) if dim not in rows)
