"""Where the values of a host function lie whose sizes only a call tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir, memref
from mlc.dialects import graph
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.views import view_source
from mlc.passes.host.sized.lifetimes import BlockAllocations
from mlc.passes.host.sized.numbers import (
    SizeValues,
    bytes_of,
    elements_of,
    flattened,
    memref_of,
    reinterpreted,
    sizes_of,
)

# On a `memref.alloc`: the output of the program that lies there.
OUTPUT = "tloop.output"
# On what may fail by itself, allocations and calls of the runtime: who it says has failed.
CALLER = "tloop.caller"


class Storage:
    """The buffers of values, allocated at the insertion point. `in_place` says which operands each kernel may
    write over."""

    def __init__(self, block: ir.Block, numbers: SizeValues, in_place: Mapping[str, Sequence[int]]) -> None:
        self.block, self.numbers, self.in_place = block, numbers, in_place
        self.buffers: dict[ir.Value, ir.Value] = {}
        self.outputs: dict[ir.Value, int] = {}
        # Those whose memory is there.
        self.written: set[int] = set()
        for index, value in enumerate(terminator_of(block).operands):
            self.outputs.setdefault(view_source(value), index)

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value. Raises PassError for one without."""
        if value not in self.buffers:
            wrong = f"this {value.type} has no buffer; run graph-form-kernels first"
            raise PassError(wrong, value.location)
        return self.buffers[value]

    def result(self, op: ir.Operation, value: ir.Value, step: int, memory: BlockAllocations) -> ir.Value:
        """The buffer of a launch's result: that of an operand which the kernel may write over, or a new
        one."""
        for index in self.in_place.get(op.attributes["kernel"].value, ()):
            operand = op.operands[index]
            others = [other for place, other in enumerate(op.operands) if place != index]
            if self.may_replace(operand, value, step, memory) and all(
                memory.lifetimes.source(other) != memory.lifetimes.source(operand) for other in others
            ):
                buffer = memory.take(operand)
                memory.own(value, buffer)
                self.buffers[value] = self.shaped(buffer, value)
                return self.buffers[value]
        return self.new(value, memory)

    def may_replace(self, operand: ir.Value, value: ir.Value, step: int, memory: BlockAllocations) -> bool:
        """Whether a value may lie where an operand lies that is read for the last time."""
        if value in self.outputs or not memory.owned(operand) or memory.lifetimes.last(operand) != step:
            return False
        source = memory.lifetimes.source(operand)
        # Buffers have elements of one type.
        alike = source.type.element_type == value.type.element_type
        return alike and graph.same_shape(operand, value) and bytes_of(source) == bytes_of(value)

    def new(self, value: ir.Value, memory: BlockAllocations) -> ir.Value:
        """Memory for a value: an output's own, or of the block."""
        index = self.outputs.get(value) if value.owner.operation.block == self.block else None
        # As the output is shaped, which may be a view of the value.
        returned = None if index is None else terminator_of(self.block).operands[index]
        if index is None or not self.has_room(returned, value):
            buffer = self.allocate(value)
            memory.own(value, buffer)
        else:
            buffer = self.allocate_output(returned, index)
        self.buffers[value] = self.shaped(buffer, value)
        return self.buffers[value]

    def has_room(self, output: ir.Value, value: ir.Value) -> bool:
        """Whether the memory of an output certainly holds a value: its sizes are told already, and no check
        that comes later has to hold for it."""
        return self.numbers.tell(sizes_of(output)) and elements_of(output) == elements_of(value)

    def allocate(self, value: ir.Value) -> ir.Value:
        dynamic = [self.numbers.of(size) for size in sizes_of(value) if not isinstance(size, int)]
        made = memref.AllocOp(memref_of(value.type), dynamic, [])
        if dynamic:
            made.operation.attributes[CALLER] = ir.StringAttr.get(self.numbers.who)
        return made.result

    def allocate_output(self, value: ir.Value, index: int) -> ir.Value:
        buffer = self.allocate(value)
        word = i64()
        buffer.owner.operation.attributes[OUTPUT] = ir.IntegerAttr.get(word, index)
        self.written.add(index)
        return buffer

    def shaped(self, buffer: ir.Value, value: ir.Value) -> ir.Value:
        if buffer.type == memref_of(value.type):
            return buffer
        return reinterpreted(self.numbers, buffer, value.type, sizes_of(value))

    def copy(self, value: ir.Value, target: ir.Value, offset: int = 0) -> None:
        """Copies a value to a buffer, from an element of it on."""
        count, kind = elements_of(value), flattened(value.type)
        source = reinterpreted(self.numbers, self.buffer(value), kind, [count])
        memref.CopyOp(source, reinterpreted(self.numbers, target, kind, [count], offset))

    def copy_outputs(self, returned: Sequence[ir.Value], memory: BlockAllocations) -> None:
        """Gives outputs that no op of the block has written their memory, and what is left back."""
        for index, value in enumerate(returned):
            if index not in self.written:
                self.copy(value, self.allocate_output(value, index))
        for buffer in memory.dead_after(len(memory.lifetimes.ops)):
            memref.DeallocOp(buffer)
