"""How much of a kernel's result one thread block computes, and in what steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position, dims_read
from mlc.passes.schedule.common.plain import row_dims

# Elements of a tile: 8 for each thread of 4 warps, as many as 16 bytes of f16 hold.
ELEMENTS = 1024
# What a reduction needs of one result: as many elements at most, which 128 threads hold in 64 registers each;
# of what is longer, steps of so many elements.
ROW_ELEMENTS, STEP_ELEMENTS = 8192, 2048
# Neighbours in memory that are read or written together: bytes of a cache's line, as f32.
NEIGHBOURS = 32


def padded(extent: int) -> int:
    """What a dim is in a tile of threads: the next power of two."""
    return 1 << (extent - 1).bit_length() if extent > 1 else 1


def elementwise_tile(root: Computation) -> list[int]:
    """The inner dims whole, as far as they fit; squares where an operand's neighbours in memory lie along
    another dim than the result's."""
    extents = root.extents
    if not extents:
        return []
    turned = [each for each in _turned_dims(root) if extents[each] > 1]
    tile = [1] * len(extents)
    rest = ELEMENTS
    # A dim may come twice: neighbours first.
    for dim in [len(extents) - 1, *turned] if turned else []:
        tile[dim] = min(NEIGHBOURS, padded(extents[dim]), rest)
        rest //= tile[dim]
    for dim in reversed(range(len(extents))):
        more = min(rest, padded(extents[dim]) // tile[dim])
        tile[dim] *= more
        rest //= more
    return _tiled(tile, extents)


def _turned_dims(root: Computation) -> list[int]:
    """The dims, but the last, along which inputs lie side by side in memory."""
    inner = [dim_position(each.results[-1]) for each in root.maps[:-1] if len(each.results)]
    return sorted({dim for dim in inner if dim is not None and dim != len(root.extents) - 1})


def _tiled(tile: Sequence[int], extents: Sequence[int]) -> list[int]:
    """0 for the dims that are whole; empty if all are."""
    sizes = [0 if size >= extent else size for size, extent in zip(tile, extents, strict=True)]
    return sizes if any(sizes) else []


def _inner_first(extents: Sequence[int], dims: Sequence[int], elements: int) -> list[int]:
    """Extents of a tile with that many elements at most, counted with padding, along `dims`; all of the
    others."""
    tile = list(extents)
    rest = elements
    for dim in reversed(dims):
        tile[dim] = min(rest, padded(extents[dim]))
        rest //= tile[dim]
    return tile


@dataclass(frozen=True)
class ReductionTiles:
    """Tiles for a root which reduces dims, or has producers that do. `tile` is that of the root, empty for
    all of it; where `long`, the reduced dims are taken in steps of `step` elements. `rows` are the dims of
    the root that no reduction touches."""

    tile: list[int]
    long: bool
    step: int
    rows: list[int]

    def steps(self, computation: Computation, is_root: bool) -> list[int]:
        """Sizes of sequential tiles: 1 along a window, parts of long rows; empty where it has no loop."""
        windows = window_dims(computation)
        extents = computation.extents
        rest = [dim for dim in computation.reductions if dim not in windows]
        if is_root and not computation.reductions:
            rest = [dim for dim in range(len(extents)) if dim not in self.rows]
        tile = _inner_first(extents, rest, self.step) if self.long else list(extents)
        return _tiled([1 if dim in windows else size for dim, size in enumerate(tile)], extents)


def rows_of(root: Computation, producers: Sequence[Computation]) -> ReductionTiles:
    """Some rows: all of what reductions touch, or of what is longer than a tile one row at a time."""
    rows = row_dims(root)
    whole = max(_row_length(each, rows if each.op == root.op else None) for each in (root, *producers))
    columns = any(map(_reduces_columns, (root, *producers)))
    side_by_side = min(NEIGHBOURS, padded(root.extents[rows[-1]])) if rows and columns else 1
    fitting = max(1, ROW_ELEMENTS // whole)
    count = max(ELEMENTS // whole, min(side_by_side, fitting)) if whole <= ROW_ELEMENTS else side_by_side
    tile = _inner_first(root.extents, rows, count)
    return ReductionTiles(_tiled(tile, root.extents), whole > ROW_ELEMENTS, STEP_ELEMENTS // count, rows)


def _reduces_columns(computation: Computation) -> bool:
    """Whether neighbours in memory go to results of their own."""
    inner = [dim_position(each.results[-1]) for each in computation.maps[:-1] if len(each.results)]
    kept = [dim for dim in inner if dim is not None and dim not in computation.reductions]
    return bool(computation.reductions) and any(computation.extents[dim] > 1 for dim in kept)


def _row_length(computation: Computation, rows: Sequence[int] | None) -> int:
    extents, windows = computation.extents, window_dims(computation)
    if rows is None or computation.reductions:
        return prod(padded(extents[dim]) for dim in computation.reductions if dim not in windows)
    return prod(padded(extent) for dim, extent in enumerate(extents) if dim not in rows)


def window_dims(computation: Computation) -> set[int]:
    """The reduced dims that are added to others where an operand is read."""
    found: set[int] = set()
    for access in computation.maps:
        for result in access.results:
            read = dims_read(ir.AffineMap.get(access.n_dims, 0, [result]))
            if len([dim for dim in read if computation.extents[dim] > 1]) > 1:
                found |= read & set(computation.reductions)
    return found
