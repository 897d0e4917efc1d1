"""Memory in the machine-level form of a host function: buffers are pointers to arguments, to parts of the
arena, and to what the runtime allocates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from mlc.bindings import arith, func, gpu, ir, llvm, memref
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassError
from mlc.passes.common.constants import i8, i64
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.control import EntryControlBuilder
from mlc.passes.host.common.description import CALLER, OUTPUT
from mlc.passes.host.common.llvm_builders import (
    allocate_on_stack,
    call,
    constant,
    element_address,
    load,
    offset,
    pointer,
    store,
    where,
)

# The bytes that the runtime needs for a transfer in flight.
TRANSFER_BYTES = 40
# More than there are addresses.
MOST_BYTES = 2.0**47


class BufferOps:
    """Builds the code of ops on memory. `buffers` are the addresses of the function's arguments, `control`
    maps its values to those of the entry, `message` gives the index of a text."""

    def __init__(
        self,
        function: ir.Operation,
        buffers: ir.Value,
        control: EntryControlBuilder,
        message: Callable[[str], ir.Value],
    ) -> None:
        self.buffers, self.control, self.values, self.message = buffers, control, control.values, message
        self.arguments = {value: index for index, value in enumerate(func.Func(function).arguments)}
        # The sizes of buffers along their dims; those that are not listed have static ones.
        self.shapes: dict[ir.Value, Sequence[int | ir.Value]] = {}
        self.transfers: dict[ir.Value, ir.Value] = {}
        self.steps: dict[str, Callable[[ir.Operation], None]] = {
            memref.Alloc.NAME: self.allocate,
            memref.Dealloc.NAME: self.release,
            memref.Dim.NAME: self.dim,
            memref.Cast.NAME: self.cast,
            memref.View.NAME: self.view,
            memref.ReinterpretCast.NAME: self.reinterpret,
            memref.Copy.NAME: self.copy,
            memref.Load.NAME: self.load,
            memref.Store.NAME: self.store,
            gpu.Memcpy.NAME: self.start,
            gpu.Wait.NAME: self.wait,
        }
        self.allocate_transfers(function)
        ranks = [
            op.results[0].type.rank for op in collect_ops(function, (memref.Alloc.NAME, memref.View.NAME))
        ]
        if collect_ops(function, [memref.Alloc.NAME]):
            # The memory in which the runtime reads the dims of an output, or of a buffer that is too large.
            self.dims = allocate_on_stack(max(*ranks, 1), i64())

    def pointer(self, buffer: ir.Value) -> ir.Value:
        """Returns the address of a buffer. That of an argument is loaded where it is needed first, outside
        all bodies: ops after them read it too."""
        if buffer not in self.values:
            with self.control.outside():
                slot = offset(self.buffers, self.arguments[buffer], pointer())
                self.values[buffer] = llvm.LoadOp(pointer(), slot).result
        return self.values[buffer]

    def allocate_transfers(self, function: ir.Operation) -> None:
        """Allocates the memory that the runtime needs for each asynchronous transfer, by its token."""
        copies = [gpu.Memcpy(op) for op in collect_ops(function, [gpu.Memcpy.NAME])]
        tokens = [copy.async_token for copy in copies if copy.async_token is not None]
        if tokens:
            words = TRANSFER_BYTES // 8
            memory = allocate_on_stack(words * len(tokens), i64())
            for index, token in enumerate(tokens):
                self.transfers[token] = offset(memory, words * index, i64())

    def extents(self, type_: ir.MemRefType, dynamic: Sequence[ir.Value]) -> list[int | ir.Value]:
        """The sizes of a buffer along its dims; `dynamic` are those that its type does not have."""
        rest = iter(dynamic)
        return [
            self.values[next(rest)] if type_.is_dynamic_dim(axis) else extent
            for axis, extent in enumerate(type_.shape)
        ]

    def shape(self, buffer: ir.Value) -> Sequence[int | ir.Value]:
        """The sizes of a buffer along its dims. Raises PassError if they are not known."""
        if buffer in self.shapes:
            return self.shapes[buffer]
        type_ = ir.MemRefType(buffer.type)
        if not type_.has_static_shape:
            raise PassError("the dims of this buffer are not known", ir.Location.current)
        return list(type_.shape)

    def byte_count(self, buffer: ir.Value) -> ir.Value:
        """The size of a buffer in bytes."""
        extents = self.shape(buffer)
        static = prod(extent for extent in extents if isinstance(extent, int))
        total = constant(static * element_bytes(str(buffer.type.element_type)))
        for extent in extents:
            if not isinstance(extent, int):
                total = llvm.MulOp(total, extent, llvm.IntegerOverflowFlags.none).result
        return total

    def allocate(self, op: ir.Operation) -> None:
        """Allocates a buffer, or the memory of an output."""
        value = memref.Alloc(op).memref
        type_ = ir.MemRefType(value.type)
        extents = self.check_extents(op, type_, memref.Alloc(op).dynamic_sizes)
        size = self.byte_count(value)
        if OUTPUT not in op.attributes:
            self.values[value] = call("mlc_host_allocate", size, result=pointer())
            return
        index = constant(op.attributes[OUTPUT].value)
        self.values[value] = call("mlc_host_output", index, *self.store_dims(extents), size, result=pointer())

    def check_extents(
        self, op: ir.Operation, type_: ir.MemRefType, dynamic: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Returns the sizes of the buffer that an op makes; ends a call in which they are too large."""
        self.shapes[op.results[0]] = self.extents(type_, dynamic)
        extents = [_as_value(extent) for extent in self.shapes[op.results[0]]]
        if CALLER in op.attributes:
            with where(is_too_large(type_, extents)):
                message = self.message(op.attributes[CALLER].value)
                call("mlc_host_too_large", message, *self.store_dims(extents))
        return extents

    def store_dims(self, extents: Sequence[ir.Value]) -> tuple[ir.Value, ir.Value]:
        """Stores sizes for the runtime; returns their count and their address."""
        for index, extent in enumerate(extents):
            llvm.StoreOp(extent, offset(self.dims, index, i64()))
        return constant(len(extents)), self.dims

    def release(self, op: ir.Operation) -> None:
        """Releases a buffer."""
        call("mlc_host_release", self.values[memref.Dealloc(op).memref])

    def dim(self, op: ir.Operation) -> None:
        """Reads a size. Raises PassError if the axis is not static."""
        dim = memref.Dim(op)
        axis = arith.Constant.defining(dim.index)
        if axis is None:
            raise PassError("the axis of a dim is a constant", op.location)
        self.values[dim.result] = _as_value(self.shape(dim.source)[axis.value.value])

    def cast(self, op: ir.Operation) -> None:
        """Keeps the pointer."""
        self.values[memref.Cast(op).dest] = self.pointer(memref.Cast(op).source)

    def view(self, op: ir.Operation) -> None:
        """Adds the offset, in bytes, to the pointer."""
        view = memref.View(op)
        if view.sizes:
            self.check_extents(op, ir.MemRefType(op.results[0].type), view.sizes)
        shift = arith.Constant.defining(view.byte_shift)
        self.shift(op.result, view.source, view.byte_shift if shift is None else shift.value.value, i8())

    def reinterpret(self, op: ir.Operation) -> None:
        """Adds the offset, in elements, to the pointer; strides are row-major."""
        cast = memref.ReinterpretCast(op)
        type_, (static,) = ir.MemRefType(cast.result.type), cast.static_offsets
        self.shapes[cast.result] = self.extents(type_, cast.sizes)
        count = cast.offsets[0] if cast.offsets else static
        self.shift(cast.result, cast.source, count, stored_type(type_))

    def shift(self, part: ir.Value, whole: ir.Value, count: int | ir.Value, element: ir.Type) -> None:
        """Sets the address of a part, `count` elements after that of a buffer."""
        base = self.pointer(whole)
        if isinstance(count, int):
            self.values[part] = offset(base, count, element) if count else base
        else:
            self.values[part] = element_address(base, self.values[count], element)

    def copy(self, op: ir.Operation) -> None:
        """Copies a dense buffer to another one of its shape."""
        source, target = memref.Copy(op).source, memref.Copy(op).target
        llvm.MemcpyOp(self.pointer(target), self.pointer(source), self.byte_count(target), False)

    def start(self, op: ir.Operation) -> None:
        """Starts a transfer. Raises PassError for one without a token, or one that waits for others."""
        copy = gpu.Memcpy(op)
        if copy.async_token is None or copy.async_dependencies:
            raise PassError("a transfer of the host has a token, and waits for no other", op.location)
        ends = self.pointer(copy.dst), self.pointer(copy.src)
        call("mlc_transfer_start", self.transfers[copy.async_token], *ends, self.byte_count(copy.dst))

    def wait(self, op: ir.Operation) -> None:
        """Waits for transfers."""
        for token in gpu.Wait(op).async_dependencies:
            call("mlc_transfer_wait", self.transfers[token])

    def load(self, op: ir.Operation) -> None:
        """Loads an element."""
        view = memref.Load(op)
        self.values[view.result] = load(view.result.type, self.address(view.memref, view.indices))

    def store(self, op: ir.Operation) -> None:
        """Stores an element."""
        view = memref.Store(op)
        store(self.values[view.value], self.address(view.memref, view.indices))

    def address(self, buffer: ir.Value, indices: Sequence[ir.Value]) -> ir.Value:
        """The address of an element of a vector or a scalar."""
        base = self.pointer(buffer)
        if not indices:
            return base
        return element_address(base, self.values[indices[0]], stored_type(ir.MemRefType(buffer.type)))


def _as_value(extent: int | ir.Value) -> ir.Value:
    return constant(extent) if isinstance(extent, int) else extent


def is_too_large(type_: ir.MemRefType, extents: Sequence[ir.Value]) -> ir.Value:
    """Whether a buffer has negative sizes, or more bytes than there are addresses."""
    double, zero = ir.F64Type.get(), constant(0)
    size = _double(float(element_bytes(str(type_.element_type))))
    wrong = None
    for extent in extents:
        size = llvm.FMulOp(size, llvm.SIToFPOp(double, extent).result).result
        negative = llvm.ICmpOp(llvm.ICmpPredicate.slt, extent, zero).result
        wrong = negative if wrong is None else llvm.OrOp(wrong, negative).result
    large = llvm.FCmpOp(llvm.FCmpPredicate.oge, size, _double(MOST_BYTES)).result
    return llvm.OrOp(wrong, large).result


def _double(value: float) -> ir.Value:
    double = ir.F64Type.get()
    return llvm.ConstantOp(double, ir.FloatAttr.get(double, value)).result


def stored_type(type_: ir.MemRefType) -> ir.Type:
    """The integer type of the size of an element in memory."""
    return ir.IntegerType.get_signless(8 * element_bytes(str(type_.element_type)))
