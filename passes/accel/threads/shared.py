"""Shared memory: buffers, parts of them, and what copies into them and out of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, scf
from mlc.dialects.accel import box_of
from mlc.passes.accel.layouts import Layout, blocked
from mlc.passes.accel.multiples import multiple_of
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.threads import addresses, numbers
from mlc.passes.accel.threads.code import Memory, ThreadCode, Tile
from mlc.passes.accel.threads.elementwise import scalar_type
from mlc.passes.accel.threads.numbers import Number
from mlc.passes.base import PassFailure


def alloc(code: ThreadCode, op: ir.Operation) -> None:
    """Where it was planned."""
    kind = op.results[0].type
    swizzle = op.attributes["swizzle"].value
    strides, _ = kind.get_strides_and_offset()
    pointer = addresses.byte_pointer(code.shared_pointer(), code.shared.offsets[op.results[0]])
    code.values[op.results[0]] = Memory(
        pointer, tuple(kind.shape), tuple(strides), kind.element_type, True, swizzle
    )


def subview(code: ThreadCode, op: ir.Operation) -> None:
    """`memref.subview`, whose strides must be known; of a swizzled buffer, one of its stages."""
    memory = code.memory(op.operands[0])
    dynamic = iter(list(op.operands)[1:])
    offsets = [_number(code, each, dynamic) for each in ir.DenseI64ArrayAttr(op.attributes["static_offsets"])]
    sizes = [_number(code, each, dynamic) for each in ir.DenseI64ArrayAttr(op.attributes["static_sizes"])]
    steps = list(ir.DenseI64ArrayAttr(op.attributes["static_strides"]))
    if ir.ShapedType.get_dynamic_size() in steps:
        raise PassFailure("cannot distribute a view whose strides are not known", op.location)
    if memory.swizzle and (any(offset != 0 for offset in offsets[-2:]) or any(each != 1 for each in steps)):
        raise PassFailure("cannot distribute a part of a swizzled tile to threads", op.location)
    products = [numbers.multiply(at, stride) for at, stride in zip(offsets, memory.strides, strict=True)]
    element = addresses.stored_type(memory.element)
    pointer = addresses.offset_pointer(memory.pointer, numbers.total(products), element)
    rank = op.results[0].type.rank
    kept = [dim for dim, size in enumerate(sizes) if size != 1]
    kept = sorted(
        [*kept, *[dim for dim in reversed(range(len(sizes))) if dim not in kept][: rank - len(kept)]]
    )
    code.values[op.results[0]] = Memory(
        pointer,
        tuple(sizes[dim] for dim in kept),
        tuple(numbers.multiply(memory.strides[dim], steps[dim]) for dim in kept),
        memory.element,
        memory.shared,
        memory.swizzle,
    )


def cast(code: ThreadCode, op: ir.Operation) -> None:
    """`memref.cast`: the same memory."""
    code.values[op.results[0]] = code.memory(op.operands[0])


def _number(code: ThreadCode, static: int, dynamic: Iterator[ir.Value]) -> Number:
    return static if static != ir.ShapedType.get_dynamic_size() else code.scalar(next(dynamic))


@dataclass(frozen=True)
class Copy:
    """A copy between global and shared memory: what each thread moves, in pieces of `run` elements that lie
    side by side in both. The last number of `base`, where the tile begins in global memory, is a multiple of
    `multiple`. A thread's elements lie at the places of `layout` in shared memory, and at those of `outside`,
    counted from `base`, in global memory."""

    source: Memory
    target: Memory
    base: list[Number]
    multiple: int
    layout: Layout
    outside: Layout
    run: int


def copy_of(code: ThreadCode, op: ir.Operation) -> Copy:
    """What an `accel.copy` moves, 16 bytes at a time if it can."""
    source, target = code.memory(op.operands[0]), code.memory(op.operands[1])
    offsets = list(op.operands)[2:]
    tile, other = (target, source) if target.shared else (source, target)
    shape = [each for each in tile.sizes if isinstance(each, int)]
    layout = blocked(shape, code.warps, _longest_run(tile), lane_bits=code.architecture.lane_bits)
    multiple = multiple_of(offsets[-1])
    box, steps = box_of(op)
    outside = layout.reshaped(box).stretched(steps)
    run = addresses.access_run(outside, other, multiple)
    return Copy(source, target, [code.scalar(each) for each in offsets], multiple, layout, outside, run)


def _longest_run(memory: Memory) -> int:
    return addresses.LONGEST_BYTES // element_bytes(memory.element)


def copy_through_registers(code: ThreadCode, copy: Copy) -> None:
    """Each thread loads its elements, then stores them."""
    layout, here = copy.layout, [0] * len(copy.layout.shape)
    if not copy.target.shared:
        values = addresses.load_tile(code, layout, copy.source, here, None, _longest_run(copy.source)).values
        addresses.store_tile(code, Tile(copy.outside, values), copy.target, copy.base, True, copy.multiple)
        return
    kind = scalar_type(copy.target.element)
    zero = arith.ConstantOp(kind, _zero(kind)).result
    values = addresses.load_tile(code, copy.outside, copy.source, copy.base, zero, copy.multiple).values
    addresses.store_tile(code, Tile(layout, values), copy.target, here, False, _longest_run(copy.target))


def _zero(kind: ir.Type) -> ir.Attribute:
    if isinstance(kind, ir.IntegerType):
        return ir.IntegerAttr.get(kind, 0)
    return ir.FloatAttr.get(kind, 0.0)


def where(conditions: Sequence[ir.Value], emit: Callable[[], None]) -> None:
    """What `emit` emits is done where the conditions hold."""
    condition = numbers.all_of(conditions)
    if condition is None:
        emit()
        return
    with ir.InsertionPoint(scf.IfOp(condition).operation.regions[0].blocks[0]):
        emit()
        scf.YieldOp([])


def barrier(code: ThreadCode, _op: ir.Operation) -> None:
    code.barrier()


HANDLERS = {
    "accel.alloc": alloc,
    "gpu.barrier": barrier,
    "memref.cast": cast,
    "memref.subview": subview,
}
