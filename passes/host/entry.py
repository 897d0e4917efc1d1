"""host-entry: host functions on buffers get the signature of the kernel contract and call the compiled
kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import func, gpu, ir, llvm, memref
from mlc.dialects import tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import i8, i64
from mlc.passes.common.kernel_functions import is_kernel
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.host.common.control import EntryControlBuilder
from mlc.passes.host.common.data_checks import FUNCTIONS, SIGNATURE, DataCheckCalls, data_checks
from mlc.passes.host.common.description import PlanAttributes
from mlc.passes.host.common.llvm_builders import (
    allocate_on_stack,
    call,
    constant,
    element_address,
    load,
    offset,
    pointer,
    store,
)
from mlc.passes.host.offsets import STEPS, BufferAddress, buffer_addresses
from mlc.passes.host.sized.entry import SIGNATURES, SizedEntryBuilder, is_sized

PREFIX = "mlc_"
# Transfers that overlap with kernels: the runtime's functions, and the bytes that it needs for each
# (mlc_runtime.h).
START, WAIT, TRANSFER_BYTES = "mlc_transfer_start", "mlc_transfer_wait", 40


class EntryBuilder:
    """Builds `void mlc_<name>(void **buffers, int64_t *dims)` from the function on memrefs."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        if is_sized(function):
            return
        self.addresses = buffer_addresses(function)
        self.steps = collect_ops(function, STEPS)
        self.transfers: dict[ir.Value, ir.Value] = {}
        self.bases: dict[int, ir.Value] = {}
        self.control = EntryControlBuilder(self)

    def build(self) -> None:
        """Builds the entry before the function."""
        name = PREFIX + func.Func(self.function).sym_name
        entry = ir.Operation.create(
            llvm.LLVMFunc.NAME,
            regions=1,
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "function_type": ir.TypeAttr.get(ir.Type.parse("!llvm.func<void (ptr, ptr)>")),
                "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
            },
            ip=ir.InsertionPoint(self.function),
            loc=self.function.location,
        )
        (region,) = entry.regions
        block = region.blocks.append(pointer(), pointer())
        with ir.InsertionPoint(block), self.function.location:
            if is_sized(self.function):
                SizedEntryBuilder(self.function).body(*block.arguments)
            else:
                self.body(*block.arguments)
            llvm.ReturnOp()

    def body(self, buffers: ir.Value, dims: ir.Value) -> None:
        """Builds the entry's body at the insertion point."""
        widest = max((len(op.operands) for op in self.steps), default=1)
        frame = allocate_on_stack(widest, pointer())
        self.allocate_transfers()
        self.checks = DataCheckCalls(self.function, PlanAttributes(self.function).messages)
        self.build_steps: dict[str, Callable[[ir.Operation], None]] = {
            memref.Copy.NAME: lambda op: self.copy(op, buffers),
            gpu.Memcpy.NAME: lambda op: self.start(op, buffers),
            gpu.Wait.NAME: self.wait,
            tloop.LaunchInto.NAME: lambda op: self.launch(op, buffers, frame, dims),
            **dict.fromkeys(tloop.DATA_CHECKS, lambda op: self.check_data(op, buffers)),
            memref.Load.NAME: lambda op: self.load(op, buffers),
            memref.Store.NAME: lambda op: self.store(op, buffers),
        }
        self.block(func.Func(self.function).entry_block)

    def block(self, block: ir.Block) -> None:
        """Builds the ops of a block at the insertion point."""
        for op in [op.operation for op in block.operations]:
            with op.location:
                if op.name in self.build_steps:
                    self.build_steps[op.name](op)
                else:
                    self.control.build(op)

    def allocate_transfers(self) -> None:
        """Allocates the memory that the runtime needs for each asynchronous transfer, by its token."""
        copies = [gpu.Memcpy.match(op) for op in self.steps]
        tokens = [copy.async_token for copy in copies if copy is not None and copy.async_token is not None]
        if tokens:
            words = TRANSFER_BYTES // 8
            memory = allocate_on_stack(words * len(tokens), i64())
            for index, token in enumerate(tokens):
                self.transfers[token] = offset(memory, words * index, i64())

    def launch(self, op: ir.Operation, buffers: ir.Value, frame: ir.Value, dims: ir.Value) -> None:
        """Fills the frame with the addresses of the operands, and calls the kernel."""
        for slot, value in enumerate(op.operands):
            address = self.address(buffers, self.addresses[value])
            llvm.StoreOp(address, offset(frame, slot, pointer()))
        call(tloop.LaunchInto(op).kernel, frame, dims)

    def check_data(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Calls the runtime, which ends the call for data that are not allowed."""
        address = self.address(buffers, self.addresses[op.operands[0]])
        self.checks.build(op, address, self.control.values)

    def copy(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Copies one dense buffer to another of its shape."""
        copy = memref.Copy(op)
        source, target = (
            self.address(buffers, self.addresses[value]) for value in (copy.source, copy.target)
        )
        llvm.MemcpyOp(target, source, self.size(copy.source), False)

    def start(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Starts a transfer. Raises PassError for one without a token, or one that waits for others."""
        copy = gpu.Memcpy(op)
        if copy.async_token is None or copy.async_dependencies:
            raise PassError("a transfer of the host has a token, and waits for no other", op.location)
        target, source = (self.address(buffers, self.addresses[value]) for value in (copy.dst, copy.src))
        call(START, self.transfers[copy.async_token], target, source, self.size(copy.dst))

    def load(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Loads a scalar from its buffer."""
        view = memref.Load(op)
        address = self.address(buffers, self.addresses[view.memref])
        self.control.values[view.result] = load(view.result.type, address)

    def store(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Stores a scalar to its buffer."""
        view = memref.Store(op)
        store(self.control.values[view.value], self.address(buffers, self.addresses[view.memref]))

    def wait(self, op: ir.Operation) -> None:
        """Waits for transfers."""
        for token in gpu.Wait(op).async_dependencies:
            call(WAIT, self.transfers[token])

    def size(self, buffer: ir.Value) -> ir.Value:
        """Bytes of a buffer."""
        type_ = ir.MemRefType(buffer.type)
        return constant(prod(type_.shape) * element_bytes(str(type_.element_type)))

    def address(self, buffers: ir.Value, where: BufferAddress) -> ir.Value:
        """Computes the address of a buffer."""
        if where.argument not in self.bases:
            # Loaded outside all bodies: ops after them read it too.
            with self.control.outside():
                self.bases[where.argument] = llvm.LoadOp(
                    pointer(), offset(buffers, where.argument, pointer())
                ).result
        base, byte = self.bases[where.argument], i8()
        address = offset(base, where.offset, byte) if where.offset else base
        if where.index is None:
            return address
        element = byte if where.width == 1 else ir.IntegerType.get_signless(8 * where.width)
        return element_address(address, self.control.values[where.index], element)


def declare(
    module: ir.Operation, functions: Mapping[str, str], others: Mapping[str, tuple[str, str]]
) -> None:
    """Declares kernels, which are compiled separately, and functions of the runtime. `functions` gives the
    operands' types by name, `others` also the result's."""
    body = module.regions[0].blocks[0]
    signatures = {name: (operands, "void") for name, operands in functions.items()}
    for name, (operands, result) in sorted({**signatures, **others}.items()):
        attributes = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.Type.parse(f"!llvm.func<{result} ({operands})>")),
            "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
        }
        ir.Operation.create(
            llvm.LLVMFunc.NAME, regions=1, attributes=attributes, ip=ir.InsertionPoint.at_block_begin(body)
        )


@dataclass(frozen=True)
class HostEntry(Pass):
    """Replace each host function on buffers by its machine-level form, which fills an array of pointers per
    launch and calls the kernel. Kernels are replaced by declarations. The `scf` ops of control flow stay, on
    integers of 64 bits, for upstream's conversions."""

    name: ClassVar[str] = "host-entry"

    def run(self, op: ir.Operation) -> None:
        body, functions = op.regions[0].blocks[0], host_functions(op)
        called = {
            tloop.LaunchInto(launch).kernel: "ptr, ptr"
            for function in functions
            for launch in collect_ops(function, [tloop.LaunchInto.NAME])
        }
        if any(collect_ops(function, [gpu.Memcpy.NAME]) for function in functions):
            called |= {START: "ptr, ptr, ptr, i64", WAIT: "ptr"}
        called |= {FUNCTIONS[op.name]: SIGNATURE for function in functions for op in data_checks(function)}
        sized = any(map(is_sized, functions))
        for function in functions:
            EntryBuilder(function).build()
            function.erase()
        for kernel in [inner.operation for inner in body if is_kernel(inner.operation)]:
            kernel.erase()
        declare(op, called, SIGNATURES if sized else {})
