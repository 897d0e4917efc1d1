"""A host function on buffers whose sizes only a call tells: it allocates memory as it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import arith, cf, func, ir, memref
from mlc.dialects import graph
from mlc.dialects.graph.size_text import parse_size
from mlc.dialects.tloop import build_launch_into
from mlc.passes.base import PassFailure
from mlc.passes.graph.run_time_sizes import same_dims
from mlc.passes.graph.views import joined_offsets, view_offset, view_source
from mlc.passes.lowering.host_buffers import _reference
from mlc.passes.lowering.sized.control import ControlBuilder
from mlc.passes.lowering.sized.entry import OUTPUT
from mlc.passes.lowering.sized.lifetimes import Lifetimes, Memory, is_view
from mlc.passes.lowering.sized.numbers import (
    Numbers,
    bytes_of,
    constant,
    elements_of,
    input_names,
    memref_of,
    reinterpreted,
    sizes_of,
)
from mlc.passes.rewriting import terminator_of
from mlc.passes.tloop.kernel_functions import DIMS

REFERENCES = ("graph.weight", "graph.prepared")


class SizedFunction:
    """Builds the function on buffers next to the one on tensors. `in_place` says which operands each kernel
    may write over."""

    def __init__(self, function: ir.Operation, in_place: Mapping[str, Sequence[int]]) -> None:
        self.function, self.in_place = function, in_place
        self.block = function.regions[0].blocks[0]
        self.numbers = Numbers()
        self.buffers: dict[ir.Value, ir.Value] = {}
        self.weights: list[ir.Operation] = []
        self.outputs: dict[ir.Value, int] = {}
        # Those whose memory is there.
        self.written: set[int] = set()
        for index, value in enumerate(terminator_of(self.block).operands):
            self.outputs.setdefault(view_source(value), index)
        self.control = ControlBuilder(self)

    def build(self) -> ir.Operation:
        """The new function, which stands before the old one."""
        old, returned = self.function, list(terminator_of(self.block).operands)
        references = [each.operation for each in self.block if each.operation.name in REFERENCES]
        values = [*self.block.arguments, *returned, *(op.results[0] for op in references)]
        arena = ir.MemRefType.get([0], ir.IntegerType.get_signless(8))
        kind = ir.FunctionType.get([*(memref_of(value.type) for value in values), arena], [])
        made = func.FuncOp(
            old.attributes["sym_name"].value, kind, loc=old.location, ip=ir.InsertionPoint(old)
        )
        arguments = list(made.add_entry_block().arguments)
        count = len(self.block.arguments)
        self.buffers.update(zip(self.block.arguments, arguments, strict=False))
        self.weights = references
        for op, argument in zip(references, arguments[count + len(returned) :], strict=False):
            self.buffers[op.results[0]] = argument
        with ir.InsertionPoint(made.entry_block), old.location:
            self.name_dims(arguments)
            memory = self.body(self.block)
            self.copy_outputs(returned, memory)
            func.ReturnOp([])
        self.describe(made.operation, returned)
        return made.operation

    def name_dims(self, arguments: Sequence[ir.Value]) -> None:
        for argument, names in zip(arguments, input_names(self.function), strict=False):
            for axis, name in enumerate(names):
                if name and not self.numbers.knows(name):
                    self.numbers.name(name, memref.DimOp(argument, constant(axis)).result)

    def body(self, block: ir.Block) -> Memory:
        """Builds what stands for the ops of a block but its last one; what is still allocated then."""
        memory = Memory(Lifetimes(block))
        for step, op in enumerate(memory.lifetimes.ops[:-1]):
            with op.location:
                self.rewrite(op, step, memory)
                for buffer in memory.dead_after(step):
                    memref.DeallocOp(buffer)
        return memory

    def rewrite(self, op: ir.Operation, step: int, memory: Memory) -> None:
        """Raises PassFailure for ops that a host function cannot hold."""
        if op.name == "tloop.launch":
            self.launch(op, step, memory)
        elif op.name == "tloop.numbers":
            self.write_numbers(op, memory)
        elif op.name == "tloop.read_sizes":
            self.read_sizes(op)
        elif op.name == "tloop.expect_equal":
            self.expect_equal(op)
        elif op.name in graph.CONTROL_OPS:
            self.control.build(op, step, memory)
        elif is_view(op):
            self.view(op)
        elif op.name == "graph.concat" and joined_offsets(op) is not None:
            self.join(op, memory)
        elif op.name not in (*REFERENCES, "graph.constant"):
            raise PassFailure(
                f"a host function of sizes that only a call tells cannot hold '{op.name}'", op.location
            )

    def launch(self, op: ir.Operation, step: int, memory: Memory) -> None:
        inputs = [self.buffer(value) for value in op.operands]
        outputs = [self.result(op, value, step, memory) for value in op.results]
        texts = [each.value for each in op.attributes[DIMS]] if DIMS in op.attributes else []
        dims = [self.numbers.of(parse_size(text)) for text in texts]
        build_launch_into(op.attributes["kernel"].value, inputs, outputs, dims)

    def result(self, op: ir.Operation, value: ir.Value, step: int, memory: Memory) -> ir.Value:
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

    def may_replace(self, operand: ir.Value, value: ir.Value, step: int, memory: Memory) -> bool:
        """Whether a value may lie where an operand lies that is read for the last time."""
        if value in self.outputs or not memory.owned(operand) or memory.lifetimes.last(operand) != step:
            return False
        source = memory.lifetimes.source(operand)
        # Buffers have elements of one type.
        alike = source.type.element_type == value.type.element_type
        return alike and same_dims(operand, value) and bytes_of(source) == bytes_of(value)

    def new(self, value: ir.Value, memory: Memory) -> ir.Value:
        """Memory for a value: an output's own, or of the block."""
        index = self.outputs.get(value) if value.owner.operation.block == self.block else None
        # As the output is shaped, which may be a view of the value: perhaps of sizes that are read later.
        returned = None if index is None else terminator_of(self.block).operands[index]
        if index is None or not self.numbers.tell(sizes_of(returned)):
            buffer = self.allocate(value)
            memory.own(value, buffer)
        else:
            buffer = self.allocate_output(returned, index)
        self.buffers[value] = self.shaped(buffer, value)
        return self.buffers[value]

    def allocate(self, value: ir.Value) -> ir.Value:
        dynamic = [self.numbers.of(size) for size in sizes_of(value) if not isinstance(size, int)]
        return memref.AllocOp(memref_of(value.type), dynamic, []).result

    def allocate_output(self, value: ir.Value, index: int) -> ir.Value:
        buffer = self.allocate(value)
        word = ir.IntegerType.get_signless(64)
        buffer.owner.operation.attributes[OUTPUT] = ir.IntegerAttr.get(word, index)
        self.written.add(index)
        return buffer

    def shaped(self, buffer: ir.Value, value: ir.Value) -> ir.Value:
        if buffer.type == memref_of(value.type):
            return buffer
        return reinterpreted(self.numbers, buffer, value.type, sizes_of(value))

    def buffer(self, value: ir.Value) -> ir.Value:
        """The buffer of a value. Raises PassFailure for one without."""
        if value not in self.buffers:
            wrong = f"this {value.type} has no buffer; run graph-form-kernels first"
            raise PassFailure(wrong, value.location)
        return self.buffers[value]

    def view(self, op: ir.Operation) -> None:
        source, result = op.operands[0], op.results[0]
        if source in self.buffers:
            offset = view_offset(op) or 0
            self.buffers[result] = reinterpreted(
                self.numbers, self.buffer(source), result.type, sizes_of(result), offset
            )

    def write_numbers(self, op: ir.Operation, memory: Memory) -> None:
        result = op.results[0]
        buffer, element = self.new(result, memory), result.type.element_type
        flat = reinterpreted(self.numbers, buffer, _vector(result.type), [elements_of(result)])
        for place, text in enumerate(op.attributes["dims"]):
            number = self.numbers.of(parse_size(text.value))
            stored = arith.IndexCastOp(element, number).result
            memref.StoreOp(stored, flat, [constant(place)])

    def read_sizes(self, op: ir.Operation) -> None:
        vector = op.operands[0]
        flat = reinterpreted(self.numbers, self.buffer(vector), _vector(vector.type), [elements_of(vector)])
        for place, name in enumerate(op.attributes["names"]):
            if name.value:
                element = memref.LoadOp(flat, [constant(place)]).result
                number = arith.IndexCastOp(ir.IndexType.get(), element).result
                least = arith.CmpIOp(arith.CmpIPredicate.sge, number, constant(0)).result
                cf.AssertOp(least, "a size is negative")
                self.numbers.name(name.value, number)

    def expect_equal(self, op: ir.Operation) -> None:
        texts = [op.attributes[name].value for name in ("left", "right")]
        left, right = (self.numbers.of(parse_size(text)) for text in texts)
        holds = arith.CmpIOp(arith.CmpIPredicate.eq, left, right).result
        if op.attributes["relation"].value == "broadcast":
            is_one = arith.CmpIOp(arith.CmpIPredicate.eq, left, constant(1)).result
            holds = arith.OrIOp(holds, is_one).result
        cf.AssertOp(holds, f"{op.attributes['what'].value}: {texts[0]} is not {texts[1]}")

    def join(self, op: ir.Operation, memory: Memory) -> None:
        result, offsets = op.results[0], joined_offsets(op) or ()
        whole = self.new(result, memory)
        for value, offset in zip(op.operands, offsets, strict=True):
            self.copy(value, whole, offset)

    def copy(self, value: ir.Value, target: ir.Value, offset: int = 0) -> None:
        """Copies a value to a buffer, from an element of it on."""
        count, kind = elements_of(value), _vector(value.type)
        source = reinterpreted(self.numbers, self.buffer(value), kind, [count])
        memref.CopyOp(source, reinterpreted(self.numbers, target, kind, [count], offset))

    def copy_outputs(self, returned: Sequence[ir.Value], memory: Memory) -> None:
        """Gives outputs that no op of the block has written their memory, and what is left back."""
        for index, value in enumerate(returned):
            if index not in self.written:
                self.copy(value, self.allocate_output(value, index))
        for buffer in memory.dead_after(len(memory.lifetimes.ops)):
            memref.DeallocOp(buffer)

    def describe(self, function: ir.Operation, returned: Sequence[ir.Value]) -> None:
        """What the compiler must know to call the function."""
        word = ir.IntegerType.get_signless(64)
        names = input_names(self.function)
        numbers = {
            "tloop.num_inputs": len(self.block.arguments),
            "tloop.num_outputs": len(returned),
            "tloop.arena_bytes": 0,
            "tloop.arena_lower_bound": 0,
            "tloop.unshared_bytes": 0,
        }
        for name, value in numbers.items():
            function.attributes[name] = ir.IntegerAttr.get(word, value)
        function.attributes["tloop.arena_strategy"] = ir.StringAttr.get("run time")
        function.attributes["tloop.weights"] = ir.ArrayAttr.get([_reference(op) for op in self.weights])
        function.attributes["tloop.dims"] = _texts(
            list(dict.fromkeys(name for shape in names for name in shape if name))
        )
        shapes = [[str(dim) if not isinstance(dim, int) else "" for dim in sizes_of(v)] for v in returned]
        function.attributes["tloop.input_shapes"] = ir.ArrayAttr.get([_texts(each) for each in names])
        function.attributes["tloop.output_shapes"] = ir.ArrayAttr.get([_texts(each) for each in shapes])
        found: dict[str, None] = {}
        _collect_messages(function, found)
        function.attributes["tloop.messages"] = _texts(list(found))


def _collect_messages(function: ir.Operation, found: dict[str, None]) -> None:
    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "cf.assert":
            found.setdefault(op.attributes["msg"].value)
        return ir.WalkResult.ADVANCE

    function.walk(visit)


def _texts(texts: Sequence[str]) -> ir.Attribute:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


def _vector(kind: ir.Type) -> ir.Type:
    """A vector of the tensor's elements."""
    tensor = ir.RankedTensorType(kind)
    count = 1
    for extent in tensor.shape:
        count *= extent
    return ir.RankedTensorType.get(
        [count if tensor.has_static_shape else ir.ShapedType.get_dynamic_size()], tensor.element_type
    )
