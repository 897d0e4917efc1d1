"""Parts of a loop's body: what some of its ops need."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.bindings.operations import address


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
