"""Cloning ops into other bodies."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.tloop.loop_steps.loops import Loop


def clone_ops(
    statements: list[ir.Operation], target: Loop, values: dict[ir.Value, ir.Value]
) -> list[ir.Operation]:
    """Clones ops to the end of the body of `target`; `values` maps old operands to new ones, and learns the
    results."""
    made = []
    for op in statements:
        with ir.InsertionPoint(target.body):
            copy = op.operation.clone()
        for old, new in values.items():
            replace_inside(copy.operation, old, new)
        for old, new in zip(op.results, copy.operation.results, strict=True):
            values[old] = new
        made.append(copy.operation)
    return made


def replace_inside(op: ir.Operation, old: ir.Value, new: ir.Value) -> None:
    """Lets `op` and everything in it use `new` for `old`."""

    def visit(each: ir.Operation) -> ir.WalkResult:
        for position, operand in enumerate(each.operands):
            if operand == old:
                each.operands[position] = new
        return ir.WalkResult.ADVANCE

    op.walk(visit)
