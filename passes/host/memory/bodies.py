"""Buffers of the values that enter and leave the bodies of control flow.

A carried value has one buffer: the initial value is written or copied there, each iteration reads it there
and writes the next value there, and the loop's result is the last one. Branches write their results to the
same buffer, scanned values go into their row of the stack.

Results of branches and carried values whose sizes are only known in the body have no fixed buffer: the end of
a body passes on memory, that of the value, which the body no longer owns then, or of a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mlc.bindings import address, ir
from mlc.dialects import graph, tloop
from mlc.passes.base import PassError
from mlc.passes.common.rewriting import terminator_of, users
from mlc.passes.graph.common.views import is_view_or_row, view_source, viewed_buffer
from mlc.passes.graph.control_flow.bodies import IF, LOOP, YIELD, body_of, yields
from mlc.passes.graph.control_flow.loop_rules import GraphLoop
from mlc.passes.host.memory.buffers import (
    BufferCopy,
    BufferSlice,
    MovingRow,
    PassedMemory,
    PlannedBuffer,
    sizes_of,
    tensor_bytes,
)

if TYPE_CHECKING:
    from mlc.passes.host.memory.allocations import Allocations


class Bodies:
    """The buffers of control flow among the allocations of a host function."""

    def __init__(self, allocations: Allocations) -> None:
        self.all = allocations
        self.ops: list[ir.Operation] = []

    def visit(self, op: ir.Operation, step: int) -> None:
        """Makes the buffers of an op with bodies, and records its reads."""
        if op.name == YIELD:
            self.read(list(op.operands), step)
            return
        self.ops.append(op)
        self.read(list(op.operands), step)
        if op.name == IF:
            for result in op.results:
                self.make(result, step, self.all.names.determine(sizes_of(result), step))
            return
        loop, end = GraphLoop(op), self.all.steps.end(graph.Loop(op).body)
        for initial, argument, result in zip(loop.initial, loop.carried, op.results, strict=False):
            sizes = [tensor_bytes(value) for value in (initial, argument, result)]
            is_fixed = sizes == sizes[:1] * 3 and self.all.names.determine(sizes_of(result), step)
            self.all.spans[argument] = BufferSlice(self.make(result, step, is_fixed))
            if not is_fixed:
                self.make(argument, step, is_fixed).last = step + 1
        for result in list(op.results)[len(loop.carried) :]:
            self.all.new(result, step)
        for scalar in filter(is_stored, list(loop.body.arguments)[:2]):
            self.all.spans[scalar] = BufferSlice(PlannedBuffer(scalar, step, step))
        for value in (*op.results, *filter(is_stored, list(loop.body.arguments)[:2])):
            self.all.spans[value].buffer.last = end

    def make(self, value: ir.Value, step: int, is_fixed: bool) -> PlannedBuffer:
        """Makes the buffer of a value that has a fixed one, or receives memory."""
        if is_fixed:
            return self.all.new(value, step)
        buffer = PlannedBuffer(value, step, step, received=True)
        self.all.spans[value] = BufferSlice(buffer)
        return buffer

    def is_received(self, value: ir.Value) -> bool:
        """Whether a result or a carried value has no fixed buffer."""
        return self.all.spans[value].buffer.received

    def give(self, op: ir.Operation, value: ir.Value, receiver: ir.Value) -> None:
        """Lets `op`, a loop or the end of a body, take the memory of a value that is allocated in its block
        and not needed later, or that of a copy."""
        own, step = self.all.own(value), self.all.steps.of(op)
        if own is None or own.last != step or self.all.block_of(own) != op.block:
            own = PlannedBuffer(value, step, step)
            self.move(op, BufferCopy(value, BufferSlice(own)))
            self.all.copies.append(BufferSlice(own))
        own.given = True
        self.all.passed.setdefault(address(op), []).append(PassedMemory(value, own, receiver))

    def read(self, values: list[ir.Value], step: int) -> None:
        """Records reads of values; constants have no buffers."""
        for value in values:
            if value in self.all.spans:
                self.all.read(value, step)

    def put_values(self) -> None:
        """Lets values be written to the buffers that need them, or copied there. Inner bodies come first: the
        result of a loop is written as soon as its initial value is."""
        for op in reversed(self.ops):
            if op.name == LOOP:
                self.put_loop(GraphLoop(op))
            else:
                self.put_branch(op, 0, self.all.steps.of(op))
                self.put_branch(op, 1, self.all.steps.end(graph.If(op).then_branch))

    def put_branch(self, op: ir.Operation, index: int, begin: int) -> None:
        """Puts the results of the branch `index`, which begins at a step, into those of the op."""
        block = body_of(op, index)
        for value, result in zip(yields(block), op.results, strict=True):
            own, target = self.all.movable(value), self.all.spans[result]
            if target.buffer.received:
                self.give(terminator_of(block), value, result)
            elif own is not None and own.first > begin and own.size == target.buffer.size:
                own.put_into(target.buffer)
            else:
                self.move(terminator_of(block), BufferCopy(value, target))

    def put_loop(self, loop: GraphLoop) -> None:
        """Puts initial and next values into the buffers of carried ones, scanned values into stacks."""
        op, end = loop.op, terminator_of(loop.body)
        begin = self.all.steps.of(op)
        stacks = list(op.results)[len(loop.carried) :]
        carried = list(zip(loop.initial, loop.carried, loop.next, strict=True))
        fixed = [values for values in carried if not self.is_received(values[1])]
        for _, argument, after in fixed:
            own = self.all.movable(after)
            if own is not None and self.may_replace(loop, argument, after, own):
                own.put_into(self.all.spans[argument].buffer)
        # Copies of scanned values come first: one may be a carried value of this iteration.
        for value, stack in zip(loop.scanned, stacks, strict=True):
            self.put_row(loop, value, stack)
        for initial, argument, after in fixed:
            if not self.is_in_buffer_of(argument, after):
                self.check_computed(loop, after)
                self.move(end, BufferCopy(after, self.all.spans[argument]))
            own = self.all.movable(initial)
            known = own is not None and self.all.names.determine(sizes_of(argument), own.first)
            if own is not None and own.last == begin and known:
                own.put_into(self.all.spans[argument].buffer)
            else:
                self.move(op, BufferCopy(initial, self.all.spans[argument]))
        for initial, argument, after in carried:
            if self.is_received(argument):
                self.give(op, initial, argument)
                self.give(end, after, argument)

    def put_row(self, loop: GraphLoop, value: ir.Value, stack: ir.Value) -> None:
        """Puts a scanned value into its row of a stack. Iterations beyond write the last row; an empty stack
        has none, so that rows are only written in place if their count is static."""
        count = sizes_of(stack)[0]
        if count == 0:
            return
        row = MovingRow(loop.body.arguments[0], 0, 1, count, tensor_bytes(value))
        own = self.all.movable(value)
        if own is not None and own.first > self.all.steps.of(loop.op) and isinstance(count, int):
            own.put_into(self.all.spans[stack].buffer, row=row)
        else:
            self.move(terminator_of(loop.body), BufferCopy(value, self.all.spans[stack].part(0, row)))

    def is_in_buffer_of(self, argument: ir.Value, value: ir.Value) -> bool:
        """Whether a value is in the buffer of a carried one and needs no copy."""
        return value in self.all.spans and self.all.where(value) == self.all.where(argument)

    def move(self, op: ir.Operation, move: BufferCopy) -> None:
        """Adds a copy. Raises PassError for a value without a buffer."""
        if move.value not in self.all.spans:
            raise PassError(
                "a constant enters or leaves a body, but has no buffer; run graph-form-kernels first",
                op.location,
            )
        self.all.move(op, move)

    def check_computed(self, loop: GraphLoop, value: ir.Value) -> None:
        """Raises PassError if the next value is another carried value: copies at the end of an iteration are
        sequential, and none may read what another has written."""
        if viewed_buffer(value) in loop.carried:
            raise PassError(
                "a carried value becomes another one without a launch; run graph-form-kernels first",
                loop.op.location,
            )

    def may_replace(self, loop: GraphLoop, argument: ir.Value, after: ir.Value, own: PlannedBuffer) -> bool:
        """Whether the next carried value, which has the buffer `own`, may overwrite the present one: nothing
        reads that later, and a launch that reads it at the same step works in place."""
        begin = self.all.steps.of(loop.op)
        if own.first <= begin or own.size != self.all.spans[argument].buffer.size:
            return False
        last = max((step for step, _ in self.reads(argument, begin)), default=begin)
        at_once = [op for step, op in self.reads(argument, begin) if step == own.first]
        return last < own.first or (
            last == own.first and all(self.may_write_over(op, argument, after) for op in at_once)
        )

    def reads(self, value: ir.Value, begin: int) -> Iterator[tuple[int, ir.Operation]]:
        """Yields the readers of a value of the body of the loop that begins at a step, and the step until
        which each reads: the end of the loop for those in inner loops."""
        steps = self.all.steps
        for user in users(value):
            if is_view_or_row(user):
                yield from self.reads(user.results[0], begin)
                continue
            step = steps.of(user)
            inner = [end for first, end in steps.loops if begin < first < step <= end]
            yield max(inner, default=step), user

    def may_write_over(self, op: ir.Operation, argument: ir.Value, after: ir.Value) -> bool:
        """Whether a launch that computes `after` may write it over `argument`."""
        if not tloop.Launch.isa(op) or view_source(after) not in list(op.results):
            return False
        allowed = self.all.in_place.get(tloop.Launch(op).kernel, ())
        part = self.all.where(argument)
        read = [
            index for index, value in enumerate(op.operands) if self.all.where(value).buffer is part.buffer
        ]
        whole = all(self.all.where(op.operands[index]) == part for index in read)
        return whole and all(index in allowed for index in read)


def is_stored(scalar: ir.Value) -> bool:
    """Whether a loop's iteration or condition is needed in memory: rows and the condition that the body
    yields do not read it there."""
    end = terminator_of(scalar.owner)
    return any(user.name != tloop.Row.NAME and user != end for user in users(scalar))
