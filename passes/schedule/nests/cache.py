"""The primitives cache_read and cache_write over memory: an iteration of a loop works on a private copy."""

from __future__ import annotations

from mlc.bindings import affine, ir, memref, scf
from mlc.dialects import tloop
from mlc.passes.common.affine import AffineForm
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.schedule.common.loops import PARALLEL, enclosing_loops, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import Access, accesses, root_of
from mlc.passes.schedule.nests.building import Bound, build_loop, end_loop
from mlc.passes.schedule.nests.compute_at import touching
from mlc.passes.schedule.nests.regions import (
    box_of,
    read_element,
    redirect,
    write_element,
)
from mlc.passes.schedule.nests.statements import buffer_of, operands_of, single, store_of


def cache_read(op: ir.Operation, state: ScheduleState) -> None:
    """The loads of one operand of the block read the copy."""
    step = tloop.CacheRead(op)
    store, loop = store_of(step.block, state), single(step.loop, state)
    if not is_inside(store, loop):
        raise StepError("the block does not stand in the loop")
    loads = operands_of(store, step.operand)
    buffer, whole = root_of(loads[0].operands[0])
    writes = [
        access
        for access in accesses(loop)
        if access.writes and (access.buffer is None or access.buffer == buffer)
    ]
    if writes or not whole:
        raise StepError(f"{writes[0].text} changes it in the loop" if writes else "it is a view of a buffer")
    found = [access for access in touching(loop, buffer) if any(access.op == load for load in loads)]
    copy = CachedBox(loop, buffer, found)
    state.name(step.cache, f'{BLOCK_TAG} = "{step.block_name}"')
    copy.read(step.block_name)


def cache_write(op: ir.Operation, state: ScheduleState) -> None:
    """All accesses of the result in the loop go to the copy. It starts as the result: perhaps not all of its
    box is written."""
    step = tloop.CacheWrite(op)
    store, loop = store_of(step.block, state), single(step.loop, state)
    if not is_inside(store, loop):
        raise StepError("the block does not stand in the loop")
    if any(outer.name in PARALLEL for outer in (loop, *enclosing_loops(loop))):
        raise StepError("the copy could hold what other threads write; make the loop parallel afterwards")
    buffer = buffer_of(store)
    copy = CachedBox(loop, buffer, touching(loop, buffer))
    copy.read("")
    state.name(step.cache, f'{BLOCK_TAG} = "{step.block_name}"')
    copy.write(step.block_name)


class CachedBox:
    """A buffer in the body of `loop`, to which the accesses are redirected: the box that they touch."""

    def __init__(self, loop: ir.Operation, buffer: ir.Value, found: list[Access]) -> None:
        type_ = ir.MemRefType(buffer.type)
        self.loop, self.buffer = loop, buffer
        self.box = box_of(found, loop, type_.shape)
        self.loop_name = affine.AffineFor.NAME if loop.name.startswith("affine.") else scf.For.NAME
        with ir.InsertionPoint.at_block_begin(loop.regions[0].blocks[0]), loop.location:
            self.alloc = memref.AllocOp(ir.MemRefType.get(self.box.sizes, type_.element_type), [], [])
        for access in found:
            redirect(access, self.alloc.result, self.box.relative(access))

    def read(self, name: str) -> None:
        """Fills the copy at the begin of the body."""
        self._nest(ir.InsertionPoint.after(self.alloc.operation), name, inward=True)

    def write(self, name: str) -> None:
        """Copies back at the end of the body."""
        operations = self.loop.regions[0].blocks[0].operations
        self._nest(ir.InsertionPoint(operations[len(operations) - 1]), name, inward=False)

    def _nest(self, point: ir.InsertionPoint, name: str, inward: bool) -> None:
        """Builds a loop per dim around the copy of one element."""
        loops = []
        for dim in range(len(self.box.sizes)):
            with point, self.loop.location:
                loops.append(build_loop(self.loop_name, Bound.constant(0), self.box.end(dim), 1, [], {}))
            point = ir.InsertionPoint(loops[-1].body)
        near = [AffineForm.of(loop.iv) for loop in loops]
        far = [start + index for start, index in zip(self.box.offsets, near, strict=True)]
        with point, self.loop.location:
            ends = [(self.buffer, far), (self.alloc.result, near)]
            source, target = ends if inward else ends[::-1]
            store = write_element(self.loop_name, read_element(self.loop_name, *source), *target)
        if name:
            store.attributes[BLOCK_TAG] = ir.StringAttr.get(name)
        for loop in loops:
            end_loop(loop, [])
