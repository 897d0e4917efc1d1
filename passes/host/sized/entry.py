"""The machine-level form of a host function whose sizes only a call tells: buffers are pointers, sizes are
numbers of 64 bits; memory and the end of a call that fails are the runtime's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlc.bindings import cf, func, ir, llvm
from mlc.dialects import tloop
from mlc.dialects.tloop import buffers_and_dims
from mlc.passes.base import PassError
from mlc.passes.common.constants import i1, i64
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.control import EntryControlBuilder
from mlc.passes.host.common.llvm_builders import allocated, call, constant, offset, pointer, where
from mlc.passes.host.sized.entry_buffers import ALLOCATE, OUTPUT_MEMORY, RELEASE, TOO_LARGE, BufferOps
from mlc.passes.host.sized.storage import CALLER

if TYPE_CHECKING:
    from collections.abc import Callable

# They end a call (mlc_runtime.h).
FAIL, MISMATCH = "mlc_host_fail", "mlc_host_mismatch"
# What the runtime's functions take and give.
SIGNATURES = {
    ALLOCATE: ("i64", "ptr"),
    RELEASE: ("ptr", "void"),
    OUTPUT_MEMORY: ("i64, i64, ptr, i64", "ptr"),
    TOO_LARGE: ("i64, i64, ptr", "void"),
    FAIL: ("i64", "void"),
    MISMATCH: ("i64, i64, i64", "void"),
}


def is_sized(function: ir.Operation) -> bool:
    """Whether the sizes of a host function on buffers are known only when it is called."""
    return "tloop.dims" in function.attributes


class SizedEntryBuilder:
    """Builds the body of `void mlc_<name>(void **buffers, int64_t *dims)` from the function on memrefs."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        self.control = EntryControlBuilder(self)
        self.values = self.control.values
        self.messages = [each.value for each in function.attributes["tloop.messages"]]

    def body(self, buffers: ir.Value, dims: ir.Value) -> None:
        launches = collect_ops(self.function, [tloop.LaunchInto.NAME])
        parts = [buffers_and_dims(op) for op in launches]
        self.frame = allocated(max((len(each) for each, _ in parts), default=1), pointer())
        self.numbers = allocated(1 + max((len(each) for _, each in parts), default=0), i64())
        self.buffers = BufferOps(self.function, self.values, self.message)
        self.steps: dict[str, Callable[[ir.Operation], None]] = {
            **self.buffers.steps,
            tloop.LaunchInto.NAME: self.launch,
            cf.Assert.NAME: self.affirm,
            tloop.Check.NAME: self.check,
            func.Return.NAME: lambda op: None,
        }
        self.given(buffers, dims)
        self.block(self.function.regions[0].blocks[0])

    def given(self, buffers: ir.Value, dims: ir.Value) -> None:
        """The arguments, and the dims that the caller has read off the inputs."""
        names = [each.value for each in self.function.attributes["tloop.dims"]]
        values = [llvm.LoadOp(i64(), offset(dims, place, i64())).result for place in range(len(names))]
        arguments = list(self.function.regions[0].blocks[0].arguments)
        shapes = [[each.value for each in shape] for shape in self.function.attributes["tloop.input_shapes"]]
        for place, argument in enumerate(arguments):
            loaded = llvm.LoadOp(pointer(), offset(buffers, place, pointer())).result
            self.values[argument] = loaded
            texts = shapes[place] if place < len(shapes) else [""] * argument.type.rank
            self.buffers.shapes[argument] = [
                values[names.index(text)] if text else constant(extent if extent >= 0 else 0)
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
                    raise PassError(f"'{op.name}' cannot be part of a host function", op.location)

    def launch(self, op: ir.Operation) -> None:
        buffers, dims = buffers_and_dims(op)
        for slot, value in enumerate(buffers):
            llvm.StoreOp(self.values[value], offset(self.frame, slot, pointer()))
        numbers = [self.values[value] for value in dims]
        if CALLER in op.attributes:
            numbers = [constant(self.messages.index(op.attributes[CALLER].value)), *numbers]
        for slot, number in enumerate(numbers):
            llvm.StoreOp(number, offset(self.numbers, slot, i64()))
        call(op.attributes["kernel"].value, self.frame, self.numbers)

    def affirm(self, op: ir.Operation) -> None:
        """Ends the call where the condition does not hold."""
        truth = i1()
        true = llvm.ConstantOp(truth, ir.IntegerAttr.get(truth, 1)).result
        with where(llvm.XOrOp(self.values[op.operands[0]], true).result):
            call(FAIL, self.message(op.attributes["msg"]))

    def check(self, op: ir.Operation) -> None:
        """Ends the call where two numbers are not as they must be, and says which they are."""
        left, right = (self.values[value] for value in op.operands)
        with where(_is_wrong(op.attributes["relation"].value, left, right)):
            call(MISMATCH, left, right, self.message(op.attributes["message"]))

    def message(self, text: ir.Attribute) -> ir.Value:
        return constant(self.messages.index(text.value))


def _is_wrong(relation: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """Whether two numbers are not as a `tloop.check` says."""
    predicates = llvm.ICmpPredicate
    if relation == "product":
        pair = ir.Type.parse("!llvm.struct<(i64, i1)>")
        made = llvm.SMulWithOverflowOp(pair, left, right).result
        return llvm.ExtractValueOp(i1(), made, [1]).result
    wrong = llvm.ICmpOp(predicates.slt if relation == "at_least" else predicates.ne, left, right).result
    if relation == "broadcast":
        wrong = llvm.AndOp(wrong, llvm.ICmpOp(predicates.ne, left, constant(1)).result).result
    return wrong
