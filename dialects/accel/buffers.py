"""Buffers in shared memory."""

import math
from typing import Any

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import SHARED, Accel, fault_at_top_of_launch, is_shared
from mlc.dialects.verification import verifier

# Bytes of a row of a swizzled tile: its pieces of 16 bytes swap places by the number of the row.
SWIZZLES = (0, 32, 64, 128)


def _alloc_fault(op: ext.Operation) -> str:
    memory, stages = op.operation.results[0], op.attributes["stages"].value
    kind, swizzle = memory.type, op.attributes["swizzle"].value
    if fault := _memory_fault(memory):
        return fault
    if stages < 1 or (stages > 1 and (kind.rank < 2 or kind.shape[0] != stages)):
        return f"has {stages} stages, which must be the first dim of its {kind}"
    return _swizzle_fault(kind, swizzle) or fault_at_top_of_launch(op)


def _memory_fault(memory: ir.Value) -> str:
    kind = memory.type
    if not is_shared(memory) or not kind.has_static_shape or not _is_dense(kind):
        return f"makes a dense memref of static shape in {SHARED}, not a {kind}"
    if not isinstance(kind.element_type, ir.IntegerType | ir.FloatType):
        return f"holds integers or floats, not {kind.element_type}"
    return ""


def _swizzle_fault(kind: ir.MemRefType, swizzle: int) -> str:
    if swizzle not in SWIZZLES:
        return f"swizzle must be one of {', '.join(map(str, SWIZZLES))}, but is {swizzle}"
    row_bytes = kind.shape[-1] * element_bits(kind.element_type) // 8 if kind.rank else 0
    if swizzle and (kind.rank < 2 or row_bytes % swizzle):
        return f"has rows of {row_bytes} bytes, which pieces of {swizzle} must divide"
    return ""


def element_bits(kind: ir.Type) -> int:
    """Of an element in memory; truth values take a byte."""
    return max(8, int(kind.width))


def _is_dense(kind: ir.MemRefType) -> bool:
    dense = [math.prod(kind.shape[dim + 1 :]) for dim in range(kind.rank)]
    return bool(kind.get_strides_and_offset() == (dense, 0))


class AllocOp(Accel.Operation, name="alloc"):
    """A buffer in shared memory, which lives as long as the block.

    With several `stages` the first dim is a ring of buffers, of which `memref.subview` gives one. `swizzle`
    is the number of bytes of a row within which pieces of 16 bytes are permuted, by the number of the row, so
    that the elements of a column lie in different banks: 0 for none, or 32, 64, 128. It says where elements
    lie, not which.
    """

    stages: ir.IntegerAttr
    swizzle: ir.IntegerAttr
    memory: ext.Result[Any]

    verify_invariants = verifier(_alloc_fault, stages=ir.IntegerAttr, swizzle=ir.IntegerAttr)


def _reuse_fault(op: ext.Operation) -> str:
    (before,), (after,) = op.operation.operands, op.operation.results
    kind, swizzle = after.type, op.attributes["swizzle"].value
    alloc = views.Alloc.defining(before)
    if alloc is None:
        return "takes the memory of an accel.alloc"
    if fault := _memory_fault(after):
        return fault
    if swizzle and not alloc.swizzle:
        return "makes a swizzled buffer of one that is not"
    given, taken = (_size_bits(each.type) // 8 for each in (before, after))
    if taken > given:
        return f"needs {taken} bytes, but the buffer has {given}"
    return _swizzle_fault(kind, swizzle)


def _size_bits(kind: ir.MemRefType) -> int:
    return math.prod(kind.shape) * element_bits(kind.element_type)


class ReuseOp(Accel.Operation, name="reuse"):
    """Another buffer in the memory of one that nothing uses any more: not the block's warps, nor any copy.

    `swizzle` is that of the new buffer, as of `accel.alloc`.
    """

    swizzle: ir.IntegerAttr
    before: ext.Operand[Any]
    memory: ext.Result[Any]

    verify_invariants = verifier(_reuse_fault, swizzle=ir.IntegerAttr)
