"""graph-reassociate-constants: constants meet, and factors go into weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.exactness import exactness_option
from mlc.passes.graph.common.rules import apply_rules, joined
from mlc.passes.graph.simplify import constant_rules, scale_rules

RULES = joined(constant_rules.RULES, scale_rules.RULES)


@dataclass(frozen=True)
class ReassociateConstants(Pass):
    """Bring constants together, where they are computed once and for all.

    Arithmetic on single numbers; chains of offsets, of factors, and of differences and quotients of
    constants; signs into factors; differences of constants as sums. A factor in front of a product, behind
    views of one, or of attention's scores goes into constant weights that nothing else uses; factors right
    behind a product are left to graph-fold-scale. Ops with other users stay.
    """

    name: ClassVar[str] = "graph-reassociate-constants"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
