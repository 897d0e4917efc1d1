"""The machine-level form of a host function with dynamic sizes: buffers are pointers, sizes are integers of
64 bits; the runtime allocates memory and ends a call that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlc.bindings import cf, func, ir, llvm
from mlc.dialects import tloop
from mlc.dialects.tloop import buffers_and_dims
from mlc.passes.base import PassError
from mlc.passes.common.constants import i1, i64
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.control import EntryControlBuilder
from mlc.passes.host.common.data_checks import DataCheckCalls
from mlc.passes.host.common.description import PlanAttributes
from mlc.passes.host.common.llvm_builders import allocate_on_stack, call, constant, offset, pointer, where
from mlc.passes.host.sized.entry_buffers import ALLOCATE, OUTPUT_MEMORY, RELEASE, TOO_LARGE, BufferOps
from mlc.passes.host.sized.storage import CALLER

if TYPE_CHECKING:
    from collections.abc import Callable

# Functions of the runtime that end a call (mlc_runtime.h).
FAIL, MISMATCH = "mlc_host_fail", "mlc_host_mismatch"
# The operands and the result of the runtime's functions.
SIGNATURES = {
    ALLOCATE: ("i64", "ptr"),
    RELEASE: ("ptr", "void"),
    OUTPUT_MEMORY: ("i64, i64, ptr, i64", "ptr"),
    TOO_LARGE: ("i64, i64, ptr", "void"),
    FAIL: ("i64", "void"),
    MISMATCH: ("i64, i64, i64", "void"),
}


def is_sized(function: ir.Operation) -> bool:
    """Whether a host function on buffers has dynamic sizes."""
    return "tloop.dims" in function.attributes


class SizedEntryBuilder:
    """Builds the body of `void mlc_<name>(void **buffers, int64_t *dims)` from the function on memrefs."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        self.control = EntryControlBuilder(self)
        self.values = self.control.values
        self.plan = PlanAttributes(function)
        self.messages = self.plan.messages

    def body(self, buffers: ir.Value, dims: ir.Value) -> None:
        """Builds the entry's body at the insertion point."""
        launches = collect_ops(self.function, [tloop.LaunchInto.NAME])
        parts = [buffers_and_dims(op) for op in launches]
        self.frame = allocate_on_stack(max((len(pointers) for pointers, _ in parts), default=1), pointer())
        self.dims = allocate_on_stack(1 + max((len(sizes) for _, sizes in parts), default=0), i64())
        self.buffers = BufferOps(self.function, self.values, self.message)
        self.data_checks = DataCheckCalls(self.function, self.messages)
        self.steps: dict[str, Callable[[ir.Operation], None]] = {
            **self.buffers.steps,
            tloop.LaunchInto.NAME: self.launch,
            cf.Assert.NAME: self.affirm,
            **dict.fromkeys(tloop.DATA_CHECKS, self.check_data),
            tloop.Check.NAME: self.check,
            func.Return.NAME: lambda op: None,
        }
        self.load_arguments(buffers, dims)
        self.block(func.Func(self.function).entry_block)

    def load_arguments(self, buffers: ir.Value, dims: ir.Value) -> None:
        """Loads the arguments, and the dims that the caller has read from the inputs."""
        names, texts = self.plan.dims or (), self.plan.input_shapes or []
        values = [llvm.LoadOp(i64(), offset(dims, index, i64())).result for index in range(len(names))]
        shapes = [[dim.value for dim in ir.ArrayAttr(shape)] for shape in texts]
        for index, argument in enumerate(func.Func(self.function).arguments):
            loaded = llvm.LoadOp(pointer(), offset(buffers, index, pointer())).result
            self.values[argument] = loaded
            shape = shapes[index] if index < len(shapes) else [""] * argument.type.rank
            self.buffers.shapes[argument] = [
                values[names.index(text)] if text else constant(extent if extent >= 0 else 0)
                for extent, text in zip(argument.type.shape, shape, strict=True)
            ]

    def block(self, block: ir.Block) -> None:
        """Builds the ops of a block at the insertion point."""
        for op in [op.operation for op in block.operations]:
            with op.location:
                if op.name in self.steps:
                    self.steps[op.name](op)
                elif op.name.startswith(("arith.", "scf.")):
                    self.control.build(op)
                else:
                    raise PassError(f"'{op.name}' cannot be part of a host function", op.location)

    def launch(self, op: ir.Operation) -> None:
        """Stores the operands' addresses and dims to memory, and calls the kernel."""
        buffers, dims = buffers_and_dims(op)
        for slot, value in enumerate(buffers):
            llvm.StoreOp(self.values[value], offset(self.frame, slot, pointer()))
        sizes = [self.values[value] for value in dims]
        if CALLER in op.attributes:
            sizes = [self.message(op.attributes[CALLER].value), *sizes]
        for slot, size in enumerate(sizes):
            llvm.StoreOp(size, offset(self.dims, slot, i64()))
        call(tloop.LaunchInto(op).kernel, self.frame, self.dims)

    def affirm(self, op: ir.Operation) -> None:
        """Ends the call if the condition does not hold."""
        view, true = cf.Assert(op), llvm.ConstantOp(i1(), ir.IntegerAttr.get(i1(), 1)).result
        with where(llvm.XOrOp(self.values[view.arg], true).result):
            call(FAIL, self.message(view.msg))

    def check(self, op: ir.Operation) -> None:
        """Ends the call if two values are not in the relation, with a message that contains them."""
        view = tloop.Check(op)
        left, right = self.values[view.left], self.values[view.right]
        with where(_is_violated(view.relation, left, right)):
            call(MISMATCH, left, right, self.message(view.message))

    def check_data(self, op: ir.Operation) -> None:
        """Calls the runtime, which ends the call for data that are not allowed."""
        self.data_checks.build(op, self.values[op.operands[0]], self.values)

    def message(self, text: str) -> ir.Value:
        """The index of a message, as a constant."""
        return constant(self.messages.index(text))


def _is_violated(relation: str, left: ir.Value, right: ir.Value) -> ir.Value:
    """Whether two values are not in the relation of a `tloop.check`."""
    predicates = llvm.ICmpPredicate
    if relation == "product":
        pair = ir.Type.parse("!llvm.struct<(i64, i1)>")
        made = llvm.SMulWithOverflowOp(pair, left, right).result
        return llvm.ExtractValueOp(i1(), made, [1]).result
    wrong = llvm.ICmpOp(predicates.slt if relation == "at_least" else predicates.ne, left, right).result
    if relation == "broadcast":
        wrong = llvm.AndOp(wrong, llvm.ICmpOp(predicates.ne, left, constant(1)).result).result
    return wrong
