"""The op around an op."""

from __future__ import annotations

from mlc.bindings import ir


def parent_op(op: ir.Operation | ir.OpView) -> ir.Operation | None:
    """The op that holds `op`, or None at the top, where the bindings raise for ops that are no modules."""
    try:
        parent = op.operation.parent
    except ValueError:
        return None
    return None if parent is None else parent.operation


def outermost_op(op: ir.Operation | ir.OpView) -> ir.Operation:
    """The op around `op` that nothing holds."""
    operation = op.operation
    while (parent := parent_op(operation)) is not None:
        operation = parent
    return operation
