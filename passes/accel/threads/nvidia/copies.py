"""`accel.copy` by `cp.async`, and the groups of these."""

from __future__ import annotations

from mlc.bindings import arith, ir, nvvm
from mlc.dialects import accel
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common import addresses, pointers
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.accel.threads.common.shared import ThreadCopy, copy_through_registers, thread_copy, where

CACHE_L2, CACHE_ALL = "#nvvm<load_cache_modifier cg>", "#nvvm<load_cache_modifier ca>"
# What `cp.async` copies at least.
_LEAST_BYTES = 4


def copy(code: ThreadCode, op: ir.Operation) -> None:
    """`accel.copy`: each thread copies pieces of 16 bytes, into shared memory without passing through its
    registers where pieces may be that long."""
    wanted = thread_copy(code, op)
    size = wanted.run * element_bytes(wanted.target.element)
    if wanted.target.shared and size >= _LEAST_BYTES:
        # Where there are fewer pieces than threads, some have none.
        where(addresses.one_of_copies(code, wanted.layout, 0), lambda: _copy_pieces(code, wanted, size))
    else:
        copy_through_registers(code, wanted)


def _copy_pieces(code: ThreadCode, wanted: ThreadCopy, size: int) -> None:
    """By `cp.async`, which writes zeros for what it does not read."""
    layout, source, target = wanted.layout, wanted.source, wanted.target
    modifier = ir.Attribute.parse(CACHE_L2 if size == addresses.LONGEST_BYTES else CACHE_ALL)
    for first in range(0, layout.size, wanted.run):
        place = addresses.element_coordinates(code, wanted.outside, wanted.base, first)
        inside = integers.all_of(addresses.inside(source, place))
        pointer, read = pointers.element_pointer(source, place), None
        if inside is not None:
            pointer = arith.SelectOp(inside, pointer, source.pointer).result
            read = arith.SelectOp(inside, integers.value(size), integers.value(0)).result
        here = addresses.element_coordinates(code, layout, [0] * len(layout.shape), first)
        written = pointers.element_pointer(target, here)
        nvvm.cp_async_shared_global(written, pointer, size, modifier, cp_size=read)


def wait(code: ThreadCode, _op: ir.Operation) -> None:
    """For all copies of this thread, and then for those of the others."""
    finish()
    code.barrier()


def finish() -> None:
    """Waits for all copies of this thread."""
    nvvm.cp_async_commit_group()
    nvvm.cp_async_wait_group(0)


def commit(_code: ThreadCode, _op: ir.Operation) -> None:
    nvvm.cp_async_commit_group()


def wait_groups(code: ThreadCode, op: ir.Operation) -> None:
    nvvm.cp_async_wait_group(op.attributes["pending"].value)
    code.barrier()


HANDLERS = {
    accel.Commit.NAME: commit,
    accel.Copy.NAME: copy,
    accel.Wait.NAME: wait,
    accel.WaitGroups.NAME: wait_groups,
}
