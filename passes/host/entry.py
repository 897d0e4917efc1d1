"""host-entry: host functions on buffers get the signature of the kernel contract and call the compiled
kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import gpu, ir, llvm, memref
from mlc.dialects import tloop
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import Pass, PassError
from mlc.passes.common.constants import i8, i64
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.graph.fusion.form_kernels import host_functions
from mlc.passes.host.common.control import EntryControlBuilder
from mlc.passes.host.common.llvm_builders import (
    allocated,
    call,
    constant,
    load,
    moved,
    offset,
    pointer,
    store,
)
from mlc.passes.host.offsets import STEPS, BufferAddress, places_of
from mlc.passes.host.sized.entry import SIGNATURES, SizedEntryBuilder, is_sized

PREFIX = "mlc_"
# Transfers that run beside kernels: the runtime's functions, and the bytes that it needs for each
# (mlc_runtime.h).
START, WAIT, TRANSFER_BYTES = "mlc_transfer_start", "mlc_transfer_wait", 40


class EntryBuilder:
    """Builds `void mlc_<name>(void **buffers, int64_t *dims)` from the function on memrefs."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        if is_sized(function):
            return
        self.places = places_of(function)
        self.steps = collect_ops(function, STEPS)
        self.transfers: dict[ir.Value, ir.Value] = {}
        self.bases: dict[int, ir.Value] = {}
        self.control = EntryControlBuilder(self)

    def build(self) -> None:
        name = PREFIX + self.function.attributes["sym_name"].value
        kind = ir.TypeAttr.get(ir.Type.parse("!llvm.func<void (ptr, ptr)>"))
        entry = ir.Operation.create(
            llvm.LLVMFunc.NAME,
            regions=1,
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "function_type": kind,
                "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
            },
            ip=ir.InsertionPoint(self.function),
            loc=self.function.location,
        )
        block = entry.regions[0].blocks.append(pointer(), pointer())
        with ir.InsertionPoint(block), self.function.location:
            if is_sized(self.function):
                SizedEntryBuilder(self.function).body(*block.arguments)
            else:
                self.body(*block.arguments)
            llvm.ReturnOp()

    def body(self, buffers: ir.Value, dims: ir.Value) -> None:
        widest = max((len(op.operands) for op in self.steps), default=1)
        frame = allocated(widest, pointer())
        self.allocate_transfers()
        self.build_steps: dict[str, Callable[[ir.Operation], None]] = {
            memref.Copy.NAME: lambda op: self.copy(op, buffers),
            gpu.Memcpy.NAME: lambda op: self.start(op, buffers),
            gpu.Wait.NAME: self.wait,
            tloop.LaunchInto.NAME: lambda op: self.launch(op, buffers, frame, dims),
            memref.Load.NAME: lambda op: self.load(op, buffers),
            memref.Store.NAME: lambda op: self.store(op, buffers),
        }
        self.block(self.function.regions[0].blocks[0])

    def block(self, block: ir.Block) -> None:
        """What the ops of a block become, at the insertion point."""
        for op in [each.operation for each in block.operations]:
            with op.location:
                if op.name in self.build_steps:
                    self.build_steps[op.name](op)
                else:
                    self.control.build(op)

    def allocate_transfers(self) -> None:
        """What the runtime needs for each transfer beside kernels, by its token."""
        tokens = [
            gpu.Memcpy(op).async_token for op in self.steps if op.name == gpu.Memcpy.NAME and len(op.results)
        ]
        if tokens:
            words = TRANSFER_BYTES // 8
            memory = allocated(words * len(tokens), i64())
            for number, token in enumerate(tokens):
                element = i64()
                self.transfers[token] = offset(memory, words * number, element)

    def launch(self, op: ir.Operation, buffers: ir.Value, frame: ir.Value, dims: ir.Value) -> None:
        for slot, value in enumerate(op.operands):
            address = self.address(buffers, self.places[value])
            llvm.StoreOp(address, offset(frame, slot, pointer()))
        call(op.attributes["kernel"].value, frame, dims)

    def copy(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Copies one dense buffer to another of its shape."""
        source, target = (self.address(buffers, self.places[value]) for value in op.operands)
        llvm.MemcpyOp(target, source, self.size(op), False)

    def start(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Starts a transfer. Raises PassError for one that nobody could wait for, or that waits itself."""
        if not len(op.results) or len(op.operands) != 2:
            raise PassError("a transfer of the host has a token, and waits for no other", op.location)
        target, source = (self.address(buffers, self.places[value]) for value in op.operands)
        call(START, self.transfers[op.results[0]], target, source, self.size(op))

    def load(self, op: ir.Operation, buffers: ir.Value) -> None:
        address = self.address(buffers, self.places[op.operands[0]])
        self.control.values[op.results[0]] = load(op.results[0].type, address)

    def store(self, op: ir.Operation, buffers: ir.Value) -> None:
        store(self.control.values[op.operands[0]], self.address(buffers, self.places[op.operands[1]]))

    def wait(self, op: ir.Operation) -> None:
        for token in op.operands:
            call(WAIT, self.transfers[token])

    def size(self, op: ir.Operation) -> ir.Value:
        """Bytes of a copy."""
        kind = ir.MemRefType(op.operands[0].type)
        return constant(prod(kind.shape) * element_bytes(str(kind.element_type)))

    def address(self, buffers: ir.Value, place: BufferAddress) -> ir.Value:
        if place.argument not in self.bases:
            # Bodies are not all there is to read it.
            with self.control.outside():
                self.bases[place.argument] = llvm.LoadOp(
                    pointer(), offset(buffers, place.argument, pointer())
                ).result
        base, byte = self.bases[place.argument], i8()
        address = offset(base, place.offset, byte) if place.offset else base
        if place.moved is None:
            return address
        element = byte if place.width == 1 else ir.IntegerType.get_signless(8 * place.width)
        return moved(address, self.control.values[place.moved], element)


def declare(
    module: ir.Operation, functions: Mapping[str, str], others: Mapping[str, tuple[str, str]]
) -> None:
    """Kernels are compiled on their own, and the runtime has its functions: the host only needs their
    declarations. `functions` gives the operands' types by name, `others` also the result's."""
    body = module.regions[0].blocks[0]
    given = {name: (operands, "void") for name, operands in functions.items()}
    for name, (operands, result) in sorted({**given, **others}.items()):
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
    launch and calls the kernel. The kernels themselves leave the module: declarations stay. So do
    control flow's `scf` ops, on numbers of 64 bits, for upstream's conversions."""

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
        sized = any(map(is_sized, functions))
        for function in functions:
            EntryBuilder(function).build()
            function.erase()
        for kernel in [each.operation for each in body if "tloop.kernel" in each.operation.attributes]:
            kernel.erase()
        declare(op, called, SIGNATURES if sized else {})
