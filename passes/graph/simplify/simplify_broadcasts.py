"""graph-simplify-broadcasts: values no larger than they need be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.exactness import exactness_option
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.simplify.broadcast_rules import RULES as BROADCASTS
from mlc.passes.graph.simplify.expanded_reduction_rules import RULES as REDUCTIONS

RULES: Rules = {**BROADCASTS, **REDUCTIONS}


@dataclass(frozen=True)
class SimplifyBroadcasts(Pass):
    """Leave broadcasting to the ops that do it by themselves, and compute before expanding.

    expand, tile of dims of 1 and views with leading dims of 1 in front of elementwise ops and in batch dims
    of matmul go; constants of equal elements become one number; elementwise ops of expanded values move
    before the expansion; reductions over expanded dims are views, or products.
    """

    name: ClassVar[str] = "graph-simplify-broadcasts"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
