"""Buffers in shared memory: their allocation, and their uses through views of them."""

from __future__ import annotations

from mlc.bindings import ir, memref, vector
from mlc.dialects import accel
from mlc.dialects.accel import SHARED
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.constants import index_constant as index

VIEWS = frozenset({memref.SubView.NAME, memref.Cast.NAME})
REUSE = accel.Reuse.NAME
# Bytes of a row that a swizzle moves to other banks than those of adjacent rows.
_SWIZZLES = (128, 64, 32)


def new_buffer(memory_type: ir.MemRefType, before: ir.Value | None = None) -> ir.Value:
    """Allocates a matrix in shared memory with the widest swizzle that its rows allow: `accel.alloc`, or
    `accel.reuse` of the buffer `before`, which nothing uses any more."""
    swizzle = {"swizzle": i64_attribute(widest_swizzle(memory_type))}
    if before is not None:
        return accel.Reuse(ir.Operation.create(REUSE, [memory_type], [before], swizzle)).memory
    stages = {"stages": i64_attribute(1)}
    return accel.Alloc(ir.Operation.create(accel.Alloc.NAME, [memory_type], [], {**stages, **swizzle})).memory


def matrix_type(rows: int, columns: int, element: ir.Type) -> ir.MemRefType:
    """Returns the type of a matrix in shared memory."""
    return ir.MemRefType.get([rows, columns], element, None, ir.Attribute.parse(SHARED))


def new_matrix(rows: int, columns: int, element: ir.Type) -> ir.Value:
    """Allocates a matrix in shared memory."""
    return new_buffer(matrix_type(rows, columns, element))


def write_matrix(matrix: ir.Value, buffer: ir.Value) -> None:
    """Writes all of a matrix to a buffer in shared memory."""
    start, everywhere = [index(0)] * 2, ir.AffineMapAttr.get(ir.AffineMap.get_identity(2))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * 2)
    vector.TransferWriteOp(None, matrix, buffer, start, everywhere, inside)


def widest_swizzle(memory_type: ir.MemRefType) -> int:
    """Returns the widest swizzle of the rows of a buffer in bytes; 0 if they are too short for any."""
    row = memory_type.shape[-1] * element_bytes(memory_type.element_type)
    return next((swizzle for swizzle in _SWIZZLES if row % swizzle == 0), 0)


def root_of(value: ir.Value) -> ir.Value:
    """Returns the buffer whose memory a view, or a buffer that reuses memory, is in."""
    return _trace(value, VIEWS | {REUSE})


def allocation(buffer: ir.Value) -> ir.Operation:
    """Returns the `accel.alloc` or `accel.reuse` of a buffer in shared memory, or of the one that it is a
    view of."""
    return _trace(buffer, VIEWS).owner.operation


def _trace(value: ir.Value, names: frozenset[str]) -> ir.Value:
    while not isinstance(value, ir.BlockArgument) and value.owner.name in names:
        value = value.owner.operands[0]
    return value


def copies_into(buffer: ir.Value) -> list[ir.Operation]:
    """Returns the copies that fill a buffer, or parts of it."""
    return [op for op, position in _uses(buffer) if op.name == accel.Copy.NAME and position == 1]


def readers(buffer: ir.Value) -> list[ir.Operation]:
    """Returns all ops that use a buffer, or parts of it, except for the copies that fill it."""
    return [op for op, position in _uses(buffer) if op.name != accel.Copy.NAME or position == 0]


def users(buffer: ir.Value) -> list[ir.Operation]:
    """Returns all ops that use a buffer, or parts of it."""
    return [op for op, _ in _uses(buffer)]


def is_bulk(op: ir.Operation) -> bool:
    """Whether `op` is a copy of a tile to global memory by TMA."""
    return op.name == accel.Copy.NAME and accel.Copy(op).bulk


def ends_at_semaphore(copy: ir.Operation) -> bool:
    """Whether a copy's token goes to a semaphore, which TMA signals; threads wait for others."""
    (use,) = accel.Copy(copy).token.uses
    return bool(use.owner.operation.name == accel.Notify.NAME)


def _uses(buffer: ir.Value) -> list[tuple[ir.Operation, int]]:
    """The ops that use a buffer or a view of it, with the position of the operand; not `accel.reuse`."""
    found: list[tuple[ir.Operation, int]] = []
    for use in buffer.uses:
        op = use.owner.operation
        if op.name != REUSE:
            found += _uses(op.results[0]) if op.name in VIEWS else [(op, use.operand_number)]
    return found
