"""The primitive compute_at over memory: a producer's nest moves into the consumer's loop, its buffer shrinks.

With `rolling` the buffer is circular and lives as long as the loop: an iteration computes only the elements
by which the consumer's window has moved.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import address, ir, memref
from mlc.dialects import tloop
from mlc.passes.common.affine import AffineForm, IndexForm, as_expression
from mlc.passes.schedule.common.loops import SEQUENTIAL, Loop, is_inside, loop_of
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import Access, accesses
from mlc.passes.schedule.nests.building import Bound, build_loop, extra_attributes, replace_loop, take_over
from mlc.passes.schedule.nests.regions import (
    Box,
    box_of,
    index_value,
    linear_indices,
    redirect,
)
from mlc.passes.schedule.nests.statements import (
    ancestor_in,
    block_between,
    buffer_of,
    check_writes_only,
    erase_buffer,
    is_temporary,
    nest_apart,
    readers,
    single,
    store_of,
)


def compute_at(op: ir.Operation, state: ScheduleState) -> None:
    """Moves the producer's nest."""
    step = tloop.ComputeAt(op)
    state.name(step.moved, state.tag(step.block))
    move = ProducerMove(state.kernel, store_of(step.block, state), single(step.loop, state))
    if step.rolling:
        move.roll()
    else:
        move.run()


def touching(root: ir.Operation, buffer: ir.Value) -> list[Access]:
    """Returns the accesses of a buffer inside `root`."""
    return [access for access in accesses(root) if access.buffer is not None and access.buffer == buffer]


class ProducerMove:
    """The move of a producer's nest into `loop`. Raises StepError if it is not possible."""

    def __init__(self, kernel: ir.Operation, store: ir.Operation, loop: ir.Operation) -> None:
        self.loop = loop
        self.buffer = buffer_of(store)
        self.shape = list(ir.MemRefType(self.buffer.type).shape)
        self.nest = nest_apart(store, loop, "producer")
        self.reads = self._consumers(kernel)
        check_writes_only(self.nest, self.buffer)
        self._check_inputs()
        self.box = box_of(touching(self.loop, self.buffer), self.loop, self.shape)

    def _consumers(self, kernel: ir.Operation) -> list[ir.Operation]:
        if not is_temporary(self.buffer):
            raise StepError("the producer writes a result of the kernel, all of which is needed")
        outside = [reader for reader in readers(kernel, self.buffer) if not is_inside(reader, self.nest)]
        if any(not is_inside(reader, self.loop) for reader in outside):
            raise StepError("the producer's result is also read outside of the loop")
        if not outside:
            raise StepError("nothing in the loop reads the producer's result")
        return outside

    def _check_inputs(self) -> None:
        """Checks that nothing on the way writes what the producer reads."""
        way = block_between(self.nest, ancestor_in(self.loop, self.nest.block))[1:]
        inputs = [access.buffer for access in accesses(self.nest) if not access.writes]
        for write in [access for op in way for access in accesses(op) if access.writes]:
            if write.buffer is None or any(write.buffer == buffer for buffer in inputs):
                raise StepError(f"the producer reads what changes on the way: {write.text}")

    def run(self) -> None:
        """Computes the box in each iteration, before the op that reads it."""
        self._move_in(self.box)
        body = self.loop.regions[0].blocks[0]
        with ir.InsertionPoint.at_block_begin(body), self.loop.location:
            small = self._allocate()
        for access in touching(self.loop, self.buffer):
            redirect(access, small, self.box.relative(access))
        erase_buffer(self.buffer)

    def roll(self) -> None:
        """Computes the overlap of the first window and the second one before the loop, and the new elements
        of the window in each iteration."""
        loop = Loop(self.loop)
        dim, gain = self._rolling_dim(loop)
        rest = self.box.sizes[dim] - gain
        start = self.box.offsets[dim].without(loop.iv) + gain // (loop.step or 1) * (loop.lower or 0)
        with ir.InsertionPoint(self.loop):
            before = self.nest.clone().operation
        before = self.restrict(before, self._part(dim, start, rest))
        self._move_in(self._part(dim, self.box.offsets[dim] + rest, gain))
        with ir.InsertionPoint(before), self.loop.location:
            ring = self._allocate()
        for access in [*touching(before, self.buffer), *touching(self.loop, self.buffer)]:
            self._redirect_into(ring, access, dim)
        erase_buffer(self.buffer)

    def _part(self, dim: int, start: IndexForm, size: int) -> Box:
        """Returns the box with other elements of one dim."""
        offsets, sizes = list(self.box.offsets), list(self.box.sizes)
        offsets[dim], sizes[dim] = start, size
        return Box(offsets, sizes, self.shape)

    def _rolling_dim(self, loop: Loop) -> tuple[int, int]:
        """Returns the dim along which the window moves, and the elements by which it does in each
        iteration."""
        if self.loop.name not in SEQUENTIAL:
            raise StepError("the loop is parallel, but a rolling buffer goes from one iteration to the next")
        moves = [offset.coefficient(loop.iv) for offset in self.box.offsets]
        moving = [dim for dim, move in enumerate(moves) if move != 0]
        if len(moving) != 1 or moves[moving[0]] is None or loop.lower is None or loop.step is None:
            raise StepError(f"the consumer's window does not move along one dim with loop {loop.name}")
        dim, gain = moving[0], (moves[moving[0]] or 0) * loop.step
        if not 0 < gain < self.box.sizes[dim]:
            raise StepError(
                f"the consumer's windows of {self.box.sizes[dim]} do not overlap: each is {gain} further"
            )
        return dim, gain

    def _move_in(self, box: Box) -> None:
        body = self.loop.regions[0].blocks[0]
        holders = [address(ancestor_in(op, body)) for op in self.reads]
        first = next(op.operation for op in body.operations if address(op.operation) in holders)
        self.nest.move_before(first)
        self.restrict(self.nest, box)

    def _allocate(self) -> ir.Value:
        type_ = ir.MemRefType.get(self.box.sizes, ir.MemRefType(self.buffer.type).element_type)
        return memref.AllocOp(type_, [], []).result

    def _redirect_into(self, ring: ir.Value, access: Access, dim: int) -> None:
        """Redirects an access to the ring, whose index along the rolling dim is the old one modulo the
        window."""
        moved = self.box.relative(access)
        expression, operands = as_expression(linear_indices(access)[dim])
        with ir.InsertionPoint(access.op), access.op.location:
            wrapped = Bound([ir.AffineExpr.get_mod(expression, self.box.sizes[dim])], operands).value()
        moved[dim] = AffineForm.of(wrapped)
        redirect(access, ring, moved)

    def restrict(self, nest: ir.Operation, box: Box) -> ir.Operation:
        """Restricts the loops that index the buffer to a box. Returns the rebuilt nest."""
        for dim, loops in enumerate(index_loops(nest, self.buffer, self.shape)):
            for loop in loops:
                outermost = address(loop.op) == address(nest)
                new = set_bounds(loop, box.offsets[dim], box.end(dim))
                nest = new.op if outermost else nest
        return nest


def index_loops(nest: ir.Operation, buffer: ir.Value, shape: Sequence[int]) -> list[list[Loop]]:
    """Returns, for each dim of the buffer, the loops of the nest that index it and run over all of it.

    Raises StepError if a dim is indexed in another way.
    """
    found: list[list[Loop]] = [[] for _ in shape]
    for access in touching(nest, buffer):
        for dim, index in enumerate(linear_indices(access)):
            variable = index.as_variable()
            loop = loop_of(variable) if variable is not None else None
            if loop is None or (loop.lower, loop.upper, loop.step) != (0, shape[dim], 1):
                raise StepError(
                    f"dim {dim} in {access.text} is not indexed by a loop that runs over all of it"
                )
            if all(address(other.op) != address(loop.op) for other in found[dim]):
                found[dim].append(loop)
    return found


def set_bounds(loop: Loop, offset: IndexForm, size: Bound) -> Loop:
    """Replaces `loop` by one over `size` elements from `offset` on."""
    kept = extra_attributes(loop.op)
    with ir.InsertionPoint(loop.op), loop.op.location:
        new = build_loop(loop.op.name, Bound.constant(0), size, 1, loop.inits, kept)
    with ir.InsertionPoint(new.body), loop.op.location:
        loop.iv.replace_all_uses_with(index_value(offset + AffineForm.of(new.iv)))
    take_over(loop, new)
    replace_loop(loop, list(new.op.results))
    return new
