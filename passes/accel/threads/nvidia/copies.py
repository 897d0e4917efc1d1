"""`accel.copy` with `cp.async`, and waits for groups of copies."""

from __future__ import annotations

from mlc.bindings import arith, ir, nvvm
from mlc.dialects import accel
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import addresses, pointers
from mlc.passes.accel.threads.common.accesses import emit_if
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.shared import ThreadCopy, copy_through_registers, thread_copy

CACHE_L2, CACHE_ALL = "#nvvm<load_cache_modifier cg>", "#nvvm<load_cache_modifier ca>"
# The smallest size that `cp.async` copies.
_LEAST_BYTES = 4


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.copy` in chunks of up to 16 bytes: into shared memory with `cp.async` if chunks have at
    least 4 bytes, otherwise through registers."""
    part = thread_copy(code, op)
    size = part.run * element_bytes(part.target.element)
    if part.target.shared and size >= _LEAST_BYTES:
        # With fewer chunks than threads, some threads have none.
        emit_if(addresses.one_of_copies(code, part.layout, 0), lambda: _copy_chunks(code, part, size))
    else:
        copy_through_registers(code, part)


def _copy_chunks(code: ThreadCode, part: ThreadCopy, size: int) -> None:
    """Emits `cp.async`, which writes zeros for elements that are out of bounds."""
    layout, source, target = part.layout, part.source, part.target
    modifier = ir.Attribute.parse(CACHE_L2 if size == addresses.LONGEST_BYTES else CACHE_ALL)
    for first in range(0, layout.size, part.run):
        coordinates = addresses.element_coordinates(code, part.outside, part.base, first)
        in_bounds = integers.all_of(addresses.bounds_conditions(source, coordinates))
        pointer, read = pointers.element_pointer(source, coordinates), None
        if in_bounds is not None:
            pointer = arith.SelectOp(in_bounds, pointer, source.pointer).result
            read = arith.SelectOp(in_bounds, integers.value(size), integers.value(0)).result
        coordinates = addresses.element_coordinates(code, layout, [0] * len(layout.shape), first)
        written = pointers.element_pointer(target, coordinates)
        nvvm.cp_async_shared_global(written, pointer, size, modifier, cp_size=read)


def wait(code: ThreadCode, _op: ir.Operation) -> None:
    """Emits an `accel.wait`: for all copies of this thread, then a barrier for those of the others."""
    finish()
    code.barrier()


def finish() -> None:
    """Emits a wait for all copies of this thread."""
    nvvm.cp_async_commit_group()
    nvvm.cp_async_wait_group(0)


def commit(_code: ThreadCode, _op: ir.Operation) -> None:
    """Emits an `accel.commit`."""
    nvvm.cp_async_commit_group()


def wait_groups(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `accel.wait_groups`."""
    nvvm.cp_async_wait_group(accel.WaitGroups(op).pending)
    code.barrier()


HANDLERS = {
    accel.Commit.NAME: commit,
    accel.Copy.NAME: copy,
    accel.Wait.NAME: wait,
    accel.WaitGroups.NAME: wait_groups,
}
