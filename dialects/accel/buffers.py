"""Buffers in shared memory."""

import math
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import SHARED, Accel, fault_at_top_of_launch, is_shared
from mlc.dialects.verification import verifier

# Bytes of a row of a swizzled tile, within which chunks of 16 bytes are permuted by the index of the row.
SWIZZLES = (0, 32, 64, 128)


def _alloc_fault(op: ext.Operation) -> str:
    view = views.Alloc(op)
    memref, stages = view.memory.type, view.stages
    if fault := _memory_fault(view.memory):
        return fault
    if stages < 1 or (stages > 1 and (memref.rank < 2 or memref.shape[0] != stages)):
        return f"has {stages} stages, which must be the first dim of its {memref}"
    return _swizzle_fault(memref, view.swizzle) or fault_at_top_of_launch(op)


def _memory_fault(memory: ir.Value) -> str:
    memref = memory.type
    if not is_shared(memory) or not memref.has_static_shape or not _is_dense(memref):
        return f"makes a dense memref of static shape in {SHARED}, not a {memref}"
    if not isinstance(memref.element_type, ir.IntegerType | ir.FloatType):
        return f"holds integers or floats, not {memref.element_type}"
    return ""


def _swizzle_fault(memref: ir.MemRefType, swizzle: int) -> str:
    if swizzle not in SWIZZLES:
        return f"swizzle must be one of {', '.join(map(str, SWIZZLES))}, but is {swizzle}"
    row_bytes = memref.shape[-1] * element_bits(memref.element_type) // 8 if memref.rank else 0
    if swizzle and (memref.rank < 2 or row_bytes % swizzle):
        return f"has rows of {row_bytes} bytes, which pieces of {swizzle} must divide"
    return ""


def element_bits(element: ir.Type) -> int:
    """Bits of an element in memory; booleans take a byte."""
    return max(8, int(element.width))


def _is_dense(memref: ir.MemRefType) -> bool:
    dense = [math.prod(memref.shape[dim + 1 :]) for dim in range(memref.rank)]
    return bool(memref.get_strides_and_offset() == (dense, 0))


class AllocOp(Accel.Operation, name="alloc"):
    """A buffer in shared memory, which lives as long as the thread block.

    With several `stages` the first dim is a ring of buffers, one of which `memref.subview` selects. `swizzle`
    is the number of bytes of a row within which chunks of 16 bytes are permuted, by the index of the row, so
    that the elements of a column are in different banks: 0 for none, or 32, 64, 128. It changes addresses,
    not coordinates.
    """

    stages: ir.IntegerAttr
    swizzle: ir.IntegerAttr
    memory: ext.Result[Any]

    verify_invariants = verifier(_alloc_fault, stages=ir.IntegerAttr, swizzle=ir.IntegerAttr)


def _reuse_fault(op: ext.Operation) -> str:
    view = views.Reuse(op)
    alloc = views.Alloc.defining(view.before)
    if alloc is None:
        return "takes the memory of an accel.alloc"
    if fault := _memory_fault(view.memory):
        return fault
    if view.swizzle and not alloc.swizzle:
        return "makes a swizzled buffer of one that is not"
    available, needed = (_size_bits(buffer.type) // 8 for buffer in (view.before, view.memory))
    if needed > available:
        return f"needs {needed} bytes, but the buffer has {available}"
    return _swizzle_fault(view.memory.type, view.swizzle)


def _size_bits(memref: ir.MemRefType) -> int:
    return math.prod(memref.shape) * element_bits(memref.element_type)


class ReuseOp(Accel.Operation, name="reuse"):
    """A buffer in the memory of another one that neither warps of the thread block nor copies use any more.

    `swizzle` has the meaning of `accel.alloc`'s.
    """

    swizzle: ir.IntegerAttr
    before: ext.Operand[Any]
    memory: ext.Result[Any]

    verify_invariants = verifier(_reuse_fault, swizzle=ir.IntegerAttr)
