"""Control flow of a host function with dynamic sizes: `scf` ops that carry memory.

A body yields memory that it has allocated, or a copy; the receiver releases it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlc.bindings import arith, ir, memref, scf
from mlc.dialects import graph
from mlc.passes.common.constants import i64, index_constant
from mlc.passes.graph.control_flow.bodies import IF, body_of, inputs, yields
from mlc.passes.graph.control_flow.loop_rules import GraphLoop
from mlc.passes.host.common.scalars import build_while, read_index, read_scalar
from mlc.passes.host.memory.bodies import is_stored
from mlc.passes.host.memory.buffers import memref_of
from mlc.passes.host.sized.lifetimes import BlockAllocations
from mlc.passes.host.sized.size_values import elements_of

if TYPE_CHECKING:
    from mlc.passes.host.sized.function import SizedFunction


class SizedControlBuilder:
    """Builds control flow for a host function's builder, which builds the bodies."""

    def __init__(self, host: SizedFunction) -> None:
        self.host, self.storage = host, host.storage

    def build(self, op: ir.Operation, step: int, memory: BlockAllocations) -> None:
        """Builds `scf` ops at the insertion point for an `if` or a `loop`."""
        if op.name == IF:
            self.branches(op, memory)
        else:
            self.loop(GraphLoop(op), step, memory)

    def branches(self, op: ir.Operation, memory: BlockAllocations) -> None:
        """Builds an `scf.if` whose results are memory."""
        types = [memref_of(value.type) for value in op.results]
        made = scf.IfOp(read_scalar(graph.If(op).condition, self.storage.buffer), types, has_else=True)
        for index, block in enumerate((made.then_block, made.else_block)):
            with ir.InsertionPoint(block), self.host.sizes.inside():
                body = body_of(op, index)
                inner = self.host.body(body)
                scf.YieldOp(self.leave(yields(body), inner, types))
        self.keep(op.results, made.results, memory)

    def loop(self, loop: GraphLoop, step: int, memory: BlockAllocations) -> None:
        """Builds an `scf.while` that carries an index, the condition, and memory."""
        carried, view = [memref_of(value.type) for value in loop.carried], graph.Loop(loop.op)
        stacks = [self.storage.new(value, memory) for value in view.results[len(carried) :]]
        trips = read_index(view.trip_count, self.storage.buffer)
        first = read_scalar(view.condition, self.storage.buffer)
        initial = [
            self.enter(value, type_, loop.op, step, memory)
            for value, type_ in zip(loop.initial, carried, strict=True)
        ]
        made, after = build_while(trips, first, initial)
        with ir.InsertionPoint(after), self.host.sizes.inside():
            scf.YieldOp(self.run(loop, after.arguments, stacks))
        self.keep(view.results[: len(carried)], list(made.results)[2:], memory)

    def run(
        self, loop: GraphLoop, arguments: Sequence[ir.Value], stacks: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Builds an iteration; returns the next index, whether there is another iteration, and carried
        memory."""
        index, going, *carried = arguments
        iteration, condition = list(loop.body.arguments)[:2]
        scalars = [
            self.store(iteration, arith.IndexCastOp(i64(), index).result),
            self.store(condition, going),
        ]
        self.storage.buffers.update(zip(loop.carried, carried, strict=True))
        inner = self.host.body(loop.body)
        for value, buffer in zip(loop.carried, carried, strict=True):
            inner.own(value, buffer)
        for value, stack in zip(loop.scanned, stacks, strict=True):
            self.write_row(value, stack, index)
        again = read_scalar(yields(loop.body)[0], self.storage.buffer)
        types = [memref_of(value.type) for value in loop.carried]
        following = self.leave(loop.next, inner, types)
        for scalar in filter(None, scalars):
            memref.DeallocOp(scalar)
        return [arith.AddIOp(index, index_constant(1)).result, again, *following]

    def leave(
        self, values: Sequence[ir.Value], memory: BlockAllocations, types: Sequence[ir.MemRefType]
    ) -> list[ir.Value]:
        """Returns the memory of the values that a body yields, and releases what else it has allocated."""
        result = []
        for value, type_ in zip(values, types, strict=True):
            if memory.owns(value) and memory.lifetimes.source(value) == value:
                result.append(self.cast(self.storage.reshape(memory.take(value), value), type_))
            else:
                result.append(self.copy(value, type_))
        for buffer in memory.dead_after(len(memory.lifetimes.ops)):
            memref.DeallocOp(buffer)
        return result

    def enter(
        self, value: ir.Value, type_: ir.MemRefType, op: ir.Operation, step: int, memory: BlockAllocations
    ) -> ir.Value:
        """Returns the memory of an initial value of a loop: that of the value if the loop is its last use, or
        a copy."""
        sources = [memory.lifetimes.source(used) for used in inputs(op)]
        is_last = memory.owns(value) and memory.lifetimes.last(value) == step
        if is_last and memory.lifetimes.source(value) == value and sources.count(value) == 1:
            return self.cast(self.storage.reshape(memory.take(value), value), type_)
        return self.copy(value, type_)

    def copy(self, value: ir.Value, type_: ir.MemRefType) -> ir.Value:
        """Copies a value to new memory, cast to `type_`."""
        buffer = self.storage.allocate(value)
        self.storage.copy(value, buffer)
        return self.cast(buffer, type_)

    def cast(self, buffer: ir.Value, type_: ir.MemRefType) -> ir.Value:
        """Casts memory to the type of the value that carries it, which may have fewer static dims."""
        return buffer if buffer.type == type_ else memref.CastOp(type_, buffer).result

    def keep(self, values: Sequence[ir.Value], buffers: Sequence[ir.Value], memory: BlockAllocations) -> None:
        """Lets the block own the buffers of the results of control flow."""
        for value, buffer in zip(values, buffers, strict=True):
            self.storage.buffers[value] = buffer
            memory.own(value, buffer)

    def write_row(self, value: ir.Value, stack: ir.Value, index: ir.Value) -> None:
        """Copies a scanned value to a row of the stack; for indices beyond to the last row, if there is
        one."""
        zero, one = index_constant(0), index_constant(1)
        count = self.host.sizes.of(elements_of(value))
        rows = memref.DimOp(stack, zero).result
        row = arith.MaxSIOp(arith.MinSIOp(index, arith.SubIOp(rows, one).result).result, zero).result
        copied_elements = arith.MulIOp(count, arith.MinSIOp(rows, one).result).result
        target = _elements(stack, arith.MulIOp(row, count).result, copied_elements)
        memref.CopyOp(_elements(self.storage.buffer(value), zero, copied_elements), target)

    def store(self, scalar: ir.Value, content: ir.Value) -> ir.Value | None:
        """Stores a scalar of a body in memory if an op reads it there."""
        if not is_stored(scalar):
            return None
        buffer = memref.AllocOp(memref_of(scalar.type), [], []).result
        memref.StoreOp(content, buffer, [])
        self.storage.buffers[scalar] = buffer
        return buffer


def _elements(buffer: ir.Value, first: ir.Value, count: ir.Value) -> ir.Value:
    """Builds a view of `count` elements of a buffer from `first` on."""
    shape, step = [ir.ShapedType.get_dynamic_size()], ir.ShapedType.get_dynamic_stride_or_offset()
    type_ = ir.MemRefType.get(shape, buffer.type.element_type, ir.StridedLayoutAttr.get(step, [1]))
    return memref.ReinterpretCastOp(type_, buffer, [first], [count], [], [step], shape, [1]).result
