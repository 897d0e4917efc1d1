"""Control flow of a host function whose sizes only a call tells: `scf` ops that carry memory.

What leaves a body is memory that the body has allocated, or a copy; whoever gets it releases it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlc.bindings import arith, ir, memref, scf
from mlc.passes.common.constants import i1, i64, index_constant
from mlc.passes.graph.control_flow.bodies import IF, body_of, yields
from mlc.passes.graph.control_flow.loop_rules import Loop
from mlc.passes.host.common.scalars import index_held, scalar_held
from mlc.passes.host.memory.bodies import is_stored
from mlc.passes.host.sized.lifetimes import BlockAllocations, Lifetimes
from mlc.passes.host.sized.numbers import elements_of, memref_of

if TYPE_CHECKING:
    from mlc.passes.host.sized.function import SizedFunction


class SizedControlBuilder:
    """Builds control flow for a host function's builder, which builds what is in the bodies."""

    def __init__(self, host: SizedFunction) -> None:
        self.host, self.storage = host, host.storage

    def build(self, op: ir.Operation, step: int, memory: BlockAllocations) -> None:
        if op.name == IF:
            self.branches(op, memory)
        else:
            self.loop(Loop(op), step, memory)

    def branches(self, op: ir.Operation, memory: BlockAllocations) -> None:
        kinds = [memref_of(value.type) for value in op.results]
        made = scf.IfOp(scalar_held(op.operands[0], self.storage.buffer), kinds, has_else=True)
        for place, block in enumerate((made.then_block, made.else_block)):
            with ir.InsertionPoint(block), self.host.numbers.inside():
                body = body_of(op, place)
                inner = self.host.body(body)
                scf.YieldOp(self.leaving(yields(body), inner, kinds))
        self.keep(op.results, made.results, memory)

    def loop(self, loop: Loop, step: int, memory: BlockAllocations) -> None:
        kinds = [memref_of(value.type) for value in loop.carried]
        stacks = [self.storage.new(value, memory) for value in list(loop.op.results)[len(kinds) :]]
        trips = index_held(loop.op.operands[0], self.storage.buffer)
        first = scalar_held(loop.op.operands[1], self.storage.buffer)
        initial = [
            self.entering(value, kind, loop.op, step, memory)
            for value, kind in zip(loop.initial, kinds, strict=True)
        ]
        types = [ir.IndexType.get(), i1(), *kinds]
        made = scf.WhileOp(types, [index_constant(0), first, *initial])
        before, after = made.before.blocks.append(*types), made.after.blocks.append(*types)
        with ir.InsertionPoint(before):
            less = arith.CmpIOp(arith.CmpIPredicate.slt, before.arguments[0], trips).result
            scf.ConditionOp(arith.AndIOp(less, before.arguments[1]).result, before.arguments)
        with ir.InsertionPoint(after), self.host.numbers.inside():
            scf.YieldOp(self.run(loop, after.arguments, stacks))
        self.keep(list(loop.op.results)[: len(kinds)], list(made.results)[2:], memory)

    def run(self, loop: Loop, arguments: Sequence[ir.Value], stacks: Sequence[ir.Value]) -> list[ir.Value]:
        """One run: the number of the next one, whether there is one, and what is carried there."""
        number, going, *carried = arguments
        iteration, condition = list(loop.body.arguments)[:2]
        scalars = [
            self.store(iteration, arith.IndexCastOp(i64(), number).result),
            self.store(condition, going),
        ]
        self.storage.buffers.update(zip(loop.carried, carried, strict=True))
        inner = self.host.body(loop.body)
        for value, buffer in zip(loop.carried, carried, strict=True):
            inner.own(value, buffer)
        for value, stack in zip(loop.scanned, stacks, strict=True):
            self.write_row(value, stack, number)
        again = scalar_held(yields(loop.body)[0], self.storage.buffer)
        kinds = [memref_of(value.type) for value in loop.carried]
        following = self.leaving(loop.next, inner, kinds)
        for scalar in filter(None, scalars):
            memref.DeallocOp(scalar)
        return [arith.AddIOp(number, index_constant(1)).result, again, *following]

    def leaving(
        self, values: Sequence[ir.Value], memory: BlockAllocations, kinds: Sequence[ir.MemRefType]
    ) -> list[ir.Value]:
        """The memory of what a body yields; the rest of what it has allocated is released."""
        result = []
        for value, kind in zip(values, kinds, strict=True):
            if memory.owned(value) and memory.lifetimes.source(value) == value:
                result.append(self.typed(memory.take(value), value, kind))
            else:
                result.append(self.copied(value, kind))
        for buffer in memory.dead_after(len(memory.lifetimes.ops)):
            memref.DeallocOp(buffer)
        return result

    def entering(
        self, value: ir.Value, kind: ir.MemRefType, op: ir.Operation, step: int, memory: BlockAllocations
    ) -> ir.Value:
        """The memory of what a loop carries at first: the value's own, which the loop uses last, or
        a copy."""
        uses = sum(operand == value for operand in op.operands)
        is_last = memory.owned(value) and memory.lifetimes.last(value) == step and uses == 1
        inside = any(
            memory.lifetimes.source(each) == memory.lifetimes.source(value)
            for each in Lifetimes(body_of(op)).used_from_outside()
        )
        if is_last and memory.lifetimes.source(value) == value and not inside:
            return self.typed(memory.take(value), value, kind)
        return self.copied(value, kind)

    def copied(self, value: ir.Value, kind: ir.MemRefType) -> ir.Value:
        buffer = self.storage.allocate(value)
        self.storage.copy(value, buffer)
        return self.typed(buffer, value, kind)

    def typed(self, buffer: ir.Value, value: ir.Value, kind: ir.MemRefType) -> ir.Value:
        """The memory as the type of what carries it, which may know fewer dims."""
        return buffer if buffer.type == kind else memref.CastOp(kind, buffer).result

    def keep(self, values: Sequence[ir.Value], buffers: Sequence[ir.Value], memory: BlockAllocations) -> None:
        for value, buffer in zip(values, buffers, strict=True):
            self.storage.buffers[value] = buffer
            memory.own(value, buffer)

    def write_row(self, value: ir.Value, stack: ir.Value, number: ir.Value) -> None:
        """Copies a scanned value to its row of the stack: for numbers beyond to the last one, if there is
        one."""
        zero, one = index_constant(0), index_constant(1)
        count = self.host.numbers.of(elements_of(value))
        rows = memref.DimOp(stack, zero).result
        row = arith.MaxSIOp(arith.MinSIOp(number, arith.SubIOp(rows, one).result).result, zero).result
        copied = arith.MulIOp(count, arith.MinSIOp(rows, one).result).result
        target = _elements(stack, arith.MulIOp(row, count).result, copied)
        memref.CopyOp(_elements(self.storage.buffer(value), zero, copied), target)

    def store(self, scalar: ir.Value, number: ir.Value) -> ir.Value | None:
        """Gives a scalar of a body memory, where somebody reads it."""
        if not is_stored(scalar):
            return None
        buffer = memref.AllocOp(memref_of(scalar.type), [], []).result
        memref.StoreOp(number, buffer, [])
        self.storage.buffers[scalar] = buffer
        return buffer


def _elements(buffer: ir.Value, first: ir.Value, count: ir.Value) -> ir.Value:
    """So many elements of a buffer from one on."""
    shape, step = [ir.ShapedType.get_dynamic_size()], ir.ShapedType.get_dynamic_stride_or_offset()
    kind = ir.MemRefType.get(shape, buffer.type.element_type, ir.StridedLayoutAttr.get(step, [1]))
    return memref.ReinterpretCastOp(kind, buffer, [first], [count], [], [step], shape, [1]).result
