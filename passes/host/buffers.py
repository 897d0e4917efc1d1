"""Builds a host function on buffers from the one on tensors and its memory plan.

Control flow becomes `scf` ops around launches; trip counts and conditions that are no constants are read from
buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mlc.bindings import address, arith, func, gpu, ir, memref, scf
from mlc.dialects import graph, tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.tloop import build_data_check, build_launch_into
from mlc.passes.common.constants import i1, i64, index_constant, integer_constant
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.values import splat
from mlc.passes.graph.control_flow.bodies import IF, body_of, yields
from mlc.passes.graph.control_flow.loop_rules import GraphLoop
from mlc.passes.host.common.description import describe
from mlc.passes.host.common.scalars import build_while, read_index, read_scalar
from mlc.passes.host.memory.allocations import Allocations
from mlc.passes.host.memory.arena import ArenaPlan, lower_bound
from mlc.passes.host.memory.bodies import is_stored
from mlc.passes.host.memory.buffers import (
    BufferCopy,
    BufferSlice,
    MovingRow,
    PlannedBuffer,
    build_on_buffers,
    memref_of,
    tensor_bytes,
)
from mlc.passes.loops.kernel_entry import row_major_strides


class BodyBuilder:
    """Builds control flow for a host function's rewriter, which builds the bodies."""

    def __init__(self, host: HostRewriter) -> None:
        self.host = host
        # The index of the present iteration, by the body's argument.
        self.iterations: dict[ir.Value, ir.Value] = {}
        self.rows: dict[MovingRow, ir.Value] = {}

    def build(self, op: ir.Operation) -> None:
        """Builds `scf` ops at the insertion point for an `if` or a `loop`."""
        if op.name == IF:
            self.build_branches(op)
            return
        loop = GraphLoop(op)
        self.host.move_values(op)
        if is_steady(loop):
            self.build_for(loop)
        else:
            self.build_while(loop)

    def build_branches(self, op: ir.Operation) -> None:
        """Builds an `scf.if`."""
        made = scf.IfOp(read_scalar(graph.If(op).condition, self.host.buffer), has_else=True)
        for index, block in enumerate((made.then_block, made.else_block)):
            with self.inside(block):
                self.host.rewrite_all(body_of(op, index))
                self.host.move_values(terminator_of(body_of(op, index)))
                scf.YieldOp([])

    def build_for(self, loop: GraphLoop) -> None:
        """Builds an `scf.for`, for a loop that ends at its trip count."""
        made = scf.ForOp(index_constant(0), self.trip_count(loop), index_constant(1))
        with self.inside(made.body):
            self.body(loop, made.induction_variable)
            scf.YieldOp([])

    def trip_count(self, loop: GraphLoop) -> ir.Value:
        """Returns the trip count, 0 if the condition does not hold at first."""
        view = graph.Loop(loop.op)
        trips, first = read_index(view.trip_count, self.host.buffer), splat(view.condition)
        if first is not None and first:
            return trips
        return arith.SelectOp(read_scalar(view.condition, self.host.buffer), trips, index_constant(0)).result

    def build_while(self, loop: GraphLoop) -> None:
        """Builds an `scf.while`, for a loop whose body computes the condition."""
        view = graph.Loop(loop.op)
        trips = read_index(view.trip_count, self.host.buffer)
        first = read_scalar(view.condition, self.host.buffer)
        _, after = build_while(trips, first)
        with self.inside(after):
            index = after.arguments[0]
            going = self.body(loop, index)
            following = arith.AddIOp(index, index_constant(1)).result
            scf.YieldOp([following, going])

    def body(self, loop: GraphLoop, index: ir.Value) -> ir.Value:
        """Builds the iteration `index`; returns whether there may be another."""
        iteration, condition = list(loop.body.arguments)[:2]
        self.iterations[iteration] = index
        if is_stored(iteration):
            count = arith.IndexCastOp(i64(), index).result
            memref.StoreOp(count, self.host.buffer(iteration), [])
        if is_stored(condition):
            memref.StoreOp(integer_constant(i1(), True), self.host.buffer(condition), [])
        self.host.rewrite_all(loop.body)
        # Read before the carried values change.
        again = yields(loop.body)[0]
        going = integer_constant(i1(), True) if is_steady(loop) else read_scalar(again, self.host.buffer)
        self.host.move_values(terminator_of(loop.body))
        return going

    @contextmanager
    def inside(self, block: ir.Block) -> Iterator[None]:
        """Builds in a block; views that are built there are not used outside."""
        views, rows = dict(self.host.views), dict(self.rows)
        with ir.InsertionPoint(block):
            yield
        self.host.views, self.rows = views, rows

    def row_offset(self, rows: Sequence[MovingRow], width: int, begin: int) -> ir.Value:
        """Returns the offset, in units of `width` bytes, of a part that begins `begin` units after `rows`."""
        offset = index_constant(begin)
        for row in rows:
            stride = index_constant(row.size // width)
            offset = arith.AddIOp(offset, arith.MulIOp(self.row(row), stride).result).result
        return offset

    def row(self, row: MovingRow) -> ir.Value:
        """Returns the index of a row."""
        if row not in self.rows:
            index = self.iterations[row.iteration]
            if row.step < 0:
                index = arith.SubIOp(index_constant(row.first), index).result
            elif row.first:
                index = arith.AddIOp(index_constant(row.first), index).result
            last = index_constant(row.count - 1)
            self.rows[row] = arith.MinUIOp(index, last).result
        return self.rows[row]


def is_steady(loop: GraphLoop) -> bool:
    """Whether a loop's condition, once it holds, holds to the end."""
    again = yields(loop.body)[0]
    constant = splat(again)
    return again == loop.body.arguments[1] or (constant is not None and bool(constant))


# On a copy that replaces a transfer: the device to which it copies.
TRANSFER = tloop.Transfer.NAME


class HostRewriter:
    """Builds the function on buffers next to the one on tensors."""

    def __init__(self, function: ir.Operation, allocations: Allocations, plan: ArenaPlan) -> None:
        self.function = function
        self.allocations = allocations
        self.plan = plan
        roots = allocations.roots()
        self.offsets: dict[PlannedBuffer, int] = dict(zip(roots, plan.offsets, strict=True))
        self.views: dict[tuple[object, ...], ir.Value] = {}
        self.arguments: dict[str, list[ir.Value]] = {}
        # The transfers in flight, by the step that waits for them.
        self.started: dict[int, list[ir.Value]] = {}
        self.bodies = BodyBuilder(self)

    def build(self) -> ir.Operation:
        """Builds the new function before the old one."""
        old, weights = self.function, [value for op in self.allocations.weights for value in op.results]
        function, arguments = build_on_buffers(old, weights, self.plan.size)
        self.arguments = dict(zip(("input", "output", "weight", "arena"), arguments, strict=True))
        with ir.InsertionPoint(function.entry_block):
            self.rewrite_all(func.Func(old).entry_block)
            func.ReturnOp([], loc=old.location)
        self.describe(function.operation)
        return function.operation

    def rewrite_all(self, block: ir.Block) -> None:
        """Rewrites the ops of a block."""
        for op in [op.operation for op in block.operations]:
            step = self.allocations.steps.of(op)
            self.wait(op, step)
            self.rewrite(op, step)

    def wait(self, op: ir.Operation, step: int) -> None:
        """Waits for the transfers that the op needs."""
        for token in self.started.get(step, ()):
            gpu.WaitOp(None, [token], loc=op.location)

    def rewrite(self, op: ir.Operation, step: int) -> None:
        """Builds the op on buffers at the insertion point; nothing for views and constants."""
        with op.location:
            if op.name == tloop.Launch.NAME:
                inputs = [self.buffer(value) for value in op.operands]
                outputs = [self.buffer(value) for value in op.results]
                build_launch_into(tloop.Launch(op).kernel, inputs, outputs)
            elif op.name in tloop.EXPECTATIONS:
                (data,) = op.operands
                build_data_check(op, self.buffer(data), data.type.shape, index_constant)
            elif op.name == tloop.Transfer.NAME:
                self.transfer(op, step)
            elif op.name == graph.Concat.NAME:
                self.move_values(op)
            elif op.name in graph.CONTROL_OPS:
                self.bodies.build(op)

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
        """Copies values that could not be written in place: operands of a concatenation, values of a body."""
        for move in self.allocations.moves.get(address(op), ()):
            memref.CopyOp(self.buffer(move.value), self.target(move))

    def target(self, move: BufferCopy) -> ir.Value:
        """The part of a buffer to which a value is copied."""
        width = element_bytes(str(move.target.type.element_type))
        rows = [move.row] if move.row else []
        part = self.allocations.spans[move.target].part(move.offset * width, *rows)
        return self.view(part.in_root(), memref_of(move.value.type))

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value, in the value's own shape."""
        return self.view(self.allocations.where(value), memref_of(value.type))

    def view(self, part: BufferSlice, type_: ir.MemRefType) -> ir.Value:
        """The part of a buffer, as a memref of a type."""
        role, index = part.buffer.argument or ("arena", 0)
        begin = part.begin + self.offsets.get(part.buffer, 0)
        key = (role, index, begin, part.rows, str(type_))
        if key not in self.views:
            make = self.arena_view if role == "arena" else self.argument_view
            self.views[key] = make(self.arguments[role][index], begin, part, type_)
        return self.views[key]

    def arena_view(self, arena: ir.Value, begin: int, part: BufferSlice, type_: ir.MemRefType) -> ir.Value:
        """Builds a view of the arena."""
        offset = self.bodies.row_offset(part.rows, 1, begin) if part.rows else index_constant(begin)
        return memref.ViewOp(type_, arena, offset, []).result

    def argument_view(
        self, source: ir.Value, begin: int, part: BufferSlice, type_: ir.MemRefType
    ) -> ir.Value:
        """Builds a view of an argument of the function."""
        if source.type == type_ and not begin and not part.rows:
            return source
        width = element_bytes(str(type_.element_type))
        shape, offset = list(type_.shape), begin // width
        strides = row_major_strides(shape)
        static = ir.ShapedType.get_dynamic_stride_or_offset() if part.rows else offset
        if static:
            layout = ir.StridedLayoutAttr.get(static, strides)
            type_ = ir.MemRefType.get(shape, type_.element_type, layout)
        offsets = [self.bodies.row_offset(part.rows, width, offset)] if part.rows else []
        return memref.ReinterpretCastOp(type_, source, offsets, [], [], [static], shape, strides).result

    def describe(self, function: ir.Operation) -> None:
        """Sets the attributes that the compiler needs to call the function, and statistics of its memory."""
        launches = [op for op in self.allocations.ops if op.name == tloop.Launch.NAME]
        statistics = {
            "num_inputs": len(self.arguments["input"]),
            "num_outputs": len(self.arguments["output"]),
            "arena_bytes": self.plan.size,
            "arena_lower_bound": lower_bound(self.allocations.lifetimes()),
            "unshared_bytes": sum(tensor_bytes(value) for op in launches for value in op.results),
        }
        describe(function, statistics, self.plan.strategy, self.allocations.weights)
