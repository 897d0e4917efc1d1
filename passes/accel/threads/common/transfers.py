"""Transfers of tiles: `vector.transfer_read`, `vector.transfer_write` and `vector.gather`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mlc.bindings import fields, ir, vector, views
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


class Transfer(views.GroupView):
    """The fields that `vector.transfer_read` and `vector.transfer_write` share."""

    NAMES = frozenset({vector.TransferRead.NAME, vector.TransferWrite.NAME})
    mask = fields.optional_segment_operand(3)
    permutation_map = fields.affine_map()
    in_bounds = fields.array()


def gather(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.gather`: an element, where its mask is true, is loaded from its index after the base
    along the last dim of the memory; several at once where their indices are contiguous."""
    view = vector.Gather(op)
    layout, memory = code.layouts[view.result], code.memory(view.base)
    run = _run(layout, memory, view)
    indices, mask, otherwise = (
        convert_layout(code, code.tile(value), layout) for value in (view.indices, view.mask, view.pass_thru)
    )
    outer = [code.scalar(offset) for offset in view.offsets]
    values = []
    for first in range(0, layout.size, run):
        coordinates = [*outer[:-1], integers.add(outer[-1], indices.values[first])]
        condition, padding = mask.values[first], otherwise.values[first : first + run]
        values += addresses.load_elements(memory, coordinates, [condition], padding)
    code.values[view.result] = ThreadTile(layout, tuple(values))


def _run(layout: Layout, memory: ThreadMemref, gathered: vector.Gather) -> int:
    """Returns the number of elements per access of a gather."""
    known = progression(gathered.indices)
    if known is None or known.step != 1:
        return 1
    return addresses.common_run(
        layout,
        memory,
        (
            known.rest,
            constancy(gathered.mask),
            divisibility(gathered.offsets[-1]),
            addresses.most_elements(memory),
        ),
    )


def transfer_read(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.transfer_read`; elements out of bounds are the padding, unless the op rules them
    out."""
    view = vector.TransferRead(op)
    layout = code.layouts[view.vector]
    tile = _transferred_tile(code, op, view.base, view.indices, layout.shape)
    mask, clipped = _mask(code, op, layout), not _all_in_bounds(op)
    padding = code.scalar(view.padding) if mask or clipped else None
    stored = layout.transpose(tile.order)
    loaded = load_tile(code, stored, tile.memory, tile.base, padding, tile.multiple, mask, clipped)
    code.values[view.vector] = ThreadTile(layout, loaded.values)


def transfer_write(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `vector.transfer_write`; elements out of bounds are dropped."""
    view = vector.TransferWrite(op)
    source = code.tile(view.value_to_store)
    tile = _transferred_tile(code, op, view.base, view.indices, source.layout.shape)
    mask, clipped = _mask(code, op, source.layout), not _all_in_bounds(op)
    stored = ThreadTile(source.layout.transpose(tile.order), source.values)
    if tile.memory.shared and not clipped and mask is None:
        code.architecture.store_shared(code, stored, tile.memory, tile.base, tile.multiple)
    else:
        store_tile(code, stored, tile.memory, tile.base, clipped, tile.multiple, mask=mask)


@dataclass(frozen=True)
class TransferredTile:
    """A tile at coordinates `base` of a memory, whose last dims are the tile's in `order`; `multiple` divides
    the last index of `base`."""

    memory: ThreadMemref
    base: list[Integer]
    multiple: int
    order: list[int]


def _transferred_tile(
    code: ThreadCode, op: ir.Operation, memref: ir.Value, indices: list[ir.Value], shape: Sequence[int]
) -> TransferredTile:
    """Returns the memory with the tile's dims last, in the memory's order; broadcast dims have a stride of 0
    and precede them."""
    memory, access = code.memory(memref), Transfer(op).permutation_map
    tile_dims = [dim_position(result) for result in access.results]
    order = sorted(range(len(tile_dims)), key=lambda index: -1 if (dim := tile_dims[index]) is None else dim)
    outer = [dim for dim in range(access.n_dims) if dim not in tile_dims]
    dims = [*outer, *(tile_dims[index] for index in order)]
    if memory.swizzle and dims != list(range(access.n_dims)):
        raise PassError("cannot distribute an access of parts of a swizzled buffer to threads", op.location)
    extents = [0] * len(outer) + [shape[index] for index in order]
    sizes = tuple(e if dim is None else memory.sizes[dim] for dim, e in zip(dims, extents, strict=True))
    strides = tuple(0 if dim is None else memory.strides[dim] for dim in dims)
    base: list[Integer] = [0 if dim is None else code.scalar(indices[dim]) for dim in dims]
    multiple = divisibility(indices[dims[-1]]) if dims and dims[-1] is not None else 1
    return TransferredTile(replace(memory, sizes=sizes, strides=strides), base, multiple, order)


def _mask(code: ThreadCode, op: ir.Operation, layout: Layout) -> Mask | None:
    """Returns the mask of a transfer by register, or None if all elements are read or written."""
    mask = Transfer(op).mask
    if mask is None:
        return None
    tile = tile_in_layout(code, mask, mask_layout(op, layout))
    order = _mask_order(op)
    offsets = (tuple(layout.offset(index)[dim] for dim in order) for index in range(layout.size))
    return Mask([tile.values[tile.layout.register_at(offset)] for offset in offsets], constancy(mask))


def mask_layout(op: ir.Operation, layout: Layout) -> Layout:
    """Returns the layout of the mask of a transfer whose tile has `layout`: its dims are in the memory's
    order, without those along which the tile is broadcast."""
    order = _mask_order(op)
    kept = sorted(order)
    dropped = [dim for dim in range(len(layout.shape)) if dim not in order]
    return layout.remove_dims(dropped).transpose([kept.index(dim) for dim in order])


def _mask_order(op: ir.Operation) -> list[int]:
    """Returns the tile's dim for each dim of the mask."""
    results = Transfer(op).permutation_map.results
    dims = {dim_position(result): dim for dim, result in enumerate(results)}
    return [dim for _, dim in sorted((memory, tile) for memory, tile in dims.items() if memory is not None)]


def _all_in_bounds(op: ir.Operation) -> bool:
    return all(ir.BoolAttr(flag).value for flag in Transfer(op).in_bounds)


HANDLERS = {
    vector.Gather.NAME: gather,
    vector.TransferRead.NAME: transfer_read,
    vector.TransferWrite.NAME: transfer_write,
}
