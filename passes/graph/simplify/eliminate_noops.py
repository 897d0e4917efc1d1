"""graph-eliminate-noops: ops that do nothing go, and chains that are one op become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.graph.common.rules import apply_rules, join_tables
from mlc.passes.graph.simplify import copy_rules, slice_rules, view_rules

RULES = join_tables(view_rules.RULES, slice_rules.RULES, copy_rules.RULES)


@dataclass(frozen=True)
class EliminateNoops(Pass):
    """Remove ops that do nothing, and join chains of views, transposes, slices, casts and copies.

    Identities; casts, reshapes, transposes, slices, pads, expansions and tiles of nothing; reshapes of
    reshapes, transposes of transposes, slices of slices; casts to a type that holds the value and back;
    concats of one operand, of concats, of neighbouring slices of one value; slices of concats; views of
    weights and constants. All exact. Where a dim is not known, a rule applies only if it cannot matter.
    """

    name: ClassVar[str] = "graph-eliminate-noops"

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, "exact")
