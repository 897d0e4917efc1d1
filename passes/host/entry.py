"""host-entry: host functions on buffers get the signature of the kernel contract and call the compiled
kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import cf, func, ir, llvm
from mlc.dialects import tloop
from mlc.dialects.tloop import buffers_and_dims
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import i1, i64
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.host.common.control import EntryControlBuilder
from mlc.passes.host.common.data_checks import DataCheckCalls
from mlc.passes.host.common.description import CALLER, PlanAttributes
from mlc.passes.host.common.entry_buffers import BufferOps
from mlc.passes.host.common.llvm_builders import (
    KERNEL,
    RUNTIME,
    allocate_on_stack,
    call,
    constant,
    offset,
    pointer,
    where,
)

PREFIX = "mlc_"


class EntryBuilder:
    """Builds `void mlc_<name>(void **buffers, int64_t *dims)` from the function on memrefs: buffers are
    pointers, sizes are integers of 64 bits; the runtime allocates memory and ends a call that fails."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        self.control = EntryControlBuilder(self.block)
        self.values = self.control.values
        self.plan = PlanAttributes(function)
        self.messages = self.plan.messages

    def build(self) -> ir.Operation:
        """Builds the entry before the function. Raises PassError unless host-plan-memory made the
        function."""
        type_ = func.Func(self.function).function_type
        if type_.results or not all(isinstance(operand, ir.MemRefType) for operand in type_.inputs):
            raise PassError(
                "the host function is not on buffers; run host-plan-memory first", self.function.location
            )
        name = PREFIX + func.Func(self.function).sym_name
        entry = build_function(name, "ptr, ptr", "void", ir.InsertionPoint(self.function))
        block = entry.regions[0].blocks.append(pointer(), pointer())
        with ir.InsertionPoint(block), self.function.location:
            self.body(*block.arguments)
            llvm.ReturnOp()
        return entry

    def body(self, buffers: ir.Value, dims: ir.Value) -> None:
        """Builds the entry's body at the insertion point."""
        self.allocate_frame(dims)
        self.buffers = BufferOps(self.function, buffers, self.control, self.message)
        self.data_checks = DataCheckCalls(self.function, self.messages)
        self.steps: dict[str, Callable[[ir.Operation], None]] = {
            **self.buffers.steps,
            tloop.LaunchInto.NAME: self.launch,
            cf.Assert.NAME: self.affirm,
            **dict.fromkeys(tloop.DATA_CHECKS, self.check_data),
            tloop.Check.NAME: self.check,
            func.Return.NAME: lambda op: None,
        }
        self.load_dims(dims)
        self.block(func.Func(self.function).entry_block)

    def allocate_frame(self, dims: ir.Value) -> None:
        """Allocates the memory in which launches pass addresses and dims; those without dims pass the
        caller's."""
        launches = collect_ops(self.function, [tloop.LaunchInto.NAME])
        parts = [buffers_and_dims(op) for op in launches]
        self.frame = allocate_on_stack(max((len(pointers) for pointers, _ in parts), default=1), pointer())
        called = any(CALLER in op.attributes for op in launches)
        most = called + max((len(sizes) for _, sizes in parts), default=0)
        self.dims = allocate_on_stack(most, i64()) if most else dims

    def load_dims(self, dims: ir.Value) -> None:
        """Loads the dims that the caller has read from the inputs."""
        names = self.plan.dims or ()
        values = [llvm.LoadOp(i64(), offset(dims, index, i64())).result for index in range(len(names))]
        arguments, shapes = func.Func(self.function).arguments, self.plan.input_shapes or []
        for argument, shape in zip(arguments, shapes, strict=False):
            self.buffers.shapes[argument] = [
                values[names.index(dim.value)] if dim.value else extent
                for extent, dim in zip(argument.type.shape, ir.ArrayAttr(shape), strict=True)
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
            llvm.StoreOp(self.buffers.pointer(value), offset(self.frame, slot, pointer()))
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
            call("mlc_host_fail", self.message(view.msg))

    def check(self, op: ir.Operation) -> None:
        """Ends the call if two values are not in the relation, with a message that contains them."""
        view = tloop.Check(op)
        left, right = self.values[view.left], self.values[view.right]
        with where(_is_violated(view.relation, left, right)):
            call("mlc_host_mismatch", left, right, self.message(view.message))

    def check_data(self, op: ir.Operation) -> None:
        """Calls the runtime, which ends the call for data that are not allowed."""
        self.data_checks.build(op, self.buffers.pointer(op.operands[0]), self.values)

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


def build_function(name: str, operands: str, result: str, ip: ir.InsertionPoint) -> ir.Operation:
    """Builds an external `llvm.func` without a body."""
    return ir.Operation.create(
        llvm.LLVMFunc.NAME,
        regions=1,
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.Type.parse(f"!llvm.func<{result} ({operands})>")),
            "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
        },
        ip=ip,
    )


def declare_callees(module: ir.Operation, entries: Iterable[ir.Operation]) -> None:
    """Declares what entries call: kernels, which are compiled separately, and functions of the runtime."""
    calls = [op for entry in entries for op in collect_ops(entry, [llvm.Call.NAME])]
    for name in sorted({op.attributes["callee"].value for op in calls}):
        at_begin = ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0])
        build_function(name, *RUNTIME.get(name, KERNEL), at_begin)


@dataclass(frozen=True)
class HostEntry(Pass):
    """Replace each host function on buffers by its machine-level form, which fills an array of pointers per
    launch and calls the kernel. Kernels are replaced by declarations. The `scf` ops of control flow stay, on
    integers of 64 bits, for upstream's conversions."""

    name: ClassVar[str] = "host-entry"

    def run(self, op: ir.Operation) -> None:
        functions = host_functions(op)
        entries = [EntryBuilder(function).build() for function in functions]
        kernels = [inner.operation for inner in op.regions[0].blocks[0] if is_kernel(inner.operation)]
        for replaced in [*functions, *kernels]:
            replaced.erase()
        declare_callees(op, entries)
