"""Memory in the machine-level form of a host function whose sizes only a call tells: buffers are pointers,
which the runtime gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlc.bindings import arith, ir, llvm, memref
from mlc.dialects.graph.elements import element_bytes
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.host.common.llvm_builders import (
    allocated,
    call,
    constant,
    load,
    moved,
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
    """Builds what `memref` ops become. `values` has what stands for the values of the function on memrefs,
    `message` gives the number of a text."""

    def __init__(
        self,
        function: ir.Operation,
        values: dict[ir.Value, ir.Value],
        message: Callable[[ir.Attribute], ir.Value],
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
        # Where the runtime reads the dims of an output, and of what is too large.
        self.dims = allocated(max((op.results[0].type.rank for op in made), default=1) or 1, i64())

    def extents(self, kind: ir.MemRefType, dynamic: Sequence[ir.Value]) -> list[ir.Value]:
        """The sizes of a buffer, of which `dynamic` are those that its type does not tell."""
        rest = iter(dynamic)
        return [
            self.values[next(rest)] if kind.is_dynamic_dim(axis) else constant(extent)
            for axis, extent in enumerate(kind.shape)
        ]

    def allocate(self, op: ir.Operation) -> None:
        value = op.results[0]
        kind = ir.MemRefType(value.type)
        extents = self.shapes[value] = self.extents(kind, op.operands)
        if CALLER in op.attributes:
            with where(is_too_large(kind, extents)):
                call(TOO_LARGE, self.message(op.attributes[CALLER]), *self.told(extents))
        size = byte_count(kind, extents)
        if OUTPUT not in op.attributes:
            self.values[value] = call(ALLOCATE, size, result=pointer())
            return
        index = constant(op.attributes[OUTPUT].value)
        self.values[value] = call(OUTPUT_MEMORY, index, *self.told(extents), size, result=pointer())

    def told(self, extents: Sequence[ir.Value]) -> tuple[ir.Value, ir.Value]:
        """How many sizes there are, and where the runtime reads them."""
        for place, extent in enumerate(extents):
            llvm.StoreOp(extent, offset(self.dims, place, i64()))
        return constant(len(extents)), self.dims

    def release(self, op: ir.Operation) -> None:
        call(RELEASE, self.values[op.operands[0]])

    def dim(self, op: ir.Operation) -> None:
        axis = arith.Constant.defining(op.operands[1])
        shape = self.shapes.get(op.operands[0])
        if axis is None or shape is None:
            raise PassError("the dims of this buffer are not known", op.location)
        self.values[op.results[0]] = shape[axis.value.value]

    def cast(self, op: ir.Operation) -> None:
        self.values[op.results[0]] = self.values[op.operands[0]]

    def reinterpret(self, op: ir.Operation) -> None:
        """The pointer, so many elements further on; strides are those of rows."""
        value, kind = op.results[0], ir.MemRefType(op.results[0].type)
        source, *operands = op.operands
        (static,) = op.attributes["static_offsets"]
        moves = static == ir.ShapedType.get_dynamic_stride_or_offset()
        steps = operands[: int(moves)]
        dynamic = [axis for axis in range(kind.rank) if kind.is_dynamic_dim(axis)]
        self.shapes[value] = self.extents(kind, operands[len(steps) : len(steps) + len(dynamic)])
        element = stored_type(kind)
        if moves:
            self.values[value] = moved(self.values[source], self.values[steps[0]], element)
        else:
            base = self.values[source]
            self.values[value] = offset(base, static, element) if static else base

    def copy(self, op: ir.Operation) -> None:
        source, target = op.operands
        size = byte_count(ir.MemRefType(source.type), self.shapes[source])
        llvm.MemcpyOp(self.values[target], self.values[source], size, False)

    def load(self, op: ir.Operation) -> None:
        buffer, *indices = op.operands
        self.values[op.results[0]] = load(op.results[0].type, self.place(buffer, indices))

    def store(self, op: ir.Operation) -> None:
        value, buffer, *indices = op.operands
        store(self.values[value], self.place(buffer, indices))

    def place(self, buffer: ir.Value, indices: Sequence[ir.Value]) -> ir.Value:
        """The address of an element of a vector or a scalar."""
        base = self.values[buffer]
        if not indices:
            return base
        return moved(base, self.values[indices[0]], stored_type(ir.MemRefType(buffer.type)))


def byte_count(kind: ir.MemRefType, extents: Sequence[ir.Value]) -> ir.Value:
    """The bytes of a buffer."""
    total = constant(element_bytes(str(kind.element_type)))
    for extent in extents:
        total = llvm.MulOp(total, extent, llvm.IntegerOverflowFlags.none).result
    return total


def is_too_large(kind: ir.MemRefType, extents: Sequence[ir.Value]) -> ir.Value:
    """Whether a buffer has negative sizes, or more bytes than there are addresses."""
    double, number = ir.F64Type.get(), constant(0)
    size = _double(float(element_bytes(str(kind.element_type))))
    wrong = None
    for extent in extents:
        size = llvm.FMulOp(size, llvm.SIToFPOp(double, extent).result).result
        negative = llvm.ICmpOp(llvm.ICmpPredicate.slt, extent, number).result
        wrong = negative if wrong is None else llvm.OrOp(wrong, negative).result
    large = llvm.FCmpOp(llvm.FCmpPredicate.oge, size, _double(MOST_BYTES)).result
    return llvm.OrOp(wrong, large).result


def _double(value: float) -> ir.Value:
    kind = ir.F64Type.get()
    return llvm.ConstantOp(kind, ir.FloatAttr.get(kind, value)).result


def stored_type(kind: ir.MemRefType) -> ir.Type:
    """An integer of an element's bytes."""
    return ir.IntegerType.get_signless(8 * element_bytes(str(kind.element_type)))
