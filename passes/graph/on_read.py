"""Ops that belong to the kernel that reads what they make: each reader has its own."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.rewriting import collect_ops

# On a conversion or a transpose of what lies in memory. Neither another kernel nor @prepare computes it.
ON_READ = "graph.on_read"


def mark(value: ir.Value) -> ir.Value:
    """The value, whose op belongs to its readers from now on."""
    value.owner.operation.attributes[ON_READ] = ir.UnitAttr.get()
    return value


def read_apart(function: ir.Operation) -> None:
    """Gives each use of what such an op makes an op of its own, just before the reader."""
    # Readers first: of several such ops behind one another each reader gets its own.
    for op in reversed(collect_ops(function)):
        if ON_READ not in op.attributes:
            continue
        for use in list(op.results[0].uses)[1:]:
            reader, position = use.owner.operation, use.operand_number
            own = op.clone(ir.InsertionPoint(reader)).operation
            reader.operands[position] = own.results[0]
