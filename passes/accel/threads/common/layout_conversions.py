"""Conversions of tiles to other layouts: by renaming registers, rematerialisation, or through shared
memory."""

from __future__ import annotations

from math import prod

from mlc.bindings import arith, ir
from mlc.bindings import vector as vector_dialect
from mlc.passes.accel.common.axis_info import ANYTHING
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import addresses, pointers
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.common.rewriting import defining_op

# Ops whose results depend on constants, bounds and the elements' indices only.
_SOURCES = (
    arith.Constant.NAME,
    vector_dialect.ConstantMask.NAME,
    vector_dialect.CreateMask.NAME,
    vector_dialect.Step.NAME,
)
# One or two instructions: cheaper than two barriers and two accesses to shared memory.
_CHEAP = (
    arith.AddI.NAME,
    arith.AndI.NAME,
    arith.CmpI.NAME,
    arith.MulI.NAME,
    arith.OrI.NAME,
    arith.SubI.NAME,
    vector_dialect.Broadcast.NAME,
)
_DEPTH = 4


def tile_in_layout(code: ThreadCode, value: ir.Value, layout: Layout) -> ThreadTile:
    """Returns the tile of a vector in `layout`. Index vectors, and masks computed from them, are
    rematerialised rather than exchanged between threads."""
    tile = code.tile(value)
    if tile.layout.same_threads(layout) or not _is_cheap(value, _DEPTH):
        return convert_layout(code, tile, layout)
    kept = code.layouts[value]
    code.layouts[value] = layout
    code.emit(value.owner.operation)
    rematerialised = code.tile(value)
    code.layouts[value], code.values[value] = kept, tile
    return rematerialised


def _is_cheap(value: ir.Value, depth: int) -> bool:
    """Whether a vector is computed by a few ops from constants, scalars and indices."""
    made = defining_op(value)
    if made is None or made.name in _SOURCES:
        return made is not None
    vectors = [operand for operand in made.operands if isinstance(operand.type, ir.VectorType)]
    return made.name in _CHEAP and depth > 0 and all(_is_cheap(vector, depth - 1) for vector in vectors)


def convert_layout(code: ThreadCode, tile: ThreadTile, layout: Layout) -> ThreadTile:
    """Returns the tile with the same elements in `layout`."""
    if tile.layout == layout:
        return tile
    if tile.layout.same_threads(layout):
        registers = (tile.layout.register_at(layout.offset(index)) for index in range(layout.size))
        return ThreadTile(layout, tuple(tile.values[register] for register in registers))
    return _through_memory(code, tile, layout)


def _through_memory(code: ThreadCode, tile: ThreadTile, layout: Layout) -> ThreadTile:
    """Stores all elements to shared memory and loads them in the other layout."""
    memory = scratch_for(code, layout.shape, tile.values[0].type)
    origin = [0] * len(layout.shape)
    code.barrier()
    addresses.store_tile(code, tile, memory, origin, False, ANYTHING)
    code.barrier()
    return addresses.load_tile(code, layout, memory, origin, None, ANYTHING)


def scratch_for(code: ThreadCode, shape: tuple[int, ...], element: ir.Type) -> ThreadMemref:
    """Returns scratch in shared memory for a tile, valid until the next call; the caller emits barriers."""
    strides = tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))
    code.shared.need_scratch(prod(shape) * element_bytes(element))
    start = pointers.byte_pointer(code.shared_pointer(), code.shared.scratch_start)
    return ThreadMemref(start, tuple(shape), strides, element, shared=True)
