"""Buffers in shared memory, through the views that programs take of them."""

from __future__ import annotations

from mlc.bindings import ir

VIEWS = frozenset({"memref.subview", "memref.cast"})


def root_of(value: ir.Value) -> ir.Value:
    """The memory that a view is of."""
    while not isinstance(value, ir.BlockArgument) and value.owner.name in VIEWS:
        value = value.owner.operands[0]
    return value


def allocation(buffer: ir.Value) -> ir.Operation:
    """The `accel.alloc` of a buffer in shared memory, or of what it is a part of."""
    return root_of(buffer).owner.operation


def copies_into(buffer: ir.Value) -> list[ir.Operation]:
    """The copies that fill a buffer, or parts of it."""
    return [op for op, number in _uses(buffer) if op.name == "accel.copy" and number == 1]


def readers(buffer: ir.Value) -> list[ir.Operation]:
    """All ops that use a buffer, or parts of it, but for the copies that fill it."""
    return [op for op, number in _uses(buffer) if op.name != "accel.copy" or number == 0]


def ends_at_semaphore(copy: ir.Operation) -> bool:
    """Whether a copy's token goes to a semaphore, to which TMA reports; others are waited for by threads."""
    (use,) = copy.results[0].uses
    return bool(use.owner.operation.name == "accel.notify")


def _uses(buffer: ir.Value) -> list[tuple[ir.Operation, int]]:
    """The ops that use a buffer or a view of it, and as which operand."""
    found: list[tuple[ir.Operation, int]] = []
    for use in buffer.uses:
        op = use.owner.operation
        found += _uses(op.results[0]) if op.name in VIEWS else [(op, use.operand_number)]
    return found
