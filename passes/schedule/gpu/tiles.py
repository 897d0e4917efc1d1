"""Tiles of elementwise kernels and of reductions for thread blocks, and their steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import ir
from mlc.passes.common.computation import Computation, dim_position, dims_read
from mlc.passes.schedule.common.plain import row_dims

# Elements of a tile: 8 for each thread of 4 warps, as many as 16 bytes of f16 hold.
ELEMENTS = 1024
# The most elements that a reduction reads at once for one result, which 128 threads hold in 64 registers
# each; the elements of a step of longer ones.
ROW_ELEMENTS, STEP_ELEMENTS = 8192, 2048
# Neighbours in memory that are read or written together: a cache line of f32.
NEIGHBOURS = 32


def next_power_of_two(extent: int) -> int:
    """Returns the extent of a dim in a tile of threads: the next power of two."""
    return 1 << (extent - 1).bit_length() if extent > 1 else 1


def elementwise_tile(root: Computation) -> list[int]:
    """Returns the tile sizes of an elementwise computation: inner dims in full, as far as they fit; squares
    if an operand's neighbours in memory are along another dim than the result's."""
    extents = root.extents
    if not extents:
        return []
    transposed = [dim for dim in _transposed_dims(root) if extents[dim] > 1]
    tile = [1] * len(extents)
    rest = ELEMENTS
    # A dim may come twice: neighbours first.
    for dim in [len(extents) - 1, *transposed] if transposed else []:
        tile[dim] = min(NEIGHBOURS, next_power_of_two(extents[dim]), rest)
        rest //= tile[dim]
    for dim in reversed(range(len(extents))):
        more = min(rest, next_power_of_two(extents[dim]) // tile[dim])
        tile[dim] *= more
        rest //= more
    return _tile_sizes(tile, extents)


def _transposed_dims(root: Computation) -> list[int]:
    """Returns the dims, but the last, along which inputs are contiguous in memory."""
    return sorted({dim for dim in _inner_dims(root) if dim is not None and dim != len(root.extents) - 1})


def _inner_dims(computation: Computation) -> list[int | None]:
    """Returns the iteration dim of the last dim of each input."""
    inputs = [list(indexing_map.results) for indexing_map in computation.maps[:-1]]
    return [dim_position(results[-1]) for results in inputs if results]


def _tile_sizes(tile: Sequence[int], extents: Sequence[int]) -> list[int]:
    """Returns the sizes of a tile, 0 for the dims that are not tiled; empty if none is."""
    sizes = [0 if size >= extent else size for size, extent in zip(tile, extents, strict=True)]
    return sizes if any(sizes) else []


def _inner_first(extents: Sequence[int], dims: Sequence[int], elements: int) -> list[int]:
    """Returns the extents of a tile with `elements` elements at most, counted with padding, along `dims`; the
    other dims in full."""
    tile = list(extents)
    rest = elements
    for dim in reversed(dims):
        tile[dim] = min(rest, next_power_of_two(extents[dim]))
        rest //= tile[dim]
    return tile


@dataclass(frozen=True)
class ReductionTiles:
    """The tiles of a root which reduces dims, or has producers that do. `tile` is that of the root, empty for
    all of it; if `long`, the reduced dims are tiled by steps of `step` elements. `rows` are the dims of the
    root that no reduction touches."""

    tile: list[int]
    long: bool
    step: int
    rows: list[int]

    def steps(self, computation: Computation, is_root: bool) -> list[int]:
        """Returns the sizes of sequential tiles: 1 along a window, parts of long rows; empty if there is no
        loop."""
        windows = window_dims(computation)
        extents = computation.extents
        rest = [dim for dim in computation.reductions if dim not in windows]
        if is_root and not computation.reductions:
            rest = [dim for dim in range(len(extents)) if dim not in self.rows]
        tile = _inner_first(extents, rest, self.step) if self.long else list(extents)
        return _tile_sizes([1 if dim in windows else size for dim, size in enumerate(tile)], extents)


def rows_of(root: Computation, producers: Sequence[Computation]) -> ReductionTiles:
    """Returns the tiles of some rows, with all dims that reductions touch, or of one row if it is too
    long."""
    rows = row_dims(root)
    whole = max([_row_length(root, rows), *(_row_length(producer, None) for producer in producers)])
    columns = any(map(_reduces_columns, (root, *producers)))
    side_by_side = min(NEIGHBOURS, next_power_of_two(root.extents[rows[-1]])) if rows and columns else 1
    fitting = max(1, ROW_ELEMENTS // whole)
    count = max(ELEMENTS // whole, min(side_by_side, fitting)) if whole <= ROW_ELEMENTS else side_by_side
    tile = _inner_first(root.extents, rows, count)
    return ReductionTiles(_tile_sizes(tile, root.extents), whole > ROW_ELEMENTS, STEP_ELEMENTS // count, rows)


def _reduces_columns(computation: Computation) -> bool:
    """Whether neighbours in memory belong to different results."""
    inner = _inner_dims(computation)
    kept = [dim for dim in inner if dim is not None and dim not in computation.reductions]
    return bool(computation.reductions) and any(computation.extents[dim] > 1 for dim in kept)


def _row_length(computation: Computation, rows: Sequence[int] | None) -> int:
    extents, windows = computation.extents, window_dims(computation)
    if rows is None or computation.reductions:
        return prod(next_power_of_two(extents[dim]) for dim in computation.reductions if dim not in windows)
    return prod(next_power_of_two(extent) for dim, extent in enumerate(extents) if dim not in rows)


def window_dims(computation: Computation) -> set[int]:
    """Returns the reduced dims that are added to others in the index of an operand."""
    found: set[int] = set()
    for access in computation.maps:
        for result in access.results:
            read = dims_read(ir.AffineMap.get(access.n_dims, 0, [result]))
            if len([dim for dim in read if computation.extents[dim] > 1]) > 1:
                found |= read & set(computation.reductions)
    return found
