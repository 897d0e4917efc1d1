"""Builds a host function with dynamic sizes on buffers, which allocates memory at run time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mlc.bindings import arith, cf, func, ir, memref
from mlc.dialects import graph, tloop
from mlc.dialects.graph.elements import onnx_element_type
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import parse_size
from mlc.dialects.tloop import build_data_check, build_launch_into
from mlc.passes.base import PassError
from mlc.passes.common.constants import index_constant
from mlc.passes.common.kernel_functions import DIMS
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.views import is_view, joined_offsets, view_offset
from mlc.passes.graph.shapes.size_assumptions import who
from mlc.passes.host.common.description import CALLER, RUNTIME_PREFIX, PlanAttributes, describe
from mlc.passes.host.memory.allocations import REFERENCES
from mlc.passes.host.memory.buffers import build_on_buffers
from mlc.passes.host.sized.control import SizedControlBuilder
from mlc.passes.host.sized.lifetimes import BlockAllocations, Lifetimes
from mlc.passes.host.sized.offsets import assign_offsets
from mlc.passes.host.sized.size_values import (
    SizeValues,
    elements_of,
    flatten,
    input_names,
    reinterpret,
    sizes_of,
)
from mlc.passes.host.sized.storage import Storage


def describe_sized(
    function: ir.Operation, old: ir.Operation, returned: Sequence[ir.Value], weights: Sequence[ir.Operation]
) -> None:
    """Sets the attributes of a function on buffers that was built from `old`, which returns `returned`."""
    names = input_names(old)
    statistics = {
        "num_inputs": len(names),
        "num_outputs": len(returned),
        "arena_bytes": 0,
        "arena_lower_bound": 0,
        "unshared_bytes": 0,
    }
    describe(function, statistics, "run time", weights)
    shapes = [[str(dim) if not isinstance(dim, int) else "" for dim in sizes_of(v)] for v in returned]
    dims = dict.fromkeys(name for shape in names for name in shape if name)
    plan = PlanAttributes(function)
    plan.dims = tuple(dims)
    plan.input_shapes, plan.output_shapes = ([_texts(shape) for shape in side] for side in (names, shapes))


def _texts(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


_WANTED = {
    "equal": "{0} must be {1}",
    "broadcast": "{0} must be 1 or {1}",
    "at_least": "{0} must be at least {1}",
}


class SizedFunction:
    """Builds the function on buffers next to the one on tensors. `in_place` lists the operands that each
    kernel may overwrite."""

    def __init__(self, function: ir.Operation, in_place: Mapping[str, Sequence[int]]) -> None:
        self.function = function
        self.block = func.Func(function).entry_block
        self.sizes = SizeValues()
        self.storage = Storage(self.block, self.sizes, in_place)
        self.control = SizedControlBuilder(self)

    def build(self) -> ir.Operation:
        """Builds the new function before the old one."""
        old, returned = self.function, list(terminator_of(self.block).operands)
        references = [op.operation for op in self.block if op.operation.name in REFERENCES]
        weights = [op.results[0] for op in references]
        made, (inputs, _, given, _) = build_on_buffers(old, weights)
        values = [*self.block.arguments, *weights]
        self.storage.buffers.update(zip(values, [*inputs, *given], strict=True))
        with ir.InsertionPoint(made.entry_block), old.location:
            self.name_dims(inputs)
            dims = self.sizes.names()
            memory = self.body(self.block)
            self.storage.copy_outputs(returned, memory)
            func.ReturnOp([])
        assign_offsets(made.entry_block, self.storage.bytes, dims)
        describe_sized(made.operation, old, returned, references)
        return made.operation

    def name_dims(self, arguments: Sequence[ir.Value]) -> None:
        """Sets the values of named dims to the sizes of arguments."""
        for argument, names in zip(arguments, input_names(self.function), strict=True):
            for axis, name in enumerate(names):
                if name and name not in self.sizes.names():
                    self.sizes.name(name, memref.DimOp(argument, index_constant(axis)).result)

    def body(self, block: ir.Block) -> BlockAllocations:
        """Rewrites the ops of a block but its last one; returns the memory that is still allocated then."""
        memory = BlockAllocations(Lifetimes(block))
        for step, op in enumerate(memory.lifetimes.ops[:-1]):
            with op.location, self.sizes.named_by(who(op, _describe(op))):
                self.rewrite(op, step, memory)
                for buffer in memory.dead_after(step):
                    memref.DeallocOp(buffer)
        return memory

    def rewrite(self, op: ir.Operation, step: int, memory: BlockAllocations) -> None:
        """Builds an op on buffers. Raises PassError for ops that a host function cannot hold."""
        if op.name == tloop.Launch.NAME:
            self.launch(op, step, memory)
        elif op.name == tloop.SizeValues.NAME:
            self.write_sizes(tloop.SizeValues(op), memory)
        elif op.name == tloop.ReadSizes.NAME:
            self.read_sizes(tloop.ReadSizes(op))
        elif op.name == tloop.Expect.NAME:
            self.expect(tloop.Expect(op))
        elif op.name in tloop.EXPECTATIONS:
            (data,) = op.operands
            build_data_check(op, self.storage.buffer(data), sizes_of(data), self.sizes.of)
        elif op.name == graph.CallRuntime.NAME:
            self.call_runtime(graph.CallRuntime(op), memory)
        elif op.name == graph.Check.NAME:
            self.check(graph.Check(op), memory)
        elif op.name in graph.CONTROL_OPS:
            self.control.build(op, step, memory)
        elif is_view(op):
            self.view(op)
        elif op.name == graph.Concat.NAME and joined_offsets(op) is not None:
            self.join(op, memory)
        elif op.name not in (*REFERENCES, graph.Constant.NAME):
            raise PassError(f"a host function with dynamic sizes cannot hold '{op.name}'", op.location)

    def launch(self, op: ir.Operation, step: int, memory: BlockAllocations) -> None:
        """Allocates the results of a launch, and builds it on buffers."""
        inputs = [self.storage.buffer(value) for value in op.operands]
        outputs = [self.storage.result(op, value, step, memory) for value in op.results]
        texts = [text.value for text in op.attributes[DIMS]] if DIMS in op.attributes else []
        dims = [self.sizes.of(parse_size(text)) for text in texts]
        build_launch_into(tloop.Launch(op).kernel, inputs, outputs, dims)

    def write_sizes(self, op: tloop.SizeValues, memory: BlockAllocations) -> None:
        """Stores sizes to a tensor."""
        result = op.result
        flat = self.flat(result, self.storage.new(result, memory))
        for index, text in enumerate(op.dims):
            stored = arith.IndexCastOp(result.type.element_type, self.sizes.of(parse_size(text))).result
            memref.StoreOp(stored, flat, [index_constant(index)])

    def read_sizes(self, op: tloop.ReadSizes) -> None:
        """Reads the values of names from a tensor, and checks that they are not negative."""
        flat = self.flat(op.operand, self.storage.buffer(op.operand))
        for index, name in enumerate(op.names):
            if name:
                element = memref.LoadOp(flat, [index_constant(index)]).result
                size = arith.IndexCastOp(ir.IndexType.get(), element).result
                wanted = _WANTED["at_least"].format(name, 0)
                self.sizes.check(size, index_constant(0), "at_least", wanted)
                self.sizes.name(name, size)

    def flat(self, value: ir.Value, buffer: ir.Value) -> ir.Value:
        """Casts the buffer of a value to a vector."""
        return reinterpret(self.sizes, buffer, flatten(value.type), [elements_of(value)])

    def expect(self, op: tloop.Expect) -> None:
        """Checks a relation of two sizes."""
        texts = (op.left, op.right)
        with self.sizes.named_by(op.what):
            left, right = (self.sizes.of(parse_size(text)) for text in texts)
            fault = "" if op.fault is None else f"{op.fault}: "
            self.sizes.check(left, right, op.relation, fault + _WANTED[op.relation].format(*texts))

    def call_runtime(self, op: graph.CallRuntime, memory: BlockAllocations) -> None:
        """Calls the C runtime, with the arguments that runtime/csrc/objects/object_calls.h describes."""
        inputs = [self.storage.buffer(value) for value in op.values]
        output = self.storage.new(op.result, memory)
        arguments: list[int | Size] = [*op.options]
        for value in (*op.values, op.result):
            sizes = sizes_of(value)
            arguments += [onnx_element_type(str(value.type.element_type)), len(sizes), *sizes]
        dims = [self.sizes.of(argument) for argument in arguments]
        launch = build_launch_into(RUNTIME_PREFIX + op.function, inputs, [output], dims)
        launch.attributes[CALLER] = ir.StringAttr.get(self.sizes.who)

    def check(self, op: graph.Check, memory: BlockAllocations) -> None:
        """Lets the call fail with the op's message, or go on with a copy of the operand."""
        cf.AssertOp(memref.LoadOp(self.storage.buffer(op.truth), []), op.message)
        self.storage.copy(op.x, self.storage.new(op.result, memory))

    def view(self, op: ir.Operation) -> None:
        """Makes the result of a view a part of the operand's memory."""
        source, result = op.operands[0], op.results[0]
        if source in self.storage.buffers:
            offset = view_offset(op) or 0
            self.storage.buffers[result] = reinterpret(
                self.sizes, self.storage.buffer(source), result.type, sizes_of(result), offset
            )

    def join(self, op: ir.Operation, memory: BlockAllocations) -> None:
        """Copies the operands of a concatenation to its result."""
        result, offsets = graph.Concat(op).result, joined_offsets(op) or ()
        whole = self.storage.new(result, memory)
        for value, offset in zip(op.operands, offsets, strict=True):
            self.storage.copy(value, whole, offset)


def _describe(op: ir.Operation) -> str:
    """The name of an op in messages; "" for those that no user knows."""
    if op.name in (tloop.ReadSizes.NAME, tloop.SizeValues.NAME):
        return ""
    if tloop.Launch.isa(op):
        # A kernel's name ends in a hash of what it computes.
        return re.sub("_[0-9a-f]{12}$", "", tloop.Launch(op).kernel)
    if graph.CallRuntime.isa(op):
        return str(graph.CallRuntime(op).function)
    return op.name.partition(".")[2]
