"""Shared memory: buffers, parts of them, and what copies into them and out of them have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mlc.bindings import arith, gpu, ir, memref, scf
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


def alloc(code: ThreadCode, op: ir.Operation) -> None:
    """Where it was planned."""
    code.values[op.results[0]] = _buffer(
        op, pointers.byte_pointer(code.shared_pointer(), code.shared.offsets[op.results[0]])
    )


def reuse(code: ThreadCode, op: ir.Operation) -> None:
    """Where the buffer before it lies."""
    code.values[op.results[0]] = _buffer(op, code.memory(op.operands[0]).pointer)


def _buffer(op: ir.Operation, pointer: ir.Value) -> ThreadMemref:
    kind, swizzle = op.results[0].type, op.attributes["swizzle"].value
    strides, _ = kind.get_strides_and_offset()
    return ThreadMemref(pointer, tuple(kind.shape), tuple(strides), kind.element_type, True, swizzle)


def subview(code: ThreadCode, op: ir.Operation) -> None:
    """`memref.subview`, whose strides must be known; of a swizzled buffer, one of its stages."""
    memory = code.memory(op.operands[0])
    dynamic = iter(list(op.operands)[1:])
    given = [_mixed(op, name, dynamic) for name in ("static_offsets", "static_sizes", "static_strides")]
    if not all(isinstance(each, int) for each in given[2]):
        raise PassError("cannot distribute a view whose strides are not known", op.location)
    offsets, sizes, steps = ([_number(code, each) for each in group] for group in given)
    if memory.swizzle and (any(offset != 0 for offset in offsets[-2:]) or any(step != 1 for step in steps)):
        raise PassError("cannot distribute a part of a swizzled tile to threads", op.location)
    products = [integers.multiply(at, stride) for at, stride in zip(offsets, memory.strides, strict=True)]
    pointer = pointers.offset_pointer(memory.pointer, integers.total(products), stored_type(memory.element))
    strides = [integers.multiply(step, stride) for step, stride in zip(steps, memory.strides, strict=True)]
    kept = _kept_dims(sizes, op.results[0].type.rank)
    code.values[op.results[0]] = ThreadMemref(
        pointer,
        tuple(sizes[dim] for dim in kept),
        tuple(strides[dim] for dim in kept),
        memory.element,
        memory.shared,
        memory.swizzle,
        _multiple(memory, given[0]),
    )


def _multiple(memory: ThreadMemref, offsets: Sequence[int | ir.Value]) -> int:
    """What surely divides the place at which a view begins, in elements."""
    distances = [memory.multiple]
    for offset, stride in zip(offsets, memory.strides, strict=True):
        known = abs(offset) if isinstance(offset, int) else divisibility(offset)
        distances.append(known * stride if isinstance(stride, int) else 1 if known else 0)
    return math.gcd(*distances)


def _kept_dims(sizes: Sequence[Integer], rank: int) -> list[int]:
    """The dims of a view of `rank` dims, which lacks some of size 1, the first ones first."""
    kept = [dim for dim, size in enumerate(sizes) if size != 1]
    units = [dim for dim in reversed(range(len(sizes))) if dim not in kept]
    return sorted([*kept, *units[: rank - len(kept)]])


def cast(code: ThreadCode, op: ir.Operation) -> None:
    """`memref.cast`: the same memory."""
    code.values[op.results[0]] = code.memory(op.operands[0])


def _mixed(op: ir.Operation, name: str, dynamic: Iterator[ir.Value]) -> list[int | ir.Value]:
    """Numbers that an attribute has, and operands where it has none."""
    unknown = ir.ShapedType.get_dynamic_size()
    return [next(dynamic) if each == unknown else each for each in ir.DenseI64ArrayAttr(op.attributes[name])]


def _number(code: ThreadCode, mixed: int | ir.Value) -> Integer:
    return mixed if isinstance(mixed, int) else code.scalar(mixed)


@dataclass(frozen=True)
class ThreadCopy:
    """A copy between global and shared memory: what each thread moves, in pieces of `run` elements that lie
    side by side in both. The last number of `base`, where the tile begins in global memory, is a multiple of
    `multiple`. A thread's elements lie at the places of `layout` in shared memory, and at those of `outside`,
    counted from `base`, in global memory."""

    source: ThreadMemref
    target: ThreadMemref
    base: list[Integer]
    multiple: int
    layout: Layout
    outside: Layout
    run: int


def thread_copy(code: ThreadCode, op: ir.Operation) -> ThreadCopy:
    """What an `accel.copy` moves, 16 bytes at a time if it can."""
    source, target = code.memory(op.operands[0]), code.memory(op.operands[1])
    offsets = list(op.operands)[2:]
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
    """Each thread loads its elements, then stores them."""
    layout, here = copy.layout, [0] * len(copy.layout.shape)
    if not copy.target.shared:
        values = addresses.load_tile(code, layout, copy.source, here, None, _longest_run(copy.source)).values
        addresses.store_tile(
            code, ThreadTile(copy.outside, values), copy.target, copy.base, True, copy.multiple
        )
        return
    kind = scalar_type(copy.target.element)
    zero = arith.ConstantOp(kind, _zero(kind)).result
    values = addresses.load_tile(code, copy.outside, copy.source, copy.base, zero, copy.multiple).values
    addresses.store_tile(
        code, ThreadTile(layout, values), copy.target, here, False, _longest_run(copy.target)
    )


def _zero(kind: ir.Type) -> ir.Attribute:
    if isinstance(kind, ir.IntegerType):
        return ir.IntegerAttr.get(kind, 0)
    return ir.FloatAttr.get(kind, 0.0)


def where(conditions: Sequence[ir.Value], emit: Callable[[], None]) -> None:
    """What `emit` emits is done where the conditions hold."""
    condition = integers.all_of(conditions)
    if condition is None:
        emit()
        return
    with ir.InsertionPoint(scf.IfOp(condition).operation.regions[0].blocks[0]):
        emit()
        scf.YieldOp([])


def barrier(code: ThreadCode, _op: ir.Operation) -> None:
    code.barrier()


HANDLERS = {
    accel.Alloc.NAME: alloc,
    accel.Reuse.NAME: reuse,
    gpu.Barrier.NAME: barrier,
    memref.Cast.NAME: cast,
    memref.SubView.NAME: subview,
}
