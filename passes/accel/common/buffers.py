"""Buffers in shared memory, through the views that programs take of them."""

from __future__ import annotations

from mlc.bindings import ir, memref, vector
from mlc.dialects import accel
from mlc.dialects.accel import SHARED
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.constants import index_constant as index

VIEWS = frozenset({memref.SubView.NAME, memref.Cast.NAME})
REUSE = accel.Reuse.NAME
# Bytes of a row that lie in different banks than those of the rows around it.
_SWIZZLES = (128, 64, 32)


def new_buffer(kind: ir.MemRefType, before: ir.Value | None = None) -> ir.Value:
    """A matrix in shared memory, swizzled as wide as its rows allow: `accel.alloc`, or in the memory of the
    buffer `before` that nothing uses any more."""
    swizzle = {"swizzle": i64_attribute(widest_swizzle(kind))}
    if before is not None:
        return ir.Operation.create(REUSE, [kind], [before], swizzle).results[0]
    stages = {"stages": i64_attribute(1)}
    return ir.Operation.create(accel.Alloc.NAME, [kind], [], {**stages, **swizzle}).results[0]


def matrix_type(rows: int, columns: int, element: ir.Type) -> ir.MemRefType:
    """Of a matrix in shared memory."""
    return ir.MemRefType.get([rows, columns], element, None, ir.Attribute.parse(SHARED))


def new_matrix(rows: int, columns: int, element: ir.Type) -> ir.Value:
    """A matrix in shared memory of its own."""
    return new_buffer(matrix_type(rows, columns, element))


def write_matrix(matrix: ir.Value, buffer: ir.Value) -> None:
    """All of a matrix to shared memory."""
    start, everywhere = [index(0)] * 2, ir.AffineMapAttr.get(ir.AffineMap.get_identity(2))
    inside = ir.ArrayAttr.get([ir.BoolAttr.get(True)] * 2)
    vector.TransferWriteOp(None, matrix, buffer, start, everywhere, inside)


def widest_swizzle(kind: ir.MemRefType) -> int:
    """0 where rows are too short."""
    row = kind.shape[-1] * element_bytes(kind.element_type)
    return next((swizzle for swizzle in _SWIZZLES if row % swizzle == 0), 0)


def root_of(value: ir.Value) -> ir.Value:
    """The memory that a view is of, or a buffer that takes the place of another one."""
    return _back(value, VIEWS | {REUSE})


def allocation(buffer: ir.Value) -> ir.Operation:
    """The `accel.alloc` or `accel.reuse` of a buffer in shared memory, or of what it is a part of."""
    return _back(buffer, VIEWS).owner.operation


def _back(value: ir.Value, names: frozenset[str]) -> ir.Value:
    while not isinstance(value, ir.BlockArgument) and value.owner.name in names:
        value = value.owner.operands[0]
    return value


def copies_into(buffer: ir.Value) -> list[ir.Operation]:
    """The copies that fill a buffer, or parts of it."""
    return [op for op, number in _uses(buffer) if op.name == accel.Copy.NAME and number == 1]


def readers(buffer: ir.Value) -> list[ir.Operation]:
    """All ops that use a buffer, or parts of it, but for the copies that fill it."""
    return [op for op, number in _uses(buffer) if op.name != accel.Copy.NAME or number == 0]


def users(buffer: ir.Value) -> list[ir.Operation]:
    """All ops that use a buffer, or parts of it."""
    return [op for op, _ in _uses(buffer)]


def is_bulk(op: ir.Operation) -> bool:
    """Whether the copy engine is to copy a tile to global memory."""
    return op.name == accel.Copy.NAME and accel.Copy(op).bulk


def ends_at_semaphore(copy: ir.Operation) -> bool:
    """Whether a copy's token goes to a semaphore, to which TMA reports; others are waited for by threads."""
    (use,) = copy.results[0].uses
    return bool(use.owner.operation.name == accel.Notify.NAME)


def _uses(buffer: ir.Value) -> list[tuple[ir.Operation, int]]:
    """The ops that use a buffer or a view of it, and as which operand; not those that use its memory once
    more."""
    found: list[tuple[ir.Operation, int]] = []
    for use in buffer.uses:
        op = use.owner.operation
        if op.name != REUSE:
            found += _uses(op.results[0]) if op.name in VIEWS else [(op, use.operand_number)]
    return found
