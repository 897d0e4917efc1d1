"""A host function on buffers, built from the one on tensors and its memory plan.

Control flow of a host function on buffers: `scf` ops around launches.

Numbers of iterations and conditions are read from buffers where no constant says them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mlc.bindings import address, arith, func, gpu, ir, memref, scf
from mlc.dialects import graph, tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.tloop import build_launch_into
from mlc.passes.common.constants import i1, i8, i64, index_constant, integer_constant
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.graph.common.values import splat
from mlc.passes.graph.control_flow.bodies import IF, body_of, yields
from mlc.passes.graph.control_flow.loop_rules import Loop
from mlc.passes.host.common.description import describe
from mlc.passes.host.common.scalars import index_held, scalar_held
from mlc.passes.host.memory.allocations import Allocations
from mlc.passes.host.memory.arena import ArenaPlan, lower_bound
from mlc.passes.host.memory.bodies import is_stored
from mlc.passes.host.memory.buffers import BufferCopy, BufferSlice, MovingRow, PlannedBuffer, tensor_bytes
from mlc.passes.loops.kernel_entry import row_major_strides


class BodyBuilder:
    """Builds control flow for a host function's rewriter, which builds what is in the bodies."""

    def __init__(self, host: HostRewriter) -> None:
        self.host = host
        # The number of the present run, by the body's argument.
        self.iterations: dict[ir.Value, ir.Value] = {}
        self.rows: dict[MovingRow, ir.Value] = {}

    def build(self, op: ir.Operation) -> None:
        """`scf` ops at the insertion point for an `if` or a `loop`."""
        if op.name == IF:
            self.branches(op)
            return
        loop = Loop(op)
        self.host.move_values(op)
        if is_steady(loop):
            self.counted(loop)
        else:
            self.conditional(loop)

    def branches(self, op: ir.Operation) -> None:
        made = scf.IfOp(self.scalar(op.operands[0]), has_else=True)
        for place, block in enumerate((made.then_block, made.else_block)):
            with self.inside(block):
                self.host.rewrite_all(body_of(op, place))
                self.host.move_values(terminator_of(body_of(op, place)))
                scf.YieldOp([])

    def counted(self, loop: Loop) -> None:
        """A loop of which nothing but its number of runs says when it ends."""
        made = scf.ForOp(index_constant(0), self.runs(loop), index_constant(1))
        with self.inside(made.body):
            self.body(loop, made.induction_variable)
            scf.YieldOp([])

    def runs(self, loop: Loop) -> ir.Value:
        """The number of runs, 0 where the condition does not hold at first."""
        trips, first = self.number(loop.op.operands[0]), splat(loop.op.operands[1])
        if first is not None and first:
            return trips
        return arith.SelectOp(self.scalar(loop.op.operands[1]), trips, index_constant(0)).result

    def conditional(self, loop: Loop) -> None:
        """A loop whose body says whether it runs again."""
        trips, first = self.number(loop.op.operands[0]), self.scalar(loop.op.operands[1])
        kinds = [ir.IndexType.get(), i1()]
        made = scf.WhileOp(kinds, [index_constant(0), first])
        before, after = made.before.blocks.append(*kinds), made.after.blocks.append(*kinds)
        with ir.InsertionPoint(before):
            number, going = before.arguments
            less = arith.CmpIOp(arith.CmpIPredicate.slt, number, trips).result
            scf.ConditionOp(arith.AndIOp(less, going).result, before.arguments)
        with self.inside(after):
            number = after.arguments[0]
            going = self.body(loop, number)
            following = arith.AddIOp(number, index_constant(1)).result
            scf.YieldOp([following, going])

    def body(self, loop: Loop, number: ir.Value) -> ir.Value:
        """One run; whether there may be another."""
        iteration, condition = list(loop.body.arguments)[:2]
        self.iterations[iteration] = number
        if is_stored(iteration):
            count = arith.IndexCastOp(i64(), number).result
            memref.StoreOp(count, self.host.buffer(iteration), [])
        if is_stored(condition):
            memref.StoreOp(self.truth(True), self.host.buffer(condition), [])
        self.host.rewrite_all(loop.body)
        # Before what is carried changes.
        again = yields(loop.body)[0]
        going = self.truth(True) if is_steady(loop) else self.scalar(again)
        self.host.move_values(terminator_of(loop.body))
        return going

    @contextmanager
    def inside(self, block: ir.Block) -> Iterator[None]:
        """Builds in a block; views that are made there are for nobody outside."""
        views, rows = dict(self.host.views), dict(self.rows)
        with ir.InsertionPoint(block):
            yield
        self.host.views, self.rows = views, rows

    def scalar(self, value: ir.Value) -> ir.Value:
        return scalar_held(value, self.host.buffer)

    def number(self, value: ir.Value) -> ir.Value:
        return index_held(value, self.host.buffer)

    def truth(self, value: bool) -> ir.Value:
        return integer_constant(i1(), value)

    def moved(self, rows: Sequence[MovingRow], width: int, begin: int) -> ir.Value:
        """The place of a part that lies in rows, `begin` behind that, counted in `width` bytes."""
        place = index_constant(begin)
        for row in rows:
            stride = index_constant(row.size // width)
            place = arith.AddIOp(place, arith.MulIOp(self.row(row), stride).result).result
        return place

    def row(self, row: MovingRow) -> ir.Value:
        """The number of a row."""
        if row not in self.rows:
            number = self.iterations[row.iteration]
            if row.step < 0:
                number = arith.SubIOp(index_constant(row.first), number).result
            elif row.first:
                number = arith.AddIOp(index_constant(row.first), number).result
            last = index_constant(row.count - 1)
            self.rows[row] = arith.MinUIOp(number, last).result
        return self.rows[row]


def is_steady(loop: Loop) -> bool:
    """Whether a loop's condition, once it holds, holds to the end."""
    again = yields(loop.body)[0]
    constant = splat(again)
    return again == loop.body.arguments[1] or (constant is not None and bool(constant))


# On a copy that a transfer became: where to.
TRANSFER = tloop.Transfer.NAME


def memref_type(kind: ir.Type) -> ir.MemRefType:
    """The buffer of a tensor of static shape."""
    tensor = ir.RankedTensorType(kind)
    return ir.MemRefType.get(list(tensor.shape), tensor.element_type)


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
        # By the step that waits for them: the transfers that are under way.
        self.started: dict[int, list[ir.Value]] = {}
        self.bodies = BodyBuilder(self)

    def build(self) -> ir.Operation:
        """The new function, which stands before the old one."""
        plan, old = self.allocations, self.function
        inputs = [memref_type(value.type) for value in plan.arguments]
        outputs = [memref_type(value.type) for value in plan.returned]
        weights = [memref_type(op.results[0].type) for op in plan.weights]
        arena = ir.MemRefType.get([self.plan.size], i8())
        kind = ir.FunctionType.get([*inputs, *outputs, *weights, arena], [])
        name = old.attributes["sym_name"].value
        function = func.FuncOp(name, kind, loc=old.location, ip=ir.InsertionPoint(old))
        values = list(function.add_entry_block().arguments)
        first_weight = len(inputs) + len(outputs)
        self.arguments = {
            "input": values[: len(inputs)],
            "output": values[len(inputs) : first_weight],
            "weight": values[first_weight:-1],
            "arena": values[-1:],
        }
        with ir.InsertionPoint(function.entry_block):
            self.rewrite_all(old.regions[0].blocks[0])
            func.ReturnOp([], loc=old.location)
        self.describe(function.operation)
        return function.operation

    def rewrite_all(self, block: ir.Block) -> None:
        """Builds what stands for the ops of a block."""
        for op in [each.operation for each in block.operations]:
            step = self.allocations.steps.of(op)
            self.wait(op, step)
            self.rewrite(op, step)

    def wait(self, op: ir.Operation, step: int) -> None:
        """Waits for the transfers that the op needs."""
        for token in self.started.get(step, ()):
            gpu.WaitOp(None, [token], loc=op.location)

    def rewrite(self, op: ir.Operation, step: int) -> None:
        with op.location:
            if op.name == tloop.Launch.NAME:
                inputs = [self.buffer(value) for value in op.operands]
                outputs = [self.buffer(value) for value in op.results]
                build_launch_into(tloop.Launch(op).kernel, inputs, outputs)
            elif op.name == tloop.Transfer.NAME:
                self.transfer(op, step)
            elif op.name == graph.Concat.NAME:
                self.move_values(op)
            elif op.name in graph.CONTROL_OPS:
                self.bodies.build(op)

    def transfer(self, op: ir.Operation, step: int) -> None:
        source, target = self.buffer(op.operands[0]), self.buffer(op.results[0])
        if step not in self.allocations.waits:
            copy = memref.CopyOp(source, target)
        else:
            copy = gpu.MemcpyOp(ir.Type.parse("!gpu.async.token"), [], target, source)
            self.started.setdefault(self.allocations.waits[step], []).append(copy.results[0])
        copy.attributes[TRANSFER] = op.attributes["to"]

    def move_values(self, op: ir.Operation) -> None:
        """Copies what could not be written in place: operands of a concatenation, values of a body."""
        for move in self.allocations.moves.get(address(op), ()):
            memref.CopyOp(self.buffer(move.value), self.target(move))

    def target(self, move: BufferCopy) -> ir.Value:
        width = element_bytes(str(move.target.type.element_type))
        rows = [move.row] if move.row else []
        part = self.allocations.spans[move.target].part(move.offset * width, *rows)
        return self.view(part.in_root(), memref_type(move.value.type))

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value, in the value's own shape."""
        return self.view(self.allocations.where(value), memref_type(value.type))

    def view(self, part: BufferSlice, kind: ir.MemRefType) -> ir.Value:
        where, index = part.buffer.place or ("arena", 0)
        begin = part.begin + self.offsets.get(part.buffer, 0)
        key = (where, index, begin, part.rows, str(kind))
        if key not in self.views:
            make = self.arena_view if where == "arena" else self.argument_view
            self.views[key] = make(self.arguments[where][index], begin, part, kind)
        return self.views[key]

    def arena_view(self, arena: ir.Value, begin: int, part: BufferSlice, kind: ir.MemRefType) -> ir.Value:
        offset = self.bodies.moved(part.rows, 1, begin) if part.rows else index_constant(begin)
        return memref.ViewOp(kind, arena, offset, []).result

    def argument_view(self, source: ir.Value, begin: int, part: BufferSlice, kind: ir.MemRefType) -> ir.Value:
        if source.type == kind and not begin and not part.rows:
            return source
        width = element_bytes(str(kind.element_type))
        shape, offset = list(kind.shape), begin // width
        strides = row_major_strides(shape)
        static = ir.ShapedType.get_dynamic_stride_or_offset() if part.rows else offset
        if static:
            layout = ir.StridedLayoutAttr.get(static, strides)
            kind = ir.MemRefType.get(shape, kind.element_type, layout)
        moved = [self.bodies.moved(part.rows, width, offset)] if part.rows else []
        return memref.ReinterpretCastOp(kind, source, moved, [], [], [static], shape, strides).result

    def describe(self, function: ir.Operation) -> None:
        """What the compiler must know to call the function, and what people ask about its memory."""
        launches = [op for op in self.allocations.ops if op.name == tloop.Launch.NAME]
        numbers = {
            "num_inputs": len(self.arguments["input"]),
            "num_outputs": len(self.arguments["output"]),
            "arena_bytes": self.plan.size,
            "arena_lower_bound": lower_bound(self.allocations.lifetimes()),
            "unshared_bytes": sum(tensor_bytes(value) for op in launches for value in op.results),
        }
        describe(function, numbers, self.plan.strategy, self.allocations.weights)
