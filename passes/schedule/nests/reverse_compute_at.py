"""The primitive reverse_compute_at over memory: a consumer's nest moves to the end of the producer's loop."""

from __future__ import annotations

from mlc.bindings import address, ir
from mlc.dialects import tloop
from mlc.passes.schedule.common.loops import Loop, enclosing_loops, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import accesses
from mlc.passes.schedule.nests.compute_at import index_loops, set_bounds, touching
from mlc.passes.schedule.nests.dependence import NestAccesses
from mlc.passes.schedule.nests.regions import Box, box_of
from mlc.passes.schedule.nests.statements import ancestor_in, block_between, nest_apart, single, store_of


def reverse_compute_at(op: ir.Operation, state: ScheduleState) -> None:
    """Moves the consumer's nest."""
    step = tloop.ReverseComputeAt(op)
    state.name(step.moved, state.tag(step.block))
    move_consumer(store_of(step.block, state), single(step.loop, state))


def move_consumer(store: ir.Operation, loop: ir.Operation) -> None:
    """Lets each iteration of the loop consume what it has produced. Raises StepError."""
    nest = nest_apart(store, loop, "consumer")
    top = ancestor_in(loop, nest.block)
    way = block_between(top, nest)[:-1]
    buffer = _shared_buffer(nest, way)
    writes = [access for access in touching(loop, buffer) if access.writes]
    box = box_of(writes, loop, ir.MemRefType(buffer.type).shape)
    _check_final(top, loop, buffer, box)
    loops = index_loops(nest, buffer, box.shape)
    body = loop.regions[0].blocks[0]
    nest.move_before(body.operations[len(body.operations) - 1].operation)
    for dim, found in enumerate(loops):
        for index_loop in found:
            set_bounds(index_loop, box.offsets[dim], box.end(dim))


def _shared_buffer(nest: ir.Operation, way: list[ir.Operation]) -> ir.Value:
    """Returns the buffer that the producer's nest writes and the consumer's reads."""
    mine = accesses(nest)
    theirs = [access for op in way for access in accesses(op)]
    inputs = [access.buffer for access in mine if not access.writes]
    shared: list[ir.Value] = []
    for write in [access for access in theirs if access.writes]:
        if write.buffer is None:
            raise StepError(f"it would pass {write.text}")
        if any(write.buffer == other for other in inputs) and all(write.buffer != other for other in shared):
            shared.append(write.buffer)
    if len(shared) != 1:
        raise StepError(f"it must read one buffer that the loop produces, but reads {len(shared)}")
    for write in [access for access in mine if access.writes]:
        if any(access.buffer is None or access.buffer == write.buffer for access in theirs):
            raise StepError(f"{write.text} would pass accesses of the same buffer")
    return shared[0]


def _check_final(top: ir.Operation, loop: ir.Operation, buffer: ir.Value, box: Box) -> None:
    """Checks that iterations write disjoint boxes, which together are all of the buffer."""
    chain = [Loop(outer) for outer in [*enclosing_loops(loop), loop] if _from(outer, top)]
    nest = NestAccesses(chain)
    writes = [access for access in nest.accesses if access.writes and access.buffer == buffer]
    count = 1
    for position, outer in enumerate(chain):
        count *= outer.trips or 0
        directions = ["="] * position + ["<"] + ["*"] * (len(chain) - position - 1)
        if any(nest.may_meet(first, second, directions) for first in writes for second in writes):
            raise StepError(f"loop {outer.name} writes an element in several iterations")
    elements = total = 1
    for size, extent in zip(box.sizes, box.shape, strict=True):
        elements, total = elements * size, total * extent
    if count * elements < total:
        raise StepError("the loop does not produce all that the consumer reads")


def _from(op: ir.Operation, top: ir.Operation) -> bool:
    return address(op) == address(top) or is_inside(op, top)
