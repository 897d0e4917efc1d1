"""reverse_compute_at over memory: a consumer's nest moves to the end of the producer's loop."""

from __future__ import annotations

from mlc.bindings import address, ir
from mlc.passes.schedule.common.loops import Loop, enclosing_loops, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import accesses
from mlc.passes.schedule.nests.compute_at import index_loops, set_bounds, touching
from mlc.passes.schedule.nests.dependence import NestAccesses
from mlc.passes.schedule.nests.regions import Box, box_of
from mlc.passes.schedule.nests.statements import ancestor_in, block_between, nest_apart, single, store_of


def reverse_compute_at(op: ir.Operation, state: ScheduleState) -> None:
    block, loop = op.operands
    state.name(op.results[0], state.tag(block))
    move_consumer(store_of(block, state), single(loop, state))


def move_consumer(store: ir.Operation, loop: ir.Operation) -> None:
    """Each iteration of the loop consumes what it has produced. Raises StepError."""
    nest = nest_apart(store, loop, "consumer")
    top = ancestor_in(loop, nest.block)
    way = block_between(top, nest)[:-1]
    buffer = _produced(nest, way)
    box = box_of(
        [each for each in touching(loop, buffer) if each.writes],
        loop,
        ir.MemRefType(buffer.type).shape,
    )
    _check_final(top, loop, buffer, box)
    loops = index_loops(nest, buffer, box.shape)
    body = loop.regions[0].blocks[0]
    nest.move_before(body.operations[len(body.operations) - 1].operation)
    for dim, found in enumerate(loops):
        for each in found:
            set_bounds(each, box.offsets[dim], box.end(dim))


def _produced(nest: ir.Operation, way: list[ir.Operation]) -> ir.Value:
    """The buffer that goes from the producer's nest to the consumer's."""
    mine = accesses(nest)
    theirs = [access for op in way for access in accesses(op)]
    written = [their for their in theirs if their.writes]
    inputs = [each.buffer for each in mine if not each.writes]
    shared: list[ir.Value] = []
    for each in written:
        if each.buffer is None:
            raise StepError(f"it would pass {each.text}")
        if any(each.buffer == other for other in inputs) and all(each.buffer != other for other in shared):
            shared.append(each.buffer)
    if len(shared) != 1:
        raise StepError(f"it must read one buffer that the loop produces, but reads {len(shared)}")
    for write in [each for each in mine if each.writes]:
        if any(their.buffer is None or their.buffer == write.buffer for their in theirs):
            raise StepError(f"{write.text} would pass accesses of the same buffer")
    return shared[0]


def _check_final(top: ir.Operation, loop: ir.Operation, buffer: ir.Value, box: Box) -> None:
    """What an iteration has produced must be all that is ever written there, and together all there is."""
    chain = [Loop(each) for each in [*enclosing_loops(loop), loop] if _from(each, top)]
    nest = NestAccesses(chain)
    writes = [access for access in nest.accesses if access.writes and access.buffer == buffer]
    count = 1
    for position, each in enumerate(chain):
        count *= each.trips or 0
        directions = ["="] * position + ["<"] + ["*"] * (len(chain) - position - 1)
        if any(nest.may_meet(first, second, directions) for first in writes for second in writes):
            raise StepError(f"loop {each.name} writes an element in several iterations")
    elements = total = 1
    for size, extent in zip(box.sizes, box.shape, strict=True):
        elements, total = elements * size, total * extent
    if count * elements < total:
        raise StepError("the loop does not produce all that the consumer reads")


def _from(op: ir.Operation, top: ir.Operation) -> bool:
    return address(op) == address(top) or is_inside(op, top)
