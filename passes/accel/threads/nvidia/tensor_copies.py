"""Copies by TMA: one thread starts those of whole tiles. An mbarrier counts the bytes that come into shared
memory; those to global memory are groups of the thread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mlc.bindings import arith, ir, llvm, nvvm
from mlc.dialects import accel
from mlc.dialects.accel import box_of, cluster_around
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.buffers import ends_at_semaphore, is_bulk
from mlc.passes.accel.common.multicasts import MULTICAST
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.common.tensor_maps import mapped_dims, own_part, panel_columns, sides_of, tensor_map
from mlc.passes.accel.threads.common import pointers
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.control import then
from mlc.passes.accel.threads.nvidia import clusters, copies


def start(code: ThreadCode, copies: Sequence[ir.Operation], barrier: ir.Value) -> None:
    """Starts copies that are reported to `barrier`, at which the thread arrives."""
    expected = sum(_tile_bytes(each.operands[1].type) for each in copies)
    nvvm.mbarrier_arrive_expect_tx(barrier, integers.value(expected), results=[])
    for copy in copies:
        with copy.location:
            _start(code, copy, barrier)


def _tile_bytes(kind: ir.MemRefType) -> int:
    return math.prod(kind.shape) * element_bytes(kind.element_type)


def _start(code: ThreadCode, copy: ir.Operation, barrier: ir.Value) -> None:
    """To all blocks of a cluster for which it is, or to this block alone."""
    memref, _ = sides_of(copy)
    encoded, cluster = code.tensor_maps[memref, tensor_map(copy)], ir.Type.parse("!llvm.ptr<7>")
    mask: ir.Value | None = None
    if MULTICAST in copy.attributes:
        dims = [copy.attributes[MULTICAST].value]
        mask = clusters.half(clusters.blocks_along(cluster_around(copy), dims))
    for pointer, place in _panels(code, copy):
        written = llvm.addrspacecast(cluster, pointer)
        nvvm.cp_async_bulk_tensor_shared_cluster_global(
            written, encoded, place, barrier, [], multicast_mask=mask
        )


def _panels(code: ThreadCode, copy: ir.Operation) -> Iterator[tuple[ir.Value, list[ir.Value]]]:
    """Where in shared memory each instruction begins, and where in the tensor map, innermost dim first: one
    for each panel of a swizzled tile, or one for all of another; of the block's part, where blocks of a
    cluster copy for each other."""
    _, tile = sides_of(copy)
    start, corner = code.memory(tile).pointer, [code.scalar(operand) for operand in list(copy.operands)[2:]]
    columns, width = tile.type.shape[-1], panel_columns(copy)
    panel_bytes = _tile_bytes(tile.type) // (columns // width)
    if MULTICAST in copy.attributes:
        start, corner = _own_part(copy, start, corner, panel_bytes)
    for panel in range(own_part(copy).counts[-1] // width):
        place = [*corner[:-1], integers.value(integers.add(corner[-1], panel * width))]
        pointer = pointers.byte_pointer(start, panel * panel_bytes)
        yield pointer, [place[dim] for dim in mapped_dims(copy)[::-1]]


def _own_part(
    copy: ir.Operation, start: ir.Value, corner: list[ir.Value], panel_bytes: int
) -> tuple[ir.Value, list[ir.Value]]:
    """Where the block's part of a tile lies in shared memory, and in the memref: by its place in the
    cluster."""
    part, (_, steps) = own_part(copy), box_of(copy)
    place = clusters.place(copy.attributes[MULTICAST].value)
    distance = integers.multiply(place, part.counts[part.dim] * steps[part.dim])
    moved = integers.value(integers.add(corner[part.dim], distance))
    size = _tile_bytes(copy.operands[1].type) if part.of_columns else panel_bytes
    target = pointers.byte_pointer(start, integers.multiply(place, size // part.blocks))
    return target, [*corner[: part.dim], moved, *corner[part.dim + 1 :]]


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """`accel.copy`: one that ends at a semaphore starts where this is notified, and one thread starts those
    to global memory that are `bulk`. A barrier is before these: the tile is in shared memory."""
    if is_bulk(op):
        with ir.InsertionPoint(then(_is_first(code))):
            _store(code, op)
    elif not ends_at_semaphore(op):
        copies.copy(code, op)


def _store(code: ThreadCode, op: ir.Operation) -> None:
    """As a group of its own."""
    memref, _ = sides_of(op)
    encoded = code.tensor_maps[memref, tensor_map(op)]
    for pointer, place in _panels(code, op):
        nvvm.cp_async_bulk_tensor_global_shared_cta(encoded, pointer, place)
    nvvm.cp_async_bulk_commit_group()


def wait(code: ThreadCode, op: ir.Operation) -> None:
    """`accel.wait`: for the copies of all threads, or of the one that started those that are `bulk`. Where
    the program ends, nobody waits for that thread."""
    bulk = [is_bulk(operand.owner.operation) for operand in op.operands]
    if not all(bulk):
        copies.finish()
    if any(bulk):
        with ir.InsertionPoint(then(_is_first(code))):
            nvvm.cp_async_bulk_wait_group(0, read="read" in op.attributes)
    if not _ends_program(op):
        code.barrier()


def _is_first(code: ThreadCode) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, code.thread_id(), integers.value(0))


def _ends_program(op: ir.Operation) -> bool:
    """Whether nothing of the block comes behind an op."""
    block = op.block
    last = block.operations[len(block.operations) - 1].operation
    return block.owner.operation.name in (accel.Launch.NAME, accel.Specialize.NAME) and last == op


HANDLERS = {accel.Copy.NAME: copy, accel.Wait.NAME: wait}
