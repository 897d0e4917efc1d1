"""Shared memory: buffers, subviews, and the common parts of copies to and from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import gpu, ir, memref
from mlc.dialects import accel
from mlc.dialects.accel import box_of
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.axis_info import divisibility
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import Layout, blocked_layout
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import addresses, pointers
from mlc.passes.accel.threads.common.accesses import stored_type
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.common.elementwise import scalar_type
from mlc.passes.base import PassError
from mlc.passes.common.linalg_builders import constant


def alloc(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.alloc`: the address that the memory plan gives it."""
    view = accel.Alloc(op)
    pointer = pointers.byte_pointer(code.shared_pointer(), code.shared.offsets[view.memory])
    code.values[view.memory] = _buffer(view.memory.type, view.swizzle, pointer)


def reuse(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.reuse`: the address of the buffer before it."""
    view = accel.Reuse(op)
    code.values[view.memory] = _buffer(view.memory.type, view.swizzle, code.memory(view.before).pointer)


def _buffer(memref: ir.MemRefType, swizzle: int, pointer: ir.Value) -> ThreadMemref:
    strides, _ = memref.get_strides_and_offset()
    return ThreadMemref(pointer, tuple(memref.shape), tuple(strides), memref.element_type, True, swizzle)


def subview(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `memref.subview`, whose strides must be static; of a swizzled buffer, one of its stages."""
    view = memref.SubView(op)
    memory = code.memory(view.source)
    mixed_offsets = _merge_static(view.static_offsets, view.offsets)
    mixed_sizes = _merge_static(view.static_sizes, view.sizes)
    if view.strides:
        raise PassError("cannot distribute a view whose strides are not known", op.location)
    offsets, sizes = ([_emit(code, value) for value in group] for group in (mixed_offsets, mixed_sizes))
    steps = view.static_strides
    if memory.swizzle and (any(offset != 0 for offset in offsets[-2:]) or any(step != 1 for step in steps)):
        raise PassError("cannot distribute a part of a swizzled tile to threads", op.location)
    products = [
        integers.multiply(offset, stride) for offset, stride in zip(offsets, memory.strides, strict=True)
    ]
    pointer = pointers.offset_pointer(memory.pointer, integers.total(products), stored_type(memory.element))
    strides = [integers.multiply(step, stride) for step, stride in zip(steps, memory.strides, strict=True)]
    kept = _kept_dims(sizes, view.result.type.rank)
    code.values[view.result] = ThreadMemref(
        pointer,
        tuple(sizes[dim] for dim in kept),
        tuple(strides[dim] for dim in kept),
        memory.element,
        memory.shared,
        memory.swizzle,
        _offset_divisibility(memory, mixed_offsets),
    )


def _offset_divisibility(memory: ThreadMemref, offsets: Sequence[int | ir.Value]) -> int:
    """Returns the divisibility of the offset of a view, in elements."""
    distances = [memory.multiple]
    for offset, stride in zip(offsets, memory.strides, strict=True):
        known = abs(offset) if isinstance(offset, int) else divisibility(offset)
        distances.append(known * stride if isinstance(stride, int) else 1 if known else 0)
    return math.gcd(*distances)


def _kept_dims(sizes: Sequence[Integer], rank: int) -> list[int]:
    """Returns the dims that a view of `rank` dims keeps; it drops dims of size 1, the first ones first."""
    kept = [dim for dim, size in enumerate(sizes) if size != 1]
    units = [dim for dim in reversed(range(len(sizes))) if dim not in kept]
    return sorted([*kept, *units[: rank - len(kept)]])


def cast(code: ThreadCode, op: ir.Operation) -> None:
    """Emits a `memref.cast`: the same memory."""
    code.values[memref.Cast(op).dest] = code.memory(memref.Cast(op).source)


def _merge_static(static: Sequence[int], dynamic: Sequence[ir.Value]) -> list[int | ir.Value]:
    """Returns the values of an attribute, with operands where it says that they are dynamic."""
    marker, rest = ir.ShapedType.get_dynamic_size(), iter(dynamic)
    return [next(rest) if value == marker else value for value in static]


def _emit(code: ThreadCode, mixed: int | ir.Value) -> Integer:
    return mixed if isinstance(mixed, int) else code.scalar(mixed)


@dataclass(frozen=True)
class ThreadCopy:
    """A thread's part of a copy between global and shared memory, in chunks of `run` elements that are
    contiguous in both. `base` are the tile's coordinates in global memory; `multiple` divides the last one.
    `layout` has the coordinates of a thread's elements in shared memory, `outside` those in global memory
    relative to `base`."""

    source: ThreadMemref
    target: ThreadMemref
    base: list[Integer]
    multiple: int
    layout: Layout
    outside: Layout
    run: int


def thread_copy(code: ThreadCode, op: ir.Operation) -> ThreadCopy:
    """Returns the thread's part of an `accel.copy`, in chunks of up to 16 bytes."""
    view = accel.Copy(op)
    source, target, offsets = code.memory(view.source), code.memory(view.destination), view.offsets
    tile, other = (target, source) if target.shared else (source, target)
    shape = [size for size in tile.sizes if isinstance(size, int)]
    layout = blocked_layout(shape, code.warps, _longest_run(tile), lane_bits=code.architecture.lane_bits)
    multiple = divisibility(offsets[-1])
    box, steps = box_of(op)
    outside = layout.reshape(box).scale(steps)
    run = addresses.access_run(outside, other, multiple)
    return ThreadCopy(
        source, target, [code.scalar(offset) for offset in offsets], multiple, layout, outside, run
    )


def _longest_run(memory: ThreadMemref) -> int:
    return addresses.LONGEST_BYTES // element_bytes(memory.element)


def copy_through_registers(code: ThreadCode, copy: ThreadCopy) -> None:
    """Emits loads of the thread's elements, then stores."""
    layout, here = copy.layout, [0] * len(copy.layout.shape)
    if not copy.target.shared:
        values = addresses.load_tile(code, layout, copy.source, here, None, _longest_run(copy.source)).values
        addresses.store_tile(
            code, ThreadTile(copy.outside, values), copy.target, copy.base, True, copy.multiple
        )
        return
    zero = constant(scalar_type(copy.target.element), 0)
    values = addresses.load_tile(code, copy.outside, copy.source, copy.base, zero, copy.multiple).values
    addresses.store_tile(
        code, ThreadTile(layout, values), copy.target, here, False, _longest_run(copy.target)
    )


def barrier(code: ThreadCode, _op: ir.Operation) -> None:
    """Emits a `gpu.barrier`."""
    code.barrier()


HANDLERS = {
    accel.Alloc.NAME: alloc,
    accel.Reuse.NAME: reuse,
    gpu.Barrier.NAME: barrier,
    memref.Cast.NAME: cast,
    memref.SubView.NAME: subview,
}
