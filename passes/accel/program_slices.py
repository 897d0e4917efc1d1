"""Parts of a loop's body: what some of its ops need, and copies of ops for other values."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.bindings.identity import address
from mlc.passes.rewriting import collect_ops


def slice_of(ops: Sequence[ir.Operation], block: ir.Block) -> list[ir.Operation]:
    """`ops`, and those ops of `block` that they depend on, in order."""
    wanted = {address(each) for each in ops}
    found: list[ir.Operation] = []
    for each in reversed(list(block.operations)):
        op = each.operation
        if address(op) in wanted:
            found.append(op)
            owners = [value.owner for value in op.operands if not isinstance(value, ir.BlockArgument)]
            wanted.update(address(owner) for owner in owners)
    return found[::-1]


def clone_ops(ops: Sequence[ir.Operation], values: dict[ir.Value, ir.Value]) -> list[ir.Operation]:
    """Copies of ops at the current insertion point, with `values` for what they take; adds what they make to
    it."""
    copies = []
    for op in ops:
        copy = op.clone().operation
        for each in (*collect_ops(copy), copy):
            for index, operand in enumerate(each.operands):
                if operand in values:
                    each.operands[index] = values[operand]
        values.update(zip(op.results, copy.results, strict=True))
        copies.append(copy)
    return copies
