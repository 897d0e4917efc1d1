"""Shared memory: buffers, parts of them, and copies into them and out of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlc.bindings import arith, ir, nvvm, scf
from mlc.passes.accel.layouts import Layout, blocked
from mlc.passes.accel.multiples import multiple_of
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.threads import addresses, numbers
from mlc.passes.accel.threads.code import Memory, ThreadCode
from mlc.passes.accel.threads.numbers import Number
from mlc.passes.base import PassFailure

CACHE_L2, CACHE_ALL = "#nvvm<load_cache_modifier cg>", "#nvvm<load_cache_modifier ca>"


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
    """`memref.subview` with unit strides: of a swizzled buffer, one of its stages."""
    memory = code.memory(op.operands[0])
    dynamic = iter(list(op.operands)[1:])
    offsets = [_number(code, each, dynamic) for each in ir.DenseI64ArrayAttr(op.attributes["static_offsets"])]
    sizes = [_number(code, each, dynamic) for each in ir.DenseI64ArrayAttr(op.attributes["static_sizes"])]
    if memory.swizzle and any(offset != 0 for offset in offsets[-2:]):
        raise PassFailure("cannot distribute a part of a swizzled tile to threads", op.location)
    products = [numbers.multiply(at, stride) for at, stride in zip(offsets, memory.strides, strict=True)]
    pointer = addresses.offset_pointer(memory.pointer, numbers.total(products), memory.element)
    rank = op.results[0].type.rank
    kept = [dim for dim, size in enumerate(sizes) if size != 1]
    kept = sorted(
        [*kept, *[dim for dim in reversed(range(len(sizes))) if dim not in kept][: rank - len(kept)]]
    )
    code.values[op.results[0]] = Memory(
        pointer,
        tuple(sizes[dim] for dim in kept),
        tuple(memory.strides[dim] for dim in kept),
        memory.element,
        memory.shared,
        memory.swizzle,
    )


def cast(code: ThreadCode, op: ir.Operation) -> None:
    """`memref.cast`: the same memory."""
    code.values[op.results[0]] = code.memory(op.operands[0])


def _number(code: ThreadCode, static: int, dynamic: Iterator[ir.Value]) -> Number:
    return static if static != ir.ShapedType.get_dynamic_size() else code.scalar(next(dynamic))


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """`accel.copy`: each thread copies pieces of 16 bytes, into shared memory without passing through its
    registers where pieces may be that long."""
    source, destination, *offsets = op.operands
    base = [code.scalar(each) for each in offsets]
    multiple = multiple_of(offsets[-1])
    from_memory, to_memory = code.memory(source), code.memory(destination)
    tile = to_memory if to_memory.shared else from_memory
    shape = [each for each in tile.sizes if isinstance(each, int)]
    run = addresses.LONGEST_BYTES // element_bytes(tile.element)
    layout = blocked(shape, code.warps, run)
    if not to_memory.shared:
        values = addresses.load_tile(code, layout, from_memory, [0] * len(shape), None, run)
        addresses.store_tile(code, values, to_memory, base, True, multiple)
        return
    whole = addresses.access_run(layout, from_memory, multiple)
    if whole * element_bytes(tile.element) >= 4:
        _copy_asynchronously(code, layout, from_memory, to_memory, base, whole)
        return
    zero = arith.ConstantOp(tile.element, _zero(tile.element)).result
    values = addresses.load_tile(code, layout, from_memory, base, zero, multiple)
    addresses.store_tile(code, values, to_memory, [0] * len(shape), False, run)


def _zero(kind: ir.Type) -> ir.Attribute:
    if isinstance(kind, ir.IntegerType):
        return ir.IntegerAttr.get(kind, 0)
    return ir.FloatAttr.get(kind, 0.0)


def _copy_asynchronously(
    code: ThreadCode, layout: Layout, source: Memory, target: Memory, base: Sequence[Number], run: int
) -> None:
    """By `cp.async`, which writes zeros for what it does not read. Where there are fewer pieces than threads,
    some have none."""
    once = numbers.all_of(addresses.one_of_copies(code, layout, 0))
    if once is not None:
        with ir.InsertionPoint(scf.IfOp(once).operation.regions[0].blocks[0]):
            _copy_pieces(code, layout, source, target, base, run)
            scf.YieldOp([])
    else:
        _copy_pieces(code, layout, source, target, base, run)


def _copy_pieces(
    code: ThreadCode, layout: Layout, source: Memory, target: Memory, base: Sequence[Number], run: int
) -> None:
    size = run * element_bytes(target.element)
    modifier = ir.Attribute.parse(CACHE_L2 if size == addresses.LONGEST_BYTES else CACHE_ALL)
    for first in range(0, layout.size, run):
        place = addresses.place_of(code, layout, base, first)
        inside = numbers.all_of(addresses.inside(source, place))
        pointer, read = addresses.element_pointer(source, place), None
        if inside is not None:
            pointer = arith.SelectOp(inside, pointer, source.pointer).result
            read = arith.SelectOp(inside, numbers.value(size), numbers.value(0)).result
        here = addresses.place_of(code, layout, [0] * len(layout.shape), first)
        written = addresses.element_pointer(target, here)
        nvvm.cp_async_shared_global(written, pointer, size, modifier, cp_size=read)


def wait(_code: ThreadCode, _op: ir.Operation) -> None:
    """For all copies of this thread, and then for those of the others."""
    nvvm.cp_async_commit_group()
    nvvm.cp_async_wait_group(0)
    nvvm.barrier()


def commit(_code: ThreadCode, _op: ir.Operation) -> None:
    nvvm.cp_async_commit_group()


def wait_groups(_code: ThreadCode, op: ir.Operation) -> None:
    nvvm.cp_async_wait_group(op.attributes["pending"].value)
    nvvm.barrier()


def barrier(_code: ThreadCode, _op: ir.Operation) -> None:
    nvvm.barrier()


HANDLERS = {
    "accel.alloc": alloc,
    "accel.commit": commit,
    "accel.copy": copy,
    "accel.wait": wait,
    "accel.wait_groups": wait_groups,
    "gpu.barrier": barrier,
    "memref.cast": cast,
    "memref.subview": subview,
}
