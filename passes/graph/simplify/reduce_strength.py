"""graph-reduce-strength: costly ops as cheaper ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.exactness import exactness_option
from mlc.passes.graph.common.rules import apply_rules, joined
from mlc.passes.graph.simplify import power_rules, reduction_rules

RULES = joined(power_rules.RULES, reduction_rules.RULES)


@dataclass(frozen=True)
class ReduceStrength(Pass):
    """Replace costly ops by cheaper ones that compute the same.

    Powers with exponents 0 to 4, -1, 0.5 and -0.5 as products, reciprocals and roots; division by constants
    as multiplication; 1 / sqrt(x) as rsqrt; reductions over dims of 1 as views, of reductions as one;
    look-ups at constant indices as slices; where with a constant condition; pooling over one element or over
    everything. A root stands for a power only of what is never negative, unless `approximate` is allowed.
    """

    name: ClassVar[str] = "graph-reduce-strength"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
