"""The machine-level form of a host function whose sizes only a call tells: buffers are pointers, sizes are
numbers of 64 bits; memory and the end of a call that fails are the runtime's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlc.bindings import ir, llvm
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.tloop import buffers_and_dims
from mlc.passes.base import PassFailure
from mlc.passes.lowering.host_control import ControlBuilder, converted, is_truth, stored
from mlc.passes.rewriting import collect_ops, defining_op

if TYPE_CHECKING:
    from collections.abc import Callable

# The runtime's functions (mlc_runtime.h) and what they take.
ALLOCATE, RELEASE, OUTPUT_MEMORY, FAIL = (
    "mlc_host_allocate", "mlc_host_release", "mlc_host_output", "mlc_host_fail",
)  # fmt: skip
SIGNATURES = {
    ALLOCATE: ("i64", "ptr"),
    RELEASE: ("ptr", "void"),
    OUTPUT_MEMORY: ("i64, i64, ptr, i64", "ptr"),
    FAIL: ("i64", "void"),
}
# On a `memref.alloc`: the output of the program that lies there.
OUTPUT = "tloop.output"
# More than there are addresses.
MOST_BYTES = 2.0**47
# How many words of memory of its own the entry needs at a time.
_MOST_RANK = 64


def is_sized(function: ir.Operation) -> bool:
    """Whether the sizes of a host function on buffers are known only when it is called."""
    return "tloop.dims" in function.attributes


class SizedEntryBuilder:
    """Builds the body of `void mlc_<name>(void **buffers, int64_t *dims)` from the function on memrefs."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        self.pointer, self.word = ir.Type.parse("!llvm.ptr"), ir.IntegerType.get_signless(64)
        self.control = ControlBuilder(self)
        self.values = self.control.values
        # The sizes of buffers along their dims.
        self.shapes: dict[ir.Value, Sequence[ir.Value]] = {}
        self.messages = [each.value for each in function.attributes["tloop.messages"]]
        self.steps: dict[str, Callable[[ir.Operation], None]] = {
            "memref.alloc": self.allocate,
            "memref.dealloc": self.release,
            "memref.dim": self.dim,
            "memref.cast": self.cast,
            "memref.reinterpret_cast": self.reinterpret,
            "memref.copy": self.copy,
            "memref.load": self.load,
            "memref.store": self.store,
            "tloop.launch_into": self.launch,
            "cf.assert": self.check,
            "func.return": lambda op: None,
        }

    def body(self, buffers: ir.Value, dims: ir.Value) -> None:
        launches = collect_ops(self.function, ["tloop.launch_into"])
        parts = [buffers_and_dims(op) for op in launches]
        self.frame = self.allocated(max((len(each) for each, _ in parts), default=1), self.pointer)
        self.numbers = self.allocated(max([_MOST_RANK, *(len(each) for _, each in parts)]), self.word)
        self.given(buffers, dims)
        self.block(self.function.regions[0].blocks[0])

    def given(self, buffers: ir.Value, dims: ir.Value) -> None:
        """The arguments, and the dims that the caller has read off the inputs."""
        names = [each.value for each in self.function.attributes["tloop.dims"]]
        values = [
            llvm.LoadOp(self.word, self.offset(dims, place, self.word)).result for place in range(len(names))
        ]
        arguments = list(self.function.regions[0].blocks[0].arguments)
        shapes = [[each.value for each in shape] for shape in self.function.attributes["tloop.input_shapes"]]
        for place, argument in enumerate(arguments):
            loaded = llvm.LoadOp(self.pointer, self.offset(buffers, place, self.pointer)).result
            self.values[argument] = loaded
            texts = shapes[place] if place < len(shapes) else [""] * argument.type.rank
            self.shapes[argument] = [
                values[names.index(text)] if text else self.constant(extent if extent >= 0 else 0)
                for extent, text in zip(argument.type.shape, texts, strict=True)
            ]

    def block(self, block: ir.Block) -> None:
        """What the ops of a block become, at the insertion point."""
        for op in [each.operation for each in block.operations]:
            with op.location:
                if op.name in self.steps:
                    self.steps[op.name](op)
                elif op.name.startswith(("arith.", "scf.")):
                    self.control.build(op)
                else:
                    raise PassFailure(f"'{op.name}' cannot be part of a host function", op.location)

    def extents(self, kind: ir.MemRefType, dynamic: Sequence[ir.Value]) -> list[ir.Value]:
        """The sizes of a buffer, of which `dynamic` are those that its type does not tell."""
        rest = iter(dynamic)
        return [
            self.values[next(rest)] if kind.is_dynamic_dim(axis) else self.constant(extent)
            for axis, extent in enumerate(kind.shape)
        ]

    def bytes(self, kind: ir.MemRefType, extents: Sequence[ir.Value]) -> ir.Value:
        total = self.constant(element_bytes(str(kind.element_type)))
        for extent in extents:
            total = llvm.MulOp(total, extent, llvm.IntegerOverflowFlags.none).result
        return total

    def checked_bytes(self, kind: ir.MemRefType, extents: Sequence[ir.Value]) -> ir.Value:
        """The bytes to allocate; -1, which no allocation takes, for negative sizes and for too many bytes."""
        total = self.bytes(kind, extents)
        if kind.has_static_shape:
            return total
        double, number = ir.F64Type.get(), self.constant(0)
        size = self.double(float(element_bytes(str(kind.element_type))))
        wrong = None
        for extent in extents:
            size = llvm.FMulOp(size, llvm.SIToFPOp(double, extent).result).result
            negative = llvm.ICmpOp(llvm.ICmpPredicate.slt, extent, number).result
            wrong = negative if wrong is None else llvm.OrOp(wrong, negative).result
        large = llvm.FCmpOp(llvm.FCmpPredicate.oge, size, self.double(MOST_BYTES)).result
        return llvm.SelectOp(llvm.OrOp(wrong, large).result, self.constant(-1), total).result

    def double(self, value: float) -> ir.Value:
        kind = ir.F64Type.get()
        return llvm.ConstantOp(kind, ir.FloatAttr.get(kind, value)).result

    def allocate(self, op: ir.Operation) -> None:
        value = op.results[0]
        kind = ir.MemRefType(value.type)
        extents = self.shapes[value] = self.extents(kind, op.operands)
        size = self.checked_bytes(kind, extents)
        if OUTPUT not in op.attributes:
            self.values[value] = self.call(ALLOCATE, size)
            return
        for place, extent in enumerate(extents):
            llvm.StoreOp(extent, self.offset(self.numbers, place, self.word))
        index = self.constant(op.attributes[OUTPUT].value)
        rank = self.constant(len(extents))
        self.values[value] = self.call(OUTPUT_MEMORY, index, rank, self.numbers, size)

    def release(self, op: ir.Operation) -> None:
        self.call(RELEASE, self.values[op.operands[0]])

    def dim(self, op: ir.Operation) -> None:
        constant = defining_op(op.operands[1], "arith.constant")
        shape = self.shapes.get(op.operands[0])
        if constant is None or shape is None:
            raise PassFailure("the dims of this buffer are not known", op.location)
        self.values[op.results[0]] = shape[constant.attributes["value"].value]

    def cast(self, op: ir.Operation) -> None:
        self.values[op.results[0]] = self.values[op.operands[0]]

    def reinterpret(self, op: ir.Operation) -> None:
        """The pointer, so many elements further on; strides are those of rows."""
        value, kind = op.results[0], ir.MemRefType(op.results[0].type)
        source, *operands = op.operands
        (static,) = op.attributes["static_offsets"]
        moves = static == ir.ShapedType.get_dynamic_stride_or_offset()
        offset = operands[: int(moves)]
        dynamic = [axis for axis in range(kind.rank) if kind.is_dynamic_dim(axis)]
        self.shapes[value] = self.extents(kind, operands[len(offset) : len(offset) + len(dynamic)])
        element = self.stored_type(kind)
        if moves:
            self.values[value] = self.element(self.values[source], self.values[offset[0]], element)
        else:
            self.values[value] = (
                self.offset(self.values[source], static, element) if static else self.values[source]
            )

    def copy(self, op: ir.Operation) -> None:
        source, target = op.operands
        size = self.bytes(ir.MemRefType(source.type), self.shapes[source])
        llvm.MemcpyOp(self.values[target], self.values[source], size, False)

    def load(self, op: ir.Operation) -> None:
        buffer, *indices = op.operands
        kind = op.results[0].type
        read = llvm.LoadOp(stored(kind), self.place(buffer, indices)).result
        self.values[op.results[0]] = converted("llvm.trunc", read, kind) if is_truth(kind) else read

    def store(self, op: ir.Operation) -> None:
        source, buffer, *indices = op.operands
        value = self.values[source]
        if is_truth(value.type):
            value = converted("llvm.zext", value, stored(value.type))
        llvm.StoreOp(value, self.place(buffer, indices))

    def place(self, buffer: ir.Value, indices: Sequence[ir.Value]) -> ir.Value:
        """The address of an element of a vector or a scalar."""
        pointer = self.values[buffer]
        if not indices:
            return pointer
        return self.element(pointer, self.values[indices[0]], self.stored_type(ir.MemRefType(buffer.type)))

    def stored_type(self, kind: ir.MemRefType) -> ir.Type:
        return ir.IntegerType.get_signless(8 * element_bytes(str(kind.element_type)))

    def launch(self, op: ir.Operation) -> None:
        buffers, dims = buffers_and_dims(op)
        for slot, value in enumerate(buffers):
            llvm.StoreOp(self.values[value], self.offset(self.frame, slot, self.pointer))
        for slot, value in enumerate(dims):
            llvm.StoreOp(self.values[value], self.offset(self.numbers, slot, self.word))
        self.call(op.attributes["kernel"].value, self.frame, self.numbers, results=False)

    def check(self, op: ir.Operation) -> None:
        """Ends the call where the condition does not hold."""
        truth = ir.IntegerType.get_signless(1)
        true = llvm.ConstantOp(truth, ir.IntegerAttr.get(truth, 1)).result
        wrong = llvm.XOrOp(self.values[op.operands[0]], true).result
        made = ir.Operation.create("scf.if", operands=[wrong], regions=2)
        block = made.regions[0].blocks.append()
        with ir.InsertionPoint(block):
            message = self.messages.index(op.attributes["msg"].value)
            self.call(FAIL, self.constant(message))
            ir.Operation.create("scf.yield")

    def call(self, name: str, *operands: ir.Value, results: bool | None = None) -> ir.Value | None:
        gives = SIGNATURES[name][1] == "ptr" if results is None else results
        made = ir.Operation.create(
            "llvm.call",
            results=[self.pointer] if gives else [],
            operands=list(operands),
            attributes={
                "callee": ir.FlatSymbolRefAttr.get(name),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(operands), 0]),
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
            },
        )
        return made.results[0] if gives else None

    def allocated(self, count: int, element: ir.Type) -> ir.Value:
        """Memory of the function's own."""
        return llvm.AllocaOp(self.pointer, self.constant(count), ir.TypeAttr.get(element)).result

    def constant(self, value: int) -> ir.Value:
        return llvm.ConstantOp(self.word, ir.IntegerAttr.get(self.word, value)).result

    def offset(self, base: ir.Value, index: int, element: ir.Type) -> ir.Value:
        indices = ir.DenseI32ArrayAttr.get([index])
        return llvm.GEPOp(self.pointer, base, [], indices, ir.TypeAttr.get(element), None).result

    def element(self, base: ir.Value, index: ir.Value, element: ir.Type) -> ir.Value:
        """The address of an element by its number at run time."""
        dynamic = ir.DenseI32ArrayAttr.get([-(2**31)])
        return llvm.GEPOp(self.pointer, base, [index], dynamic, ir.TypeAttr.get(element), None).result
