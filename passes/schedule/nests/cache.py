"""cache_read and cache_write over memory: an iteration of a loop works on a copy of its own."""

from __future__ import annotations

from mlc.bindings import affine, ir, memref, scf
from mlc.passes.common.affine import AffineForm
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.schedule.common.loops import PARALLEL, enclosing_loops, is_inside
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import Access, accesses, root_of
from mlc.passes.schedule.nests.building import Bound, build_loop, end_loop
from mlc.passes.schedule.nests.compute_at import touching
from mlc.passes.schedule.nests.regions import (
    box_of,
    linear_indices,
    read_element,
    redirect,
    write_element,
)
from mlc.passes.schedule.nests.statements import buffer_of, operands_of, single, store_of


def cache_read(op: ir.Operation, state: ScheduleState) -> None:
    store, loop = store_of(op.operands[0], state), single(op.operands[1], state)
    if not is_inside(store, loop):
        raise StepError("the block does not stand in the loop")
    loads = operands_of(store, op.attributes["operand"].value)
    buffer, whole = root_of(loads[0].operands[0])
    writes = [
        access
        for access in accesses(loop)
        if access.writes and (access.buffer is None or access.buffer == buffer)
    ]
    if writes or not whole:
        raise StepError(f"{writes[0].text} changes it in the loop" if writes else "it is a view of a buffer")
    found = [each for each in touching(loop, buffer) if any(each.op == load for load in loads)]
    copy = CachedBox(loop, buffer, found)
    copy.read(new_name(op, state))


def cache_write(op: ir.Operation, state: ScheduleState) -> None:
    """All accesses of the result in the loop go to the copy. It starts as the result: perhaps not all of its
    box is written."""
    store, loop = store_of(op.operands[0], state), single(op.operands[1], state)
    if not is_inside(store, loop):
        raise StepError("the block does not stand in the loop")
    if any(each.name in PARALLEL for each in (loop, *enclosing_loops(loop))):
        raise StepError("the copy could hold what other threads write; make the loop parallel afterwards")
    buffer = buffer_of(store)
    copy = CachedBox(loop, buffer, touching(loop, buffer))
    copy.read("")
    copy.write(new_name(op, state))


def new_name(op: ir.Operation, state: ScheduleState) -> str:
    """The name of the copy, for which the result stands."""
    name = op.attributes["block_name"].value
    state.name(op.results[0], f'{BLOCK_TAG} = "{name}"')
    return str(name)


class CachedBox:
    """A buffer in the body of `loop`, to which the accesses are redirected: the box that they touch."""

    def __init__(self, loop: ir.Operation, buffer: ir.Value, found: list[Access]) -> None:
        kind = ir.MemRefType(buffer.type)
        self.loop, self.buffer = loop, buffer
        self.box = box_of(found, loop, kind.shape)
        self.kind = affine.AffineFor.NAME if loop.name.startswith("affine.") else scf.For.NAME
        with ir.InsertionPoint.at_block_begin(loop.regions[0].blocks[0]), loop.location:
            self.alloc = memref.AllocOp(ir.MemRefType.get(self.box.sizes, kind.element_type), [], [])
        for each in found:
            places = linear_indices(each)
            moved = [at - start for at, start in zip(places, self.box.offsets, strict=True)]
            redirect(each, self.alloc.result, moved)

    def read(self, name: str) -> None:
        """Fills the copy, in front of all else in the body."""
        self._nest(ir.InsertionPoint.after(self.alloc.operation), name, inward=True)

    def write(self, name: str) -> None:
        """Copies back, behind all else in the body."""
        operations = self.loop.regions[0].blocks[0].operations
        self._nest(ir.InsertionPoint(operations[len(operations) - 1]), name, inward=False)

    def _nest(self, point: ir.InsertionPoint, name: str, inward: bool) -> None:
        """A loop per dim around the copy of one element."""
        loops = []
        for dim in range(len(self.box.sizes)):
            with point, self.loop.location:
                loops.append(build_loop(self.kind, Bound.constant(0), self.box.end(dim), 1, [], {}))
            point = ir.InsertionPoint(loops[-1].body)
        near = [AffineForm.of(loop.iv) for loop in loops]
        far = [start + each for start, each in zip(self.box.offsets, near, strict=True)]
        with point, self.loop.location:
            ends = [(self.buffer, far), (self.alloc.result, near)]
            source, target = ends if inward else ends[::-1]
            store = write_element(self.kind, read_element(self.kind, *source), *target)
        if name:
            store.attributes[BLOCK_TAG] = ir.StringAttr.get(name)
        for each in loops:
            end_loop(each, [])
