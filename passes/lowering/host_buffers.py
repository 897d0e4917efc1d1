"""A host function on buffers, built from the one on tensors and its memory plan."""

from __future__ import annotations

from mlc.bindings import arith, func, gpu, ir, memref
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.tloop import build_launch_into
from mlc.passes.lowering.kernel_entry import row_major_strides
from mlc.passes.lowering.memory.allocations import Allocations, Buffer, tensor_bytes
from mlc.passes.lowering.memory.arena import Plan, lower_bound

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
        self.views: dict[tuple[str, int, int, str], ir.Value] = {}
        self.arguments: dict[str, list[ir.Value]] = {}
        # By the step that waits for them: the transfers that are under way.
        self.started: dict[int, list[ir.Value]] = {}

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
            for step, op in enumerate(plan.ops):
                self.wait(op, step)
                self.rewrite(op, step)
            func.ReturnOp([], loc=old.location)
        self.describe(function.operation)
        return function.operation

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
                self.copy_operands(op.results[0])

    def transfer(self, op: ir.Operation, step: int) -> None:
        source, target = self.buffer(op.operands[0]), self.buffer(op.results[0])
        if step not in self.allocations.waits:
            copy = memref.CopyOp(source, target)
        else:
            copy = gpu.MemcpyOp(ir.Type.parse("!gpu.async.token"), [], target, source)
            self.started.setdefault(self.allocations.waits[step], []).append(copy.results[0])
        copy.attributes[TRANSFER] = op.attributes["to"]

    def copy_operands(self, whole: ir.Value) -> None:
        """Copies the operands of a concatenation that could not be written in place."""
        for copy in self.allocations.copies.get(whole, ()):
            width = element_bytes(str(whole.type.element_type))
            root, begin = self.allocations.where(whole)
            target = self.view(root, begin + copy.position * width, memref_type(copy.value.type))
            memref.CopyOp(self.buffer(copy.value), target)

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value, in the value's own shape."""
        root, begin = self.allocations.where(value)
        return self.view(root, begin, memref_type(value.type))

    def view(self, root: Buffer, begin: int, kind: ir.MemRefType) -> ir.Value:
        where, index = root.place or ("arena", 0)
        begin += self.offsets.get(root, 0)
        key = (where, index, begin, str(kind))
        if key not in self.views:
            make = self.arena_view if where == "arena" else self.argument_view
            self.views[key] = make(self.arguments[where][index], begin, kind)
        return self.views[key]

    def arena_view(self, arena: ir.Value, begin: int, kind: ir.MemRefType) -> ir.Value:
        index = ir.IndexType.get()
        offset = arith.ConstantOp(index, ir.IntegerAttr.get(index, begin)).result
        return memref.ViewOp(kind, arena, offset, []).result

    def argument_view(self, source: ir.Value, begin: int, kind: ir.MemRefType) -> ir.Value:
        if source.type == kind and not begin:
            return source
        shape, offset = list(kind.shape), begin // element_bytes(str(kind.element_type))
        strides = row_major_strides(shape)
        if offset:
            layout = ir.StridedLayoutAttr.get(offset, strides)
            kind = ir.MemRefType.get(shape, kind.element_type, layout)
        return memref.ReinterpretCastOp(kind, source, [], [], [], [offset], shape, strides).result

    def describe(self, function: ir.Operation) -> None:
        """What the compiler must know to call the function, and what people ask about its memory."""
        count = ir.IntegerType.get_signless(64)
        launches = [op for op in self.allocations.ops if op.name == "tloop.launch"]
        numbers = {
            "tloop.num_inputs": len(self.arguments["input"]),
            "tloop.num_outputs": len(self.arguments["output"]),
            "tloop.arena_bytes": self.plan.size,
            "tloop.arena_lower_bound": lower_bound(self.allocations.lifetimes()),
            "tloop.unshared_bytes": sum(tensor_bytes(value) for op in launches for value in op.results),
        }
        for name, value in numbers.items():
            function.attributes[name] = ir.IntegerAttr.get(count, value)
        function.attributes["tloop.arena_strategy"] = ir.StringAttr.get(self.plan.strategy)
        weights = [_reference(op) for op in self.allocations.weights]
        function.attributes["tloop.weights"] = ir.ArrayAttr.get(weights)


def _reference(op: ir.Operation) -> ir.Attribute:
    """The attributes of a `graph.weight` or `graph.prepared`, with its type."""
    entries: dict[str, ir.Attribute] = {name: op.attributes[name] for name in op.attributes}
    return ir.DictAttr.get(entries | {"type": ir.TypeAttr.get(op.results[0].type)})
