"""Tiles in other layouts: by other names of registers, or through shared memory."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.accel.layouts import Layout
from mlc.passes.accel.multiples import ANYTHING
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.threads import addresses
from mlc.passes.accel.threads.code import Memory, ThreadCode, Tile


def converted(code: ThreadCode, tile: Tile, layout: Layout) -> Tile:
    """The same elements in `layout`."""
    if tile.layout == layout:
        return tile
    if tile.layout.same_threads(layout):
        at = (tile.layout.register_at(layout.offset(each)) for each in range(layout.size))
        return Tile(layout, tuple(tile.values[register] for register in at))
    return _through_memory(code, tile, layout)


def _through_memory(code: ThreadCode, tile: Tile, layout: Layout) -> Tile:
    """All threads write their elements, then read those of others."""
    memory = scratch_for(code, layout.shape, tile.values[0].type)
    origin = [0] * len(layout.shape)
    code.barrier()
    addresses.store_tile(code, tile, memory, origin, False, ANYTHING)
    code.barrier()
    return addresses.load_tile(code, layout, memory, origin, None, ANYTHING)


def scratch_for(code: ThreadCode, shape: tuple[int, ...], element: ir.Type) -> Memory:
    """Shared memory for a tile, which ends with the next use of it: a barrier comes before."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    code.shared.need_scratch(step * element_bytes(element))
    start = addresses.byte_pointer(code.shared_pointer(), code.shared.scratch_start)
    return Memory(start, tuple(shape), tuple(reversed(strides)), element, shared=True)
