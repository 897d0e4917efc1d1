"""graph-simplify-algebra: identities of arithmetic and logic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.exactness import exactness_option
from mlc.passes.graph.common.rules import apply_rules, joined
from mlc.passes.graph.simplify import bound_rules, chain_rules, factor_rules, identity_rules, order_rules

# Order first: it makes the forms fewer that the others see.
RULES = joined(
    order_rules.RULES, identity_rules.RULES, chain_rules.RULES, bound_rules.RULES, factor_rules.RULES
)


@dataclass(frozen=True)
class SimplifyAlgebra(Pass):
    """Simplify by the identities of arithmetic and logic.

    Neutral and absorbing numbers; a value with itself; functions of their inverse and of themselves; signs
    that pass through sums, products and even functions; bounds of bounds; opposite comparisons; the
    distributive law. Constants come second where order does not matter. What infinities and NaN break
    (x - x -> 0) needs `approximate`, what the sign of zero breaks (x + 0 -> x) needs `rounding`.
    """

    name: ClassVar[str] = "graph-simplify-algebra"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
