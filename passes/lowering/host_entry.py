"""host-entry: host functions on buffers get the signature of the kernel contract and call the compiled
kernels."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from mlc.bindings import ir, llvm
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import Pass, PassFailure
from mlc.passes.graph.form_kernels import is_host
from mlc.passes.rewriting import collect_ops

PREFIX = "mlc_"
_STEPS = ("tloop.launch_into", "memref.copy")


@dataclass(frozen=True)
class Place:
    """A buffer as an argument's index and an offset in bytes."""

    argument: int
    offset: int = 0


def places_of(function: ir.Operation) -> dict[ir.Value, Place]:
    """The place of every memref of the function. Raises PassFailure unless host-plan-memory made it."""
    kind = function.attributes["function_type"].value
    if kind.results or not all(isinstance(each, ir.MemRefType) for each in kind.inputs):
        raise PassFailure(
            "the host function is not on buffers; run host-plan-memory first", function.location
        )
    block = function.regions[0].blocks[0]
    places = {argument: Place(index) for index, argument in enumerate(block.arguments)}
    for op in [each.operation for each in block.operations]:
        if op.name == "memref.view":
            offset = op.operands[1].owner.operation.attributes["value"].value
            places[op.results[0]] = Place(places[op.operands[0]].argument, offset)
        elif op.name == "memref.reinterpret_cast":
            source, (first,) = places[op.operands[0]], op.attributes["static_offsets"]
            width = element_bytes(str(op.results[0].type.element_type))
            places[op.results[0]] = Place(source.argument, source.offset + first * width)
        elif op.name not in ("arith.constant", *_STEPS, "func.return"):
            raise PassFailure(f"'{op.name}' cannot be part of a host function", op.location)
    return places


class EntryBuilder:
    """Builds `void mlc_<name>(void **buffers, int64_t *dims)` from the function on memrefs."""

    def __init__(self, function: ir.Operation) -> None:
        self.function = function
        self.places = places_of(function)
        self.steps = collect_ops(function, _STEPS)
        self.pointer = ir.Type.parse("!llvm.ptr")
        self.bases: dict[int, ir.Value] = {}

    def build(self) -> None:
        name = PREFIX + self.function.attributes["sym_name"].value
        kind = ir.TypeAttr.get(ir.Type.parse("!llvm.func<void (ptr, ptr)>"))
        entry = ir.Operation.create(
            "llvm.func",
            regions=1,
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "function_type": kind,
                "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
            },
            ip=ir.InsertionPoint(self.function),
            loc=self.function.location,
        )
        block = entry.regions[0].blocks.append(self.pointer, self.pointer)
        with ir.InsertionPoint(block), self.function.location:
            self.body(*block.arguments)
            llvm.ReturnOp()

    def body(self, buffers: ir.Value, dims: ir.Value) -> None:
        widest = max((len(op.operands) for op in self.steps), default=1)
        count = self.constant(widest)
        frame = llvm.AllocaOp(self.pointer, count, ir.TypeAttr.get(self.pointer)).result
        for op in self.steps:
            with op.location:
                if op.name == "memref.copy":
                    self.copy(op, buffers)
                else:
                    self.launch(op, buffers, frame, dims)

    def launch(self, op: ir.Operation, buffers: ir.Value, frame: ir.Value, dims: ir.Value) -> None:
        for slot, value in enumerate(op.operands):
            address = self.address(buffers, self.places[value])
            llvm.StoreOp(address, self.offset(frame, slot, self.pointer))
        self.call(ir.FlatSymbolRefAttr.get(op.attributes["kernel"].value), frame, dims)

    def copy(self, op: ir.Operation, buffers: ir.Value) -> None:
        """Copies one dense buffer to another of its shape."""
        source, target = (self.address(buffers, self.places[value]) for value in op.operands)
        kind = ir.MemRefType(op.operands[0].type)
        size = prod(kind.shape) * element_bytes(str(kind.element_type))
        llvm.MemcpyOp(target, source, self.constant(size), False)

    def call(self, callee: ir.Attribute, frame: ir.Value, dims: ir.Value) -> None:
        ir.Operation.create(
            "llvm.call",
            operands=[frame, dims],
            attributes={
                "callee": callee,
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([2, 0]),
                "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
            },
        )

    def constant(self, value: int) -> ir.Value:
        kind = ir.IntegerType.get_signless(64)
        return llvm.ConstantOp(kind, ir.IntegerAttr.get(kind, value)).result

    def offset(self, base: ir.Value, index: int, element: ir.Type) -> ir.Value:
        indices = ir.DenseI32ArrayAttr.get([index]) if index < 2**31 else None
        if indices is not None:
            return llvm.GEPOp(self.pointer, base, [], indices, ir.TypeAttr.get(element), None).result
        dynamic = ir.DenseI32ArrayAttr.get([-(2**31)])
        return llvm.GEPOp(
            self.pointer, base, [self.constant(index)], dynamic, ir.TypeAttr.get(element), None
        ).result

    def address(self, buffers: ir.Value, place: Place) -> ir.Value:
        if place.argument not in self.bases:
            self.bases[place.argument] = llvm.LoadOp(
                self.pointer, self.offset(buffers, place.argument, self.pointer)
            ).result
        base = self.bases[place.argument]
        return self.offset(base, place.offset, ir.IntegerType.get_signless(8)) if place.offset else base


def declare_kernels(module: ir.Operation, names: set[str]) -> None:
    """Kernels are compiled on their own; the host only needs their declarations."""
    body = module.regions[0].blocks[0]
    for name in sorted(names):
        attributes = {
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.Type.parse("!llvm.func<void (ptr, ptr)>")),
            "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
        }
        ir.Operation.create(
            "llvm.func", regions=1, attributes=attributes, ip=ir.InsertionPoint.at_block_begin(body)
        )


@dataclass(frozen=True)
class HostEntry(Pass):
    """Replace each host function on buffers by its machine-level form, which fills an array of pointers per
    launch and calls the kernel. The kernels themselves leave the module: declarations stay."""

    name: ClassVar[str] = "host-entry"

    def run(self, op: ir.Operation) -> None:
        body = op.regions[0].blocks[0]
        functions = [each.operation for each in body if is_host(each.operation)]
        names = {
            launch.attributes["kernel"].value
            for function in functions
            for launch in collect_ops(function, ["tloop.launch_into"])
        }
        for function in functions:
            EntryBuilder(function).build()
            function.erase()
        for kernel in [each.operation for each in body if "tloop.kernel" in each.operation.attributes]:
            kernel.erase()
        declare_kernels(op, names)
