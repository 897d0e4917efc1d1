"""Runs planned host functions on symbols: each element of memory holds what was written there last.

A kernel reads all of its operands, and writes to each element of its results a symbol that stands for the
kernel, what it has read, and the element. So a result differs from that of the function on tensors where a
buffer is overwritten before its last use, or read before it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, memref
from mlc.dialects import tloop
from mlc.dialects.graph.sizes import evaluate
from mlc.dialects.tloop import buffers_and_dims
from mlc.passes.host.common.description import OUTPUT
from mlc.passes.host.memory.buffers import sizes_of

ITEM = 4
STALE = hash("stale")


def symbols(kernel: str, operands: Sequence[Sequence[int]], count: int) -> list[int]:
    """Returns the elements that a kernel writes."""
    read = hash((kernel, *(tuple(operand) for operand in operands)))
    return [hash((read, index)) for index in range(count)]


def on_tensors(block: ir.Block, inputs: Sequence[list[int]], dims: Mapping[str, int]) -> list[list[int]]:
    """Returns the elements of the results of a function of launches on tensors of named dims."""
    values = dict(zip(block.arguments, inputs, strict=True))
    for op in block.operations:
        if not tloop.Launch.isa(op.operation):
            return [values[value] for value in op.operands]
        for result in op.operation.results:
            count = prod(evaluate(size, dims) for size in sizes_of(result))
            read = [values[value] for value in op.operands]
            values[result] = symbols(tloop.Launch(op.operation).kernel, read, count)
    raise AssertionError("a block ends with a return")


@dataclass(frozen=True)
class Memory:
    """Elements of an allocation, from `begin` on, of a buffer of a shape."""

    elements: list[int]
    begin: int
    shape: tuple[int, ...]

    @staticmethod
    def of_input(index: int, shape: tuple[int, ...]) -> Memory:
        """The memory of an input."""
        return Memory(symbols(f"input {index}", [], prod(shape)), 0, shape)

    def read(self) -> list[int]:
        """The buffer's elements."""
        return self.elements[self.begin : self.begin + prod(self.shape)]

    def write(self, elements: Sequence[int]) -> None:
        """Overwrites all elements; they must be part of the allocation."""
        end = self.begin + prod(self.shape)
        assert end <= len(self.elements) and len(elements) == prod(self.shape)
        self.elements[self.begin : end] = elements


ARITHMETIC: dict[str, Callable[..., int]] = {
    arith.AddI.NAME: lambda a, b: a + b,
    arith.MulI.NAME: lambda a, b: a * b,
    arith.AndI.NAME: lambda a, b: a & b,
    # Of sizes that are not negative, as in all comparisons.
    arith.CmpI.NAME: lambda a, b: a < b,
    arith.Select.NAME: lambda condition, a, b: a if condition else b,
    arith.MaxSI.NAME: max,
}


class Interpreter:
    """Runs the ops of a planned function; `outputs` are the elements of its outputs."""

    def __init__(self, block: ir.Block, arguments: Sequence[Memory]) -> None:
        self.values = dict(zip(block.arguments, arguments, strict=False))
        self.outputs: dict[int, Memory] = {}
        for op in block.operations:
            self.run(op.operation)

    def run(self, op: ir.Operation) -> None:
        """Runs an op."""
        values = self.values
        if op.name in ARITHMETIC:
            values[op.result] = ARITHMETIC[op.name](*(values[value] for value in op.operands))
        elif op.name == arith.Constant.NAME:
            values[op.result] = ir.IntegerAttr(op.attributes["value"]).value
        elif op.name == memref.Dim.NAME:
            values[op.result] = values[op.operands[0]].shape[values[op.operands[1]]]
        elif op.name == memref.Alloc.NAME:
            self.allocate(op)
        elif op.name == memref.Dealloc.NAME:
            values[op.operands[0]].write([STALE] * len(values[op.operands[0]].read()))
        elif op.name == memref.View.NAME:
            shift = values[op.operands[1]]
            assert shift % 64 == 0
            self.part(op, shift // ITEM, op.operands[2:])
        elif op.name == memref.ReinterpretCast.NAME:
            cast = memref.ReinterpretCast(op)
            self.part(op, cast.static_offsets[0], cast.sizes)
        elif op.name == memref.Copy.NAME:
            values[op.operands[1]].write(values[op.operands[0]].read())
        elif op.name == tloop.LaunchInto.NAME:
            self.launch(tloop.LaunchInto(op))
        else:
            assert op.name in (tloop.Check.NAME, "func.return"), op.name

    def shape(self, type_: ir.MemRefType, dynamic: Sequence[ir.Value]) -> tuple[int, ...]:
        """The sizes of a buffer."""
        rest = iter(dynamic)
        return tuple(
            self.values[next(rest)] if type_.is_dynamic_dim(axis) else size
            for axis, size in enumerate(type_.shape)
        )

    def allocate(self, op: ir.Operation) -> None:
        """Allocates stale elements; those of an arena have one byte."""
        shape = self.shape(ir.MemRefType(op.result.type), list(op.operands))
        if str(ir.MemRefType(op.result.type).element_type) == "i8":
            shape = (shape[0] // ITEM,)
        self.values[op.result] = Memory([STALE] * prod(shape), 0, shape)
        if OUTPUT in op.attributes:
            self.outputs[op.attributes[OUTPUT].value] = self.values[op.result]

    def part(self, op: ir.Operation, shift: int, dynamic: Sequence[ir.Value]) -> None:
        """Makes the part of a buffer `shift` elements after its begin."""
        whole, shape = self.values[op.operands[0]], self.shape(ir.MemRefType(op.result.type), list(dynamic))
        self.values[op.result] = Memory(whole.elements, whole.begin + shift, shape)

    def launch(self, op: tloop.LaunchInto) -> None:
        """Runs a kernel, which reads all operands before it writes its results."""
        buffers = [self.values[value] for value in buffers_and_dims(op.operation)[0]]
        count = op.num_outputs
        read = [buffer.read() for buffer in buffers[:-count]]
        assert not any(STALE in elements for elements in read)
        for buffer in buffers[-count:]:
            buffer.write(symbols(op.kernel, read, prod(buffer.shape)))
