"""A host function on buffers, built from the one on tensors and its memory plan."""

from __future__ import annotations

from mlc.bindings import address, func, gpu, ir, memref
from mlc.dialects import graph
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.tloop import build_launch_into
from mlc.passes.common.constants import index_constant
from mlc.passes.host.bodies import BodyBuilder
from mlc.passes.host.common.description import describe
from mlc.passes.host.memory.allocations import Allocations
from mlc.passes.host.memory.arena import Plan, lower_bound
from mlc.passes.host.memory.buffers import Buffer, Move, Part, tensor_bytes
from mlc.passes.loops.kernel_entry import row_major_strides

# On a copy that a transfer became: where to.
TRANSFER = "tloop.transfer"


def memref_type(kind: ir.Type) -> ir.MemRefType:
    """The buffer of a tensor of static shape."""
    tensor = ir.RankedTensorType(kind)
    return ir.MemRefType.get(list(tensor.shape), tensor.element_type)


class HostRewriter:
    """Builds the function on buffers next to the one on tensors."""

    def __init__(self, function: ir.Operation, allocations: Allocations, plan: Plan) -> None:
        self.function = function
        self.allocations = allocations
        self.plan = plan
        roots = allocations.roots()
        self.offsets: dict[Buffer, int] = dict(zip(roots, plan.offsets, strict=True))
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
        arena = ir.MemRefType.get([self.plan.size], ir.IntegerType.get_signless(8))
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
            if op.name == "tloop.launch":
                inputs = [self.buffer(value) for value in op.operands]
                outputs = [self.buffer(value) for value in op.results]
                build_launch_into(op.attributes["kernel"].value, inputs, outputs)
            elif op.name == "tloop.transfer":
                self.transfer(op, step)
            elif op.name == "graph.concat":
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

    def target(self, move: Move) -> ir.Value:
        width = element_bytes(str(move.target.type.element_type))
        rows = [move.row] if move.row else []
        part = self.allocations.spans[move.target].part(move.offset * width, *rows)
        return self.view(part.in_root(), memref_type(move.value.type))

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value, in the value's own shape."""
        return self.view(self.allocations.where(value), memref_type(value.type))

    def view(self, part: Part, kind: ir.MemRefType) -> ir.Value:
        where, index = part.buffer.place or ("arena", 0)
        begin = part.begin + self.offsets.get(part.buffer, 0)
        key = (where, index, begin, part.rows, str(kind))
        if key not in self.views:
            make = self.arena_view if where == "arena" else self.argument_view
            self.views[key] = make(self.arguments[where][index], begin, part, kind)
        return self.views[key]

    def arena_view(self, arena: ir.Value, begin: int, part: Part, kind: ir.MemRefType) -> ir.Value:
        offset = self.bodies.moved(part.rows, 1, begin) if part.rows else index_constant(begin)
        return memref.ViewOp(kind, arena, offset, []).result

    def argument_view(self, source: ir.Value, begin: int, part: Part, kind: ir.MemRefType) -> ir.Value:
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
        launches = [op for op in self.allocations.ops if op.name == "tloop.launch"]
        numbers = {
            "num_inputs": len(self.arguments["input"]),
            "num_outputs": len(self.arguments["output"]),
            "arena_bytes": self.plan.size,
            "arena_lower_bound": lower_bound(self.allocations.lifetimes()),
            "unshared_bytes": sum(tensor_bytes(value) for op in launches for value in op.results),
        }
        describe(function, numbers, self.plan.strategy, self.allocations.weights)
