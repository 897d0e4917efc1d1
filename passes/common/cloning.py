"""Copies of ops for other operands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlc.bindings import ir
from mlc.passes.common.rewriting import collect_ops, terminator_of


def clone_ops(ops: Iterable[ir.Operation], values: dict[ir.Value, ir.Value]) -> list[ir.Operation]:
    """Clones ops at the insertion point, with `values` instead of the operands of the ops and of those inside
    them; adds the results of the copies to `values`."""
    copies = []
    for op in ops:
        copy = op.operation.clone().operation
        replace_operands(copy, values)
        values.update(zip(op.results, copy.results, strict=True))
        copies.append(copy)
    return copies


def clone_body(body: ir.Block, values: dict[ir.Value, ir.Value]) -> list[ir.Value]:
    """Clones a body without its terminator (`clone_ops`); returns what the terminator takes, in terms of the
    copies."""
    clone_ops([op.operation for op in list(body.operations)[:-1]], values)
    return [values.get(operand, operand) for operand in terminator_of(body).operands]


def replace_operands(op: ir.Operation, values: Mapping[ir.Value, ir.Value]) -> None:
    """Replaces the operands of `op` and of the ops inside it by `values`."""
    inside = collect_ops(op) if len(op.regions) else []
    for user in (*inside, op):
        for position, operand in enumerate(user.operands):
            if operand in values:
                user.operands[position] = values[operand]
