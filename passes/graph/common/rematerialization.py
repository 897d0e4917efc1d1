"""Ops that belong to the kernel that reads what they make: each reader has its own."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import collect_ops, defining_op

# On a conversion or a transpose of what is in memory. Neither another kernel nor @prepare computes it.
REMATERIALIZE = "graph.rematerialize"


def mark(value: ir.Value) -> ir.Value:
    """The value, whose op belongs to its readers from now on."""
    value.owner.operation.attributes[REMATERIALIZE] = ir.UnitAttr.get()
    return value


def in_memory(value: ir.Value) -> ir.Value:
    """The operand of the conversion that makes the value and belongs to its reader; the value if there is
    none."""
    made = defining_op(value, graph.Cast.NAME)
    return value if made is None or REMATERIALIZE not in made.attributes else graph.Cast(made).x


def beneath(value: ir.Value, view: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """A view of a value, which moves its elements or adds zeros: of what is in memory, where the value is a
    conversion that belongs to its reader."""
    seen = view(in_memory(value))
    if seen.type.element_type == graph.element_type(value):
        return seen
    result_type = ir.RankedTensorType.get(seen.type.shape, graph.element_type(value))
    return mark(graph.build("cast", [seen], {}, result_type))


def read_apart(function: ir.Operation) -> None:
    """Clones such an op for each use of its result, just before the reader."""
    # Readers first: of several such ops in sequence each reader gets its own.
    for op in reversed(collect_ops(function)):
        if REMATERIALIZE not in op.attributes:
            continue
        for use in list(op.results[0].uses)[1:]:
            reader, position = use.owner.operation, use.operand_number
            own = op.clone(ir.InsertionPoint(reader)).operation
            reader.operands[position] = own.results[0]
