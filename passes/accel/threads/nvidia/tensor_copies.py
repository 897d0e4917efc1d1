"""Copies by TMA: one thread starts a copy of a tile. An mbarrier counts the bytes that arrive in shared
memory; copies to global memory are bulk groups of the thread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from mlc.bindings import arith, ir, llvm, nvvm
from mlc.dialects import accel
from mlc.dialects.accel import box_of, cluster_around
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.buffers import ends_at_semaphore, is_bulk
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.common.tensor_maps import mapped_dims, own_part, panel_columns, sides_of, tensor_map
from mlc.passes.accel.threads.common import pointers
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.control import then
from mlc.passes.accel.threads.nvidia import clusters, copies
from mlc.passes.common.rewriting import terminator_of


def start(code: ThreadCode, copies: Sequence[ir.Operation], barrier: ir.Value) -> None:
    """Starts copies whose bytes complete at `barrier`, at which the thread arrives."""
    expected = sum(_tile_bytes(accel.Copy(copy).destination.type) for copy in copies)
    nvvm.mbarrier_arrive_expect_tx(barrier, integers.value(expected), results=[])
    for copy in copies:
        with copy.location:
            _start(code, copy, barrier)


def _tile_bytes(tile: ir.MemRefType) -> int:
    return math.prod(tile.shape) * element_bytes(tile.element_type)


def _start(code: ThreadCode, copy: ir.Operation, barrier: ir.Value) -> None:
    """Starts a copy into this thread block's shared memory, or with multicast into those of the cluster."""
    memref, _ = sides_of(copy)
    encoded, cluster = code.tensor_maps[memref, tensor_map(copy)], ir.Type.parse("!llvm.ptr<7>")
    mask: ir.Value | None = None
    dim = accel.Copy(copy).multicast
    if dim is not None:
        mask = clusters.multicast_mask(clusters.ranks_along(cluster_around(copy), [dim]))
    for pointer, coordinates in _panels(code, copy):
        written = llvm.addrspacecast(cluster, pointer)
        nvvm.cp_async_bulk_tensor_shared_cluster_global(
            written, encoded, coordinates, barrier, [], multicast_mask=mask
        )


def _panels(code: ThreadCode, copy: ir.Operation) -> Iterator[tuple[ir.Value, list[ir.Value]]]:
    """Yields the address in shared memory and the coordinates in the tensor map, innermost dim first, of each
    instruction: one per panel of a swizzled tile, or one for a plain tile. With multicast they are those of
    the thread block's part of the tile."""
    (_, tile), view = sides_of(copy), accel.Copy(copy)
    start, corner = code.memory(tile).pointer, [code.scalar(offset) for offset in view.offsets]
    columns, width = tile.type.shape[-1], panel_columns(copy)
    panel_bytes = _tile_bytes(tile.type) // (columns // width)
    if view.multicast is not None:
        start, corner = _own_part(view, view.multicast, start, corner, panel_bytes)
    for panel in range(own_part(copy).counts[-1] // width):
        coordinates = [*corner[:-1], integers.value(integers.add(corner[-1], panel * width))]
        pointer = pointers.byte_pointer(start, panel * panel_bytes)
        yield pointer, [coordinates[dim] for dim in mapped_dims(copy)[::-1]]


def _own_part(
    copy: accel.Copy, multicast: int, start: ir.Value, corner: list[ir.Value], panel_bytes: int
) -> tuple[ir.Value, list[ir.Value]]:
    """Returns the address in shared memory, and the coordinates in the memref, of this thread block's part of
    a tile that the cluster's blocks along dim `multicast` copy together."""
    part, (_, steps) = own_part(copy.operation), box_of(copy.operation)
    index = clusters.cluster_block_id(multicast)
    distance = integers.multiply(index, part.counts[part.dim] * steps[part.dim])
    moved = integers.value(integers.add(corner[part.dim], distance))
    size = _tile_bytes(copy.destination.type) if part.of_columns else panel_bytes
    target = pointers.byte_pointer(start, integers.multiply(index, size // part.blocks))
    return target, [*corner[: part.dim], moved, *corner[part.dim + 1 :]]


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.copy`: one thread starts a `bulk` copy to global memory, after a barrier that completes
    the tile in shared memory. A copy that ends at a semaphore starts at its `accel.notify`."""
    if is_bulk(op):
        with ir.InsertionPoint(then(_is_first(code))):
            _store(code, op)
    elif not ends_at_semaphore(op):
        copies.copy(code, op)


def _store(code: ThreadCode, op: ir.Operation) -> None:
    """Starts a copy to global memory as a bulk group."""
    memref, _ = sides_of(op)
    encoded = code.tensor_maps[memref, tensor_map(op)]
    for pointer, coordinates in _panels(code, op):
        nvvm.cp_async_bulk_tensor_global_shared_cta(encoded, pointer, coordinates)
    nvvm.cp_async_bulk_commit_group()


def wait(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.wait`: for the copies of all threads, and for the `bulk` ones of the thread that
    started them. At the end of the program the other threads do not wait for that thread."""
    view = accel.Wait(op)
    bulk = [is_bulk(token.owner.operation) for token in view.tokens]
    if not all(bulk):
        copies.finish()
    if any(bulk):
        with ir.InsertionPoint(then(_is_first(code))):
            nvvm.cp_async_bulk_wait_group(0, read=view.read)
    if not _ends_program(op):
        code.barrier()


def _is_first(code: ThreadCode) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, code.thread_id(), integers.value(0))


def _ends_program(op: ir.Operation) -> bool:
    """Whether an op is the last one of a launch or a role."""
    in_program = op.block.owner.operation.name in (accel.Launch.NAME, accel.Specialize.NAME)
    return in_program and terminator_of(op.block) == op


HANDLERS = {accel.Copy.NAME: copy, accel.Wait.NAME: wait}
