"""Memory in the machine-level form of a host function with dynamic sizes: buffers are pointers that the
runtime allocates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlc.bindings import arith, ir, llvm, memref
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import collect_ops
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
from mlc.passes.host.sized.storage import CALLER, OUTPUT

if TYPE_CHECKING:
    from collections.abc import Callable

# The runtime's functions (mlc_runtime.h).
ALLOCATE, RELEASE, OUTPUT_MEMORY = "mlc_host_allocate", "mlc_host_release", "mlc_host_output"
# Ends a call that asks for more memory than there are addresses.
TOO_LARGE = "mlc_host_too_large"
# More than there are addresses.
MOST_BYTES = 2.0**47


class BufferOps:
    """Builds the code of `memref` ops. `values` maps the values of the function on memrefs to the entry's,
    `message` gives the index of a text."""

    def __init__(
        self,
        function: ir.Operation,
        values: dict[ir.Value, ir.Value],
        message: Callable[[str], ir.Value],
    ) -> None:
        self.values, self.message = values, message
        # The sizes of buffers along their dims.
        self.shapes: dict[ir.Value, Sequence[ir.Value]] = {}
        self.steps: dict[str, Callable[[ir.Operation], None]] = {
            memref.Alloc.NAME: self.allocate,
            memref.Dealloc.NAME: self.release,
            memref.Dim.NAME: self.dim,
            memref.Cast.NAME: self.cast,
            memref.ReinterpretCast.NAME: self.reinterpret,
            memref.Copy.NAME: self.copy,
            memref.Load.NAME: self.load,
            memref.Store.NAME: self.store,
        }
        made = collect_ops(function, [memref.Alloc.NAME])
        # The memory in which the runtime reads the dims of an output, or of a buffer that is too large.
        ranks = [memref.Alloc(op).memref.type.rank for op in made]
        self.dims = allocate_on_stack(max(ranks, default=1) or 1, i64())

    def extents(self, type_: ir.MemRefType, dynamic: Sequence[ir.Value]) -> list[ir.Value]:
        """The sizes of a buffer along its dims; `dynamic` are those that its type does not have."""
        rest = iter(dynamic)
        return [
            self.values[next(rest)] if type_.is_dynamic_dim(axis) else constant(extent)
            for axis, extent in enumerate(type_.shape)
        ]

    def allocate(self, op: ir.Operation) -> None:
        """Allocates a buffer, or the memory of an output; ends a call that asks for too much."""
        value = memref.Alloc(op).memref
        type_ = ir.MemRefType(value.type)
        extents = self.shapes[value] = self.extents(type_, memref.Alloc(op).dynamic_sizes)
        if CALLER in op.attributes:
            with where(is_too_large(type_, extents)):
                call(TOO_LARGE, self.message(op.attributes[CALLER].value), *self.store_dims(extents))
        size = byte_count(type_, extents)
        if OUTPUT not in op.attributes:
            self.values[value] = call(ALLOCATE, size, result=pointer())
            return
        index = constant(op.attributes[OUTPUT].value)
        self.values[value] = call(OUTPUT_MEMORY, index, *self.store_dims(extents), size, result=pointer())

    def store_dims(self, extents: Sequence[ir.Value]) -> tuple[ir.Value, ir.Value]:
        """Stores sizes for the runtime; returns their count and their address."""
        for index, extent in enumerate(extents):
            llvm.StoreOp(extent, offset(self.dims, index, i64()))
        return constant(len(extents)), self.dims

    def release(self, op: ir.Operation) -> None:
        """Releases a buffer."""
        call(RELEASE, self.values[memref.Dealloc(op).memref])

    def dim(self, op: ir.Operation) -> None:
        """Reads a size. Raises PassError if it is not known."""
        dim = memref.Dim(op)
        axis, shape = arith.Constant.defining(dim.index), self.shapes.get(dim.source)
        if axis is None or shape is None:
            raise PassError("the dims of this buffer are not known", op.location)
        self.values[dim.result] = shape[axis.value.value]

    def cast(self, op: ir.Operation) -> None:
        """Keeps the pointer."""
        self.values[memref.Cast(op).dest] = self.values[memref.Cast(op).source]

    def reinterpret(self, op: ir.Operation) -> None:
        """Adds the offset, in elements, to the pointer; strides are row-major."""
        cast = memref.ReinterpretCast(op)
        type_, base = ir.MemRefType(cast.result.type), self.values[cast.source]
        self.shapes[cast.result] = self.extents(type_, cast.sizes)
        element, (static,) = stored_type(type_), cast.static_offsets
        if cast.offsets:
            self.values[cast.result] = element_address(base, self.values[cast.offsets[0]], element)
        else:
            self.values[cast.result] = offset(base, static, element) if static else base

    def copy(self, op: ir.Operation) -> None:
        """Copies a buffer."""
        source, target = memref.Copy(op).source, memref.Copy(op).target
        size = byte_count(ir.MemRefType(source.type), self.shapes[source])
        llvm.MemcpyOp(self.values[target], self.values[source], size, False)

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
        base = self.values[buffer]
        if not indices:
            return base
        return element_address(base, self.values[indices[0]], stored_type(ir.MemRefType(buffer.type)))


def byte_count(type_: ir.MemRefType, extents: Sequence[ir.Value]) -> ir.Value:
    """The size of a buffer in bytes."""
    total = constant(element_bytes(str(type_.element_type)))
    for extent in extents:
        total = llvm.MulOp(total, extent, llvm.IntegerOverflowFlags.none).result
    return total


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
