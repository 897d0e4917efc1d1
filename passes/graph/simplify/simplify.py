"""graph-simplify: the rules of the node-level and algebra passes, all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.exactness import exactness_option
from mlc.passes.graph.common.rules import apply_rules, join_tables
from mlc.passes.graph.simplify import (
    broadcast_rules,
    eliminate_noops,
    reassociate_constants,
    reduce_strength,
    simplify_algebra,
)

RULES = join_tables(
    eliminate_noops.RULES,
    simplify_algebra.RULES,
    broadcast_rules.RULES,
    reduce_strength.RULES,
    reassociate_constants.RULES,
)


@dataclass(frozen=True)
class Simplify(Pass):
    """Clean up: all rules of the node-level and algebra passes, together to a fixed point.

    The rules of graph-eliminate-noops, graph-simplify-algebra, graph-simplify-broadcasts,
    graph-reduce-strength and graph-reassociate-constants, after passes that leave work for several of them.
    """

    name: ClassVar[str] = "graph-simplify"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
