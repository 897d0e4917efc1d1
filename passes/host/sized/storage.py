"""The memory of the values of a host function with dynamic sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir, memref
from mlc.dialects import graph, tloop
from mlc.dialects.graph.sizes import Size
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.views import view_source
from mlc.passes.host.common.description import CALLER, OUTPUT
from mlc.passes.host.memory.buffers import memref_of
from mlc.passes.host.sized.lifetimes import BlockAllocations
from mlc.passes.host.sized.size_values import (
    SizeValues,
    bytes_of,
    elements_of,
    flatten,
    reinterpret,
    sizes_of,
)


class Storage:
    """The buffers of values, allocated at the insertion point. `in_place` lists the operands that each kernel
    may overwrite."""

    def __init__(self, block: ir.Block, sizes: SizeValues, in_place: Mapping[str, Sequence[int]]) -> None:
        self.block, self.sizes, self.in_place = block, sizes, in_place
        self.buffers: dict[ir.Value, ir.Value] = {}
        # The bytes of allocations.
        self.bytes: dict[ir.Value, int | Size] = {}
        self.outputs: dict[ir.Value, int] = {}
        # Outputs whose memory is allocated.
        self.written: set[int] = set()
        for index, value in enumerate(terminator_of(block).operands):
            self.outputs.setdefault(view_source(value), index)

    def buffer(self, value: ir.Value) -> ir.Value:
        """Returns the buffer of a value. Raises PassError if there is none."""
        if value not in self.buffers:
            wrong = f"this {value.type} has no buffer; run graph-form-kernels first"
            raise PassError(wrong, value.location)
        return self.buffers[value]

    def result(self, op: ir.Operation, value: ir.Value, step: int, memory: BlockAllocations) -> ir.Value:
        """Returns the buffer of a launch's result: that of an operand that the kernel may overwrite, or a new
        one."""
        for index in self.in_place.get(tloop.Launch(op).kernel, ()):
            operand = op.operands[index]
            others = [other for position, other in enumerate(op.operands) if position != index]
            if self.may_replace(operand, value, step, memory) and all(
                memory.lifetimes.source(other) != memory.lifetimes.source(operand) for other in others
            ):
                buffer = memory.take(operand)
                memory.own(value, buffer)
                self.buffers[value] = self.reshape(buffer, value)
                return self.buffers[value]
        return self.new(value, memory)

    def may_replace(self, operand: ir.Value, value: ir.Value, step: int, memory: BlockAllocations) -> bool:
        """Whether a value may take the memory of an operand that is read for the last time."""
        if value in self.outputs or not memory.owns(operand) or memory.lifetimes.last(operand) != step:
            return False
        source = memory.lifetimes.source(operand)
        # Buffers have elements of one type.
        same_type = source.type.element_type == value.type.element_type
        return same_type and graph.same_shape(operand, value) and bytes_of(source) == bytes_of(value)

    def new(self, value: ir.Value, memory: BlockAllocations) -> ir.Value:
        """Allocates memory for a value: that of an output, or of the block."""
        index = self.outputs.get(value) if value.owner.operation.block == self.block else None
        # The output may be a view of the value, of another shape.
        returned = None if index is None else terminator_of(self.block).operands[index]
        if index is None or not self.has_room(returned, value):
            buffer = self.allocate(value)
            memory.own(value, buffer)
        else:
            buffer = self.allocate_output(returned, index)
        self.buffers[value] = self.reshape(buffer, value)
        return self.buffers[value]

    def has_room(self, output: ir.Value, value: ir.Value) -> bool:
        """Whether the memory of an output always holds a value: its sizes are known already, and depend on no
        later check."""
        return self.sizes.determine(sizes_of(output)) and elements_of(output) == elements_of(value)

    def allocate(self, value: ir.Value) -> ir.Value:
        """Allocates memory of a value's shape."""
        dynamic = [self.sizes.of(size) for size in sizes_of(value) if not isinstance(size, int)]
        made = memref.AllocOp(memref_of(value.type), dynamic, [])
        self.bytes[made.result] = bytes_of(value)
        if dynamic:
            made.operation.attributes[CALLER] = ir.StringAttr.get(self.sizes.who)
        return made.result

    def allocate_output(self, value: ir.Value, index: int) -> ir.Value:
        """Allocates the memory of the output `index`."""
        buffer = self.allocate(value)
        buffer.owner.operation.attributes[OUTPUT] = i64_attribute(index)
        self.written.add(index)
        return buffer

    def reshape(self, buffer: ir.Value, value: ir.Value) -> ir.Value:
        """Casts memory to a value's shape."""
        if buffer.type == memref_of(value.type):
            return buffer
        return reinterpret(self.sizes, buffer, value.type, sizes_of(value))

    def copy(self, value: ir.Value, target: ir.Value, offset: int = 0) -> None:
        """Copies a value to a buffer, from an element of it on."""
        count, vector = elements_of(value), flatten(value.type)
        source = reinterpret(self.sizes, self.buffer(value), vector, [count])
        memref.CopyOp(source, reinterpret(self.sizes, target, vector, [count], offset))

    def copy_outputs(self, returned: Sequence[ir.Value], memory: BlockAllocations) -> None:
        """Copies outputs that no op of the block has written, and releases the block's memory."""
        for index, value in enumerate(returned):
            if index not in self.written:
                self.copy(value, self.allocate_output(value, index))
        for buffer in memory.dead_after(len(memory.lifetimes.ops)):
            memref.DeallocOp(buffer)
