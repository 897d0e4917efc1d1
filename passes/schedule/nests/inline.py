"""The primitive compute_inline: the producer's expression replaces each load of its result."""

from __future__ import annotations

from mlc.bindings import address, ir
from mlc.dialects import tloop
from mlc.passes.common.cloning import clone_ops
from mlc.passes.schedule.common.loops import SEQUENTIAL, enclosing_loops
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import access_of, accesses
from mlc.passes.schedule.nests.compute_at import index_loops, touching
from mlc.passes.schedule.nests.regions import index_value, linear_indices
from mlc.passes.schedule.nests.statements import (
    ancestor_in,
    block_between,
    buffer_of,
    check_writes_only,
    erase_buffer,
    expression_of,
    is_temporary,
    readers,
    single,
    store_of,
)
from mlc.passes.schedule.structured.inline import inline_structured


def compute_inline(op: ir.Operation, state: ScheduleState) -> None:
    """Inlines a structured computation or a store."""
    handle = tloop.ComputeInline(op).block
    block = single(handle, state)
    if block.name.startswith("linalg."):
        inline_structured(block)
    else:
        inline_store(state.kernel, store_of(handle, state))


def inline_store(kernel: ir.Operation, store: ir.Operation) -> None:
    """Inlines the block that is `store`. Raises StepError if it is no elementwise computation of a temporary
    buffer."""
    buffer = buffer_of(store)
    loops = enclosing_loops(store)
    if not is_temporary(buffer):
        raise StepError("the producer writes a result of the kernel, all of which is needed")
    if not loops or any(loop.name not in SEQUENTIAL for loop in loops):
        raise StepError("the producer has no separate sequential loop nest")
    nest = loops[0]
    check_writes_only(nest, buffer)
    indices = _indices(nest, store, buffer)
    reads = readers(kernel, buffer)
    for load in reads:
        _check_inputs(nest, load)
    for load in reads:
        _replace(load, store, indices)
    nest.erase()
    erase_buffer(buffer)


def _indices(nest: ir.Operation, store: ir.Operation, buffer: ir.Value) -> list[ir.Value]:
    """Returns the loop index for each dim of the buffer; every loop around the store must be one of them."""
    if len(touching(nest, buffer)) != 1:
        raise StepError("the producer is a reduction, or has several statements")
    shape = list(ir.MemRefType(buffer.type).shape)
    loops = [found[0] for found in index_loops(nest, buffer, shape)]
    if len({address(loop.op) for loop in loops}) != len(enclosing_loops(store)) or len(loops) != len(shape):
        raise StepError("the producer is not elementwise: a loop of it does not index its result")
    return [loop.iv for loop in loops]


def _check_inputs(nest: ir.Operation, load: ir.Operation) -> None:
    """Checks that nothing between producer and load writes what the producer reads."""
    inputs = [access.buffer for access in accesses(nest) if not access.writes]
    way = block_between(nest, ancestor_in(load, nest.block))[1:]
    for write in [access for op in way for access in accesses(op) if access.writes]:
        if write.buffer is None or any(write.buffer == buffer for buffer in inputs):
            raise StepError(f"the producer reads what changes on the way: {write.text}")


def _replace(load: ir.Operation, store: ir.Operation, indices: list[ir.Value]) -> None:
    """Replaces the load by a clone of the store's expression at the load's indices."""
    forms = linear_indices(access_of(load)[0])
    with ir.InsertionPoint(load), load.location:
        values = {index: index_value(form) for index, form in zip(indices, forms, strict=True)}
        clone_ops(expression_of(store), values)
    value = store.operands[0]
    load.result.replace_all_uses_with(values.get(value, value))
    load.erase()
