"""Copies of ops for other operands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlc.bindings import ir
from mlc.passes.common.rewriting import collect_ops, terminator_of


def clone_ops(ops: Iterable[ir.Operation], values: dict[ir.Value, ir.Value]) -> list[ir.Operation]:
    """Copies of ops at the current insertion point, with `values` for what they and the ops inside them take;
    adds what the copies make to it."""
    copies = []
    for op in ops:
        copy = op.operation.clone().operation
        replace_operands(copy, values)
        values.update(zip(op.results, copy.results, strict=True))
        copies.append(copy)
    return copies


def clone_body(body: ir.Block, values: dict[ir.Value, ir.Value]) -> list[ir.Value]:
    """`clone_ops` of a body without its terminator; what the terminator takes, in terms of the copies."""
    clone_ops([op.operation for op in list(body.operations)[:-1]], values)
    return [values.get(operand, operand) for operand in terminator_of(body).operands]


def replace_operands(op: ir.Operation, values: Mapping[ir.Value, ir.Value]) -> None:
    """Lets `op` and the ops inside it take `values` for their operands."""
    inside = collect_ops(op) if len(op.regions) else []
    for each in (*inside, op):
        for position, operand in enumerate(each.operands):
            if operand in values:
                each.operands[position] = values[operand]
