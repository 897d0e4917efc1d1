"""`vector.transfer_read` and `transfer_write`: tiles from memory, and back.

`vector.gather`: elements of a memory at places that threads have computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlc.bindings import ir, vector
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.axis_info import constancy, divisibility, progression
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.threads.common import addresses
from mlc.passes.accel.threads.common.addresses import Mask, load_tile, store_tile
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.common.layout_conversions import convert_layout, tile_in_layout
from mlc.passes.base import PassError
from mlc.passes.common.computation import dim_position


def gather(code: ThreadCode, op: ir.Operation) -> None:
    """Where the mask says so, the element that lies as many places behind the base as the index says, along
    the last dim of the memory; several at a time where their places follow each other."""
    (result,) = op.results
    base, *start, places, mask, otherwise = op.operands
    layout, memory = code.layouts[result], code.memory(base)
    run = _run(layout, memory, op)
    places, mask, otherwise = (
        convert_layout(code, code.tile(each), layout) for each in (places, mask, otherwise)
    )
    outer = [code.scalar(each) for each in start]
    values = []
    for first in range(0, layout.size, run):
        place = [*outer[:-1], integers.add(outer[-1], places.values[first])]
        condition, padding = mask.values[first], otherwise.values[first : first + run]
        values += addresses.load_elements(memory, place, [condition], padding)
    code.values[result] = ThreadTile(layout, tuple(values))


def _run(layout: Layout, memory: ThreadMemref, op: ir.Operation) -> int:
    """How many elements one access takes."""
    *start, places, mask, _ = list(op.operands)[1:]
    known = progression(places)
    if known is None or known.step != 1:
        return 1
    return addresses.common_run(
        layout,
        memory,
        (known.rest, constancy(mask), divisibility(start[-1]), addresses.most_elements(memory)),
    )


def transfer_read(code: ThreadCode, op: ir.Operation) -> None:
    """Elements outside of the memref are the padding, where the op does not say that there are none."""
    (result,) = op.results
    layout, padding = code.layouts[result], op.operands[1 + op.operands[0].type.rank]
    place = _place(code, op, op.operands[0], list(op.operands)[1:], layout.shape)
    mask, clipped = _mask(code, op, layout), not _all_in_bounds(op)
    filler = code.scalar(padding) if mask or clipped else None
    stored = layout.transpose(place.order)
    tile = load_tile(code, stored, place.memory, place.base, filler, place.multiple, mask, clipped)
    code.values[result] = ThreadTile(layout, tile.values)


def transfer_write(code: ThreadCode, op: ir.Operation) -> None:
    """Elements outside of the memref are dropped."""
    tile = code.tile(op.operands[0])
    place = _place(code, op, op.operands[1], list(op.operands)[2:], tile.layout.shape)
    mask, clipped = _mask(code, op, tile.layout), not _all_in_bounds(op)
    stored = ThreadTile(tile.layout.transpose(place.order), tile.values)
    if place.memory.shared and not clipped and mask is None:
        code.architecture.store_shared(code, stored, place.memory, place.base, place.multiple)
    else:
        store_tile(code, stored, place.memory, place.base, clipped, place.multiple, mask=mask)


@dataclass(frozen=True)
class TileOffset:
    """Where a tile begins in a memory whose last dims are the tile's in this order; the last number of `base`
    is a multiple of `multiple`."""

    memory: ThreadMemref
    base: list[Integer]
    multiple: int
    order: list[int]


def _place(
    code: ThreadCode, op: ir.Operation, memref: ir.Value, indices: list[ir.Value], shape: Sequence[int]
) -> TileOffset:
    """The memory with the tile's dims last, in their order there; one that the tile repeats has a stride of
    0, and comes first."""
    memory = code.memory(memref)
    access = ir.AffineMapAttr(op.attributes["permutation_map"]).value
    tile_dims = [dim_position(each) for each in access.results]
    order = sorted(range(len(tile_dims)), key=lambda each: -1 if (dim := tile_dims[each]) is None else dim)
    outer = [dim for dim in range(access.n_dims) if dim not in tile_dims]
    dims = [*outer, *(tile_dims[each] for each in order)]
    if memory.swizzle and dims != list(range(access.n_dims)):
        raise PassError("cannot distribute an access of parts of a swizzled buffer to threads", op.location)
    extents = [0] * len(outer) + [shape[each] for each in order]
    sizes = tuple(e if dim is None else memory.sizes[dim] for dim, e in zip(dims, extents, strict=True))
    strides = tuple(0 if dim is None else memory.strides[dim] for dim in dims)
    base: list[Integer] = [0 if dim is None else code.scalar(indices[dim]) for dim in dims]
    multiple = divisibility(indices[dims[-1]]) if dims and dims[-1] is not None else 1
    return TileOffset(replace(memory, sizes=sizes, strides=strides), base, multiple, order)


def mask_of(op: ir.Operation) -> ir.Value | None:
    """The operand that says which elements are read or written."""
    has_mask = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))[-1]
    return op.operands[len(op.operands) - 1] if has_mask else None


def _mask(code: ThreadCode, op: ir.Operation, layout: Layout) -> Mask | None:
    """Which registers' elements are read or written; None where all are."""
    mask = mask_of(op)
    if mask is None:
        return None
    tile = tile_in_layout(code, mask, mask_layout(op, layout))
    order = _mask_order(op)
    at = (tuple(layout.offset(index)[dim] for dim in order) for index in range(layout.size))
    return Mask([tile.values[tile.layout.register_at(each)] for each in at], constancy(mask))


def mask_layout(op: ir.Operation, layout: Layout) -> Layout:
    """Of the mask of a transfer whose tile has `layout`: its dims have the memory's order, and those along
    which the tile repeats elements are not in it."""
    order = _mask_order(op)
    kept = sorted(order)
    dropped = [dim for dim in range(len(layout.shape)) if dim not in order]
    return layout.remove_dims(dropped).transpose([kept.index(dim) for dim in order])


def _mask_order(op: ir.Operation) -> list[int]:
    """The tile's dim for each dim of the mask."""
    access = ir.AffineMapAttr(op.attributes["permutation_map"]).value
    places = {dim_position(result): dim for dim, result in enumerate(access.results)}
    return [dim for place, dim in sorted((p, d) for p, d in places.items() if p is not None)]


def _all_in_bounds(op: ir.Operation) -> bool:
    return all(each.value for each in ir.ArrayAttr(op.attributes["in_bounds"]))


HANDLERS = {
    vector.Gather.NAME: gather,
    vector.TransferRead.NAME: transfer_read,
    vector.TransferWrite.NAME: transfer_write,
}
