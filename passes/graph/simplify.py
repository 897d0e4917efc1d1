"""graph-simplify: fewer and simpler ops for the same values. The rules are in `simplify_*.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.graph import simplify_arithmetic, simplify_idioms, simplify_movement
from mlc.passes.graph.values import Rule, on_ranked, replacing
from mlc.passes.patterns import FirstOf, Pattern
from mlc.passes.rewriting import apply_patterns

_FAMILIES = (simplify_movement.RULES, simplify_arithmetic.RULES, simplify_idioms.RULES)


def _rules(name: str) -> list[Rule]:
    return [rule for family in _FAMILIES for rule in family.get(name, ())]


def _pattern(name: str) -> Pattern:
    """All that is tried on the ops of one name: operand order first, so that the rules see few forms."""
    order = simplify_arithmetic.PATTERNS.get(name)
    ordering = [] if order is None else [order]
    return on_ranked(FirstOf(*ordering, *(replacing(rule) for rule in _rules(name))))


_NAMES = {name for family in (*_FAMILIES, simplify_arithmetic.PATTERNS) for name in family}
PATTERNS: dict[str, Pattern] = {name: _pattern(name) for name in sorted(_NAMES)}


@dataclass(frozen=True)
class Simplify(Pass):
    """Remove ops that do nothing, join those that are one, and recognise what exporters took apart.

    No-ops (identity, reshape to the same shape, `x * 1`, ...); chains of reshapes and of transposes; views of
    weights; arithmetic on single numbers; GELU, SiLU, LayerNorm and RMSNorm from their parts. The constant
    operand of commutative ops comes second.
    """

    name: ClassVar[str] = "graph-simplify"
    exactness: ClassVar[str] = "rounding"

    def run(self, op: ir.Operation) -> None:
        apply_patterns(op, PATTERNS)
