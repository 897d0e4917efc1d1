"""Copies by TMA: one thread starts those of whole tiles, and an mbarrier counts the bytes that come."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlc.bindings import ir, llvm, nvvm
from mlc.passes.accel.buffers import ends_at_semaphore
from mlc.passes.accel.shared_memory import element_bytes
from mlc.passes.accel.tensor_maps import mapped_dims, panel_columns, tensor_map
from mlc.passes.accel.threads import addresses, numbers
from mlc.passes.accel.threads.code import ThreadCode
from mlc.passes.accel.threads.nvidia import copies


def start(code: ThreadCode, copies: Sequence[ir.Operation], barrier: ir.Value) -> None:
    """Starts copies that are reported to `barrier`, at which the thread arrives."""
    expected = sum(_tile_bytes(each.operands[1].type) for each in copies)
    nvvm.mbarrier_arrive_expect_tx(barrier, numbers.value(expected), results=[])
    for copy in copies:
        with copy.location:
            _start(code, copy, barrier)


def _tile_bytes(kind: ir.MemRefType) -> int:
    return math.prod(kind.shape) * element_bytes(kind.element_type)


def _start(code: ThreadCode, copy: ir.Operation, barrier: ir.Value) -> None:
    """One instruction for each panel of a swizzled tile, or one for all of another."""
    source, target, *offsets = copy.operands
    memory, encoded = code.memory(target), code.tensor_maps[source, tensor_map(copy)]
    columns, width = target.type.shape[-1], panel_columns(copy)
    panel_bytes = _tile_bytes(target.type) // (columns // width)
    corner = [code.scalar(each) for each in offsets]
    cluster = ir.Type.parse("!llvm.ptr<7>")
    for panel in range(columns // width):
        place = [*corner[:-1], numbers.value(numbers.add(corner[-1], panel * width))]
        pointer = addresses.byte_pointer(memory.pointer, panel * panel_bytes)
        written = llvm.addrspacecast(cluster, pointer)
        at = [place[dim] for dim in mapped_dims(copy)[::-1]]
        nvvm.cp_async_bulk_tensor_shared_cluster_global(written, encoded, at, barrier, [])


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """`accel.copy`: one that ends at a semaphore starts where this is notified."""
    if not ends_at_semaphore(op):
        copies.copy(code, op)


HANDLERS = {"accel.copy": copy}
