"""Addresses of elements, in plain and in swizzled buffers."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, llvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.threads.common.accesses import stored_type
from mlc.passes.accel.threads.common.code import ThreadMemref
from mlc.passes.common.constants import i8

_DYNAMIC = -(1 << 31)


def element_pointer(memory: ThreadMemref, coordinates: Sequence[Integer]) -> ir.Value:
    """Returns the address of an element."""
    if memory.swizzle:
        return byte_pointer(memory.pointer, swizzled_offset(memory, coordinates))
    products = [integers.multiply(at, stride) for at, stride in zip(coordinates, memory.strides, strict=True)]
    return offset_pointer(memory.pointer, integers.total(products), stored_type(memory.element))


def swizzled_offset(memory: ThreadMemref, coordinates: Sequence[Integer]) -> Integer:
    """Returns the offset in bytes of an element of a swizzled matrix: panels of `swizzle` bytes of columns,
    in which the chunks of 16 bytes of a row are permuted by xor with the row's index."""
    row, column = coordinates
    size = element_bytes(memory.element)
    columns, chunk_bits = memory.swizzle // size, (memory.swizzle // 16).bit_length() - 1
    inner = integers.multiply(integers.mask(column, columns - 1), size)
    # Narrower swizzles are constant over rows that together are 128 bytes long.
    permutation = integers.mask(integers.shift_right(row, 3 - chunk_bits), (1 << chunk_bits) - 1)
    inner = integers.exclusive_or(inner, integers.multiply(permutation, 16))
    panel = integers.shift_right(column, columns.bit_length() - 1)
    panel_bytes = integers.multiply(memory.sizes[0], memory.swizzle)
    return integers.total(
        [integers.multiply(panel, panel_bytes), integers.multiply(row, memory.swizzle), inner]
    )


def byte_pointer(pointer: ir.Value, offset: Integer) -> ir.Value:
    """Returns `pointer` advanced by `offset` bytes."""
    return offset_pointer(pointer, offset, i8())


def offset_pointer(pointer: ir.Value, offset: Integer, element: ir.Type) -> ir.Value:
    """Returns `pointer` advanced by `offset` elements."""
    if offset == 0:
        return pointer
    if isinstance(offset, int):
        return llvm.GEPOp(pointer.type, pointer, [], [offset], element, 0).result
    return llvm.GEPOp(pointer.type, pointer, [offset], [_DYNAMIC], element, 0).result
