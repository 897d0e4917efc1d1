"""Branches that are taken in the last iterations of a loop only."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import defining_op

_GREATER = 4  # arith.cmpi's number of sgt


@dataclass(frozen=True)
class Edge:
    """An `scf.if` of a loop's body, whose first region is taken where the counter plus `reach` is greater
    than `limit`."""

    branch: ir.Operation
    reach: int
    limit: ir.Value

    def first(self, lower: ir.Value, step: ir.Value) -> ir.Value:
        """Of the counters `lower`, `lower + step` and so on, the first one at which it is taken."""
        before = arith.subi(arith.subi(self.limit, index(self.reach)), lower)
        # One more than the number of steps that fit, none if not even the first one does.
        count = arith.divui(arith.maxsi(arith.addi(before, step), index(0)), step)
        return arith.addi(lower, arith.muli(count, step))


def edge_of(loop: ir.Operation) -> Edge | None:
    """The only branch of a loop's body; None if there is none, or several, or it depends on other things."""
    body = loop.regions[0].blocks[0]
    branches = [each.operation for each in body.operations if each.operation.name == "scf.if"]
    if len(branches) != 1:
        return None
    compare = defining_op(branches[0].operands[0], "arith.cmpi")
    if compare is None or ir.IntegerAttr(compare.attributes["predicate"]).value != _GREATER:
        return None
    reaches, limit = compare.operands
    total = defining_op(reaches, "arith.addi")
    if total is None or total.operands[0] != body.arguments[0]:
        return None
    reach = defining_op(total.operands[1], "arith.constant")
    if reach is None or _is_in(limit, body):
        return None
    return Edge(branches[0], ir.IntegerAttr(reach.attributes["value"]).value, limit)


def _is_in(value: ir.Value, body: ir.Block) -> bool:
    """Whether a loop's body computes a value, or is given it."""
    inside = [*body.arguments, *(result for op in body.operations for result in op.operation.results)]
    return value in inside
