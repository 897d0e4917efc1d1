"""Builds a host function on buffers from the one on tensors and its memory plan.

Where sizes are dynamic the function computes them, and allocates the arena; others are allocated
before the first op that needs them, and released after the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mlc.bindings import address, arith, func, gpu, ir, memref, parent_op
from mlc.dialects import graph, tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import parse_size
from mlc.dialects.tloop import build_data_check, build_launch_into
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.kernel_functions import DIMS
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.shapes.size_assumptions import who
from mlc.passes.host.common.description import CALLER, OUTPUT, describe
from mlc.passes.host.memory.allocations import Allocations
from mlc.passes.host.memory.arena import ArenaPlan, lower_bound
from mlc.passes.host.memory.buffers import (
    BufferSlice,
    PlannedBuffer,
    build_on_buffers,
    memref_of,
    memref_type,
    sizes_of,
    tensor_bytes,
)
from mlc.passes.host.program.bodies import BodyBuilder
from mlc.passes.host.program.offsets import build_arena
from mlc.passes.host.program.size_ops import SizeOps, describe_op, describe_sizes
from mlc.passes.host.program.size_values import SizeValues, reinterpret

# On a copy that replaces a transfer: the device to which it copies.
TRANSFER = tloop.Transfer.NAME


@dataclass(frozen=True)
class Memory:
    """A buffer is the whole of `base`, which has these sizes, or begins `offset` bytes after the begin of
    the arena, a constant or a value."""

    base: ir.Value
    sizes: Sequence[int | Size] = ()
    offset: int | ir.Value | None = None

    def add(self, begin: int) -> tuple[ir.Value | None, int]:
        """The offset of a part that begins `begin` bytes after the buffer: a computed and a constant term."""
        if isinstance(self.offset, ir.Value):
            return self.offset, begin
        return None, (self.offset or 0) + begin


class HostRewriter:
    """Builds the function on buffers next to the one on tensors."""

    def __init__(self, function: ir.Operation, allocations: Allocations, plan: ArenaPlan) -> None:
        self.function = function
        self.allocations = allocations
        self.plan = plan
        self.block = func.Func(function).entry_block
        self.memory: dict[PlannedBuffer, Memory] = {}
        self.views: dict[tuple[object, ...], ir.Value] = {}
        # The transfers in flight, by the step that waits for them.
        self.started: dict[int, list[ir.Value]] = {}
        self.sizes = SizeValues()
        self.bodies, self.size_ops = BodyBuilder(self), SizeOps(self)
        # What is allocated before an op, and released after it, by the op's address; the same of the arena.
        self.begins: dict[int, list[PlannedBuffer]] = {}
        self.ends: dict[int, list[PlannedBuffer]] = {}
        self.arena_begin = self.arena_end = 0

    def build(self) -> ir.Operation:
        """Builds the new function before the old one."""
        old, allocations = self.function, self.allocations
        weights = [value for op in allocations.weights for value in op.results]
        size = 0 if allocations.allocates else self.plan.size
        function, (inputs, outputs, given, (arena,)) = build_on_buffers(old, weights, size)
        arguments = {"input": inputs, "output": outputs, "weight": given}
        for root in allocations.roots():
            role, index = root.argument or ("", 0)
            if role in ("input", "weight") or (role and not allocations.allocates):
                self.memory[root] = Memory(arguments[role][index], sizes_of(root.value))
        with ir.InsertionPoint(function.entry_block), old.location:
            if allocations.allocates:
                self.size_ops.name_dims(inputs)
                self.find_allocations()
            else:
                self.put_into_arena(arena, self.plan.offsets)
            self.rewrite_all(self.block)
            self.leave(self.block)
            func.ReturnOp([])
        self.describe(function.operation)
        return function.operation

    def put_into_arena(self, arena: ir.Value, offsets: Sequence[int] | Sequence[ir.Value]) -> None:
        """Sets the memory of the arena's buffers."""
        for root, offset in zip(self.allocations.arena(), offsets, strict=True):
            self.memory[root] = Memory(arena, offset=offset)

    def find_allocations(self) -> None:
        """Finds where buffers are allocated and released."""
        for root in self.allocations.roots():
            is_input = root.argument is not None and root.argument[0] != "output"
            if not (is_input or root.received):
                self.begins.setdefault(address(self.allocations.ops[root.first]), []).append(root)
            if root.argument is None and not (root.given or self.allocations.is_in_arena(root)):
                last = self.op_in(self.allocations.block_of(root), root.last)
                self.ends.setdefault(address(last), []).append(root)
        arena = self.allocations.arena()
        if arena:
            first, last = min(root.first for root in arena), max(root.last for root in arena)
            self.arena_begin = address(self.op_in(self.block, first))
            self.arena_end = address(self.op_in(self.block, last))

    def op_in(self, block: ir.Block, step: int) -> ir.Operation:
        """Returns the op of a block that is at a step, or that has the op at this step in a body."""
        op = self.allocations.ops[step]
        while op.block != block:
            above = parent_op(op)
            assert above is not None, "a buffer is live in its block and in the bodies of its ops"
            op = above
        return op

    def rewrite_all(self, block: ir.Block) -> None:
        """Rewrites the ops of a block, but what its last op does."""
        for op in [op.operation for op in block.operations]:
            step = self.allocations.steps.of(op)
            self.wait(op, step)
            with op.location, self.sizes.named_by(self.name_of(op)):
                self.allocate_for(op)
                self.rewrite(op, step)
                if op != terminator_of(block):
                    self.release_after(op)

    def leave(self, block: ir.Block) -> list[ir.Value]:
        """Builds the end of a block; returns the memory that it passes on."""
        end = terminator_of(block)
        with end.location, self.sizes.named_by(self.name_of(end)):
            self.move_values(end)
            passed = self.take_passed(end)
            self.release_after(end)
        return passed

    def wait(self, op: ir.Operation, step: int) -> None:
        """Waits for the transfers that the op needs."""
        for token in self.started.get(step, ()):
            gpu.WaitOp(None, [token], loc=op.location)

    def rewrite(self, op: ir.Operation, step: int) -> None:
        """Builds the op on buffers at the insertion point; nothing for views and constants."""
        if op.name == tloop.Launch.NAME:
            self.launch(op)
        elif op.name in tloop.EXPECTATIONS:
            (data,) = op.operands
            build_data_check(op, self.buffer(data), sizes_of(data), self.sizes.of)
        elif op.name == tloop.Transfer.NAME:
            self.transfer(op, step)
        elif op.name == graph.Concat.NAME:
            self.move_values(op)
        elif op.name in graph.CONTROL_OPS:
            self.bodies.build(op)
        else:
            self.size_ops.rewrite(op)

    def launch(self, op: ir.Operation) -> None:
        """Builds a launch."""
        inputs = [self.buffer(value) for value in op.operands]
        outputs = [self.buffer(value) for value in op.results]
        texts = [text.value for text in op.attributes[DIMS]] if DIMS in op.attributes else []
        dims = [self.sizes.of(parse_size(text)) for text in texts]
        build_launch_into(tloop.Launch(op).kernel, inputs, outputs, dims)

    def transfer(self, op: ir.Operation, step: int) -> None:
        """Builds the copy of a transfer, an asynchronous one if launches run before its wait."""
        transfer = tloop.Transfer(op)
        source, target = self.buffer(transfer.operand), self.buffer(transfer.copy)
        if step not in self.allocations.waits:
            copy = memref.CopyOp(source, target)
        else:
            copy = gpu.MemcpyOp(ir.Type.parse("!gpu.async.token"), [], target, source)
            self.started.setdefault(self.allocations.waits[step], []).append(copy.asyncToken)
        copy.attributes[TRANSFER] = ir.StringAttr.get(transfer.to)

    def move_values(self, op: ir.Operation) -> None:
        """Copies values that could not be written in place, such as operands of a concatenation."""
        for move in self.allocations.moves.get(address(op), ()):
            with self.bodies.unless_empty(move.target.rows):
                source = self.buffer(move.value)
                memref.CopyOp(source, self.view(move.target, move.value))

    def take_passed(self, op: ir.Operation) -> list[ir.Value]:
        """Returns the memory that an op gives to control flow, cast to the types of what receives it."""
        result = []
        for passed in self.allocations.passed.get(address(op), ()):
            buffer = self.view(BufferSlice(passed.buffer), passed.value)
            type_ = memref_of(passed.receiver.type)
            result.append(buffer if buffer.type == type_ else memref.CastOp(type_, buffer).result)
        return result

    def receivers(self, values: Iterable[ir.Value]) -> list[ir.Value]:
        """Returns those of the values that receive memory from control flow."""
        return [value for value in values if self.allocations.bodies.is_received(value)]

    def receive(self, values: Iterable[ir.Value], memory: Sequence[ir.Value]) -> None:
        """Sets the memory that values receive from control flow."""
        for value, base in zip(self.receivers(values), memory, strict=True):
            self.memory[self.allocations.where(value).buffer] = Memory(base, sizes_of(value))

    def allocate_for(self, op: ir.Operation) -> None:
        """Allocates the buffers that are live from the op on."""
        if address(op) == self.arena_begin:
            self.put_into_arena(*build_arena(self.allocations, self.plan, self.sizes.names()))
        for root in self.begins.get(address(op), ()):
            made = self.view(BufferSlice(root), root.value) if root in self.memory else self.allocate(root)
            if not ir.MemRefType(made.type).has_static_shape:
                # The call fails if no memory can hold the buffer, in the arena as elsewhere.
                made.owner.attributes[CALLER] = ir.StringAttr.get(self.sizes.who)

    def allocate(self, root: PlannedBuffer) -> ir.Value:
        """Allocates a buffer, or the memory of an output."""
        _, output = root.argument or ("", None)
        value = root.value if output is None else self.allocations.returned[output]
        sizes = sizes_of(value)
        made = memref.AllocOp(memref_of(value.type), self.sizes.dynamic(sizes), [])
        if output is not None:
            made.operation.attributes[OUTPUT] = i64_attribute(output)
        self.memory[root] = Memory(made.memref, sizes)
        return made.memref

    def release_after(self, op: ir.Operation) -> None:
        """Releases the buffers that are not needed after the op."""
        for root in self.ends.get(address(op), ()):
            memref.DeallocOp(self.memory[root].base)
        if address(op) == self.arena_end:
            memref.DeallocOp(self.memory[self.allocations.arena()[0]].base)

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value, in the value's own shape."""
        return self.view(self.allocations.spans[value], value)

    def view(self, part: BufferSlice, value: ir.Value, sizes: Sequence[int | Size] = ()) -> ir.Value:
        """A part of a buffer as a memref of a value's element type, in the value's shape if there are no
        other `sizes`."""
        part, sizes, element = part.in_root(), sizes or sizes_of(value), value.type.element_type
        memory = self.memory[part.buffer]
        key = (memory.base, memory.add(part.begin), part.rows, str(element), *sizes)
        if key not in self.views:
            make = self.whole_view if memory.offset is None else self.arena_view
            self.views[key] = make(memory, part, memref_type(element, sizes), sizes)
        return self.views[key]

    def arena_view(
        self, memory: Memory, part: BufferSlice, type_: ir.MemRefType, sizes: Sequence[int | Size]
    ) -> ir.Value:
        """Builds a view of the arena."""
        offset = memory.offset
        if isinstance(offset, int):
            offset = self.bodies.row_offset(part.rows, 1, part.begin + offset)
        elif part.begin or part.rows:
            offset = arith.AddIOp(offset, self.bodies.row_offset(part.rows, 1, part.begin)).result
        return memref.ViewOp(type_, memory.base, offset, self.sizes.dynamic(sizes)).result

    def whole_view(
        self, memory: Memory, part: BufferSlice, type_: ir.MemRefType, sizes: Sequence[int | Size]
    ) -> ir.Value:
        """Builds a view of an argument of the function, or of a separate allocation."""
        if memory.base.type == type_ and [*memory.sizes] == [*sizes] and part.is_begin:
            return memory.base
        width = element_bytes(str(type_.element_type))
        offset: int | ir.Value = part.begin // width
        if part.rows:
            offset = self.bodies.row_offset(part.rows, width, offset)
        return reinterpret(self.sizes, memory.base, type_, sizes, offset)

    def name_of(self, op: ir.Operation) -> str:
        """The name of an op in messages of a call that fails; the end of a body is the op that holds it."""
        if not self.allocations.allocates or func.Return.isa(op):
            return ""
        named = parent_op(op) if op.name == graph.Yield.NAME else op
        return who(named, describe_op(named))

    def describe(self, function: ir.Operation) -> None:
        """Sets the attributes that the compiler needs to call the function, and statistics of its memory."""
        allocations, arena = self.allocations, (0, 0, 0)
        if not allocations.allocates:
            launches = [op for op in allocations.ops if op.name == tloop.Launch.NAME]
            unshared = sum(tensor_bytes(value) for op in launches for value in op.results)
            arena = self.plan.size, lower_bound(allocations.lifetimes()), unshared
        names = ("arena_bytes", "arena_lower_bound", "unshared_bytes")
        statistics = {
            "num_inputs": len(allocations.arguments),
            "num_outputs": len(allocations.returned),
            **dict(zip(names, arena, strict=True)),
        }
        strategy = "run time" if allocations.allocates else self.plan.strategy
        describe(function, statistics, strategy, allocations.weights)
        if allocations.allocates:
            describe_sizes(function, self.function, allocations.returned)
