"""Tables of rules: which rules a pass tries on which op, within a class of exactness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from mlc.bindings import ir
from mlc.passes.common.patterns import FirstOf, Pattern
from mlc.passes.common.rewriting import apply_patterns
from mlc.passes.exactness import is_allowed
from mlc.passes.graph.common.values import Rule, is_ranked, on_ranked, replacing

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Rules by op name ("graph.add"), in the order in which they are tried.
Rules = Mapping[str, Sequence[Rule]]


def join_tables(*tables: Rules) -> dict[str, tuple[Rule, ...]]:
    """One table of all rules: those of earlier tables are tried first."""
    names = sorted({name for table in tables for name in table})
    return {name: tuple(rule for table in tables for rule in table.get(name, ())) for name in names}


def patterns(rules: Rules, exactness: str) -> dict[str, Pattern]:
    """The rules of the class `exactness`, and of stricter ones, as a pattern per op name."""
    chosen = {
        name: [rule for rule in listed if is_allowed(rule, exactness)] for name, listed in rules.items()
    }
    return {name: on_ranked(FirstOf(*map(replacing, listed))) for name, listed in chosen.items() if listed}


def rule_of(table: Mapping[str, _Function], op: ir.Operation, exactness: str) -> _Function | None:
    """Returns the entry of a table of functions by op name for `op`; None where it is of a worse class than
    `exactness`, where a rank is unknown, and for ops of several results."""
    rule = table.get(op.name)
    if rule is None or len(op.results) != 1 or not is_ranked(op) or not is_allowed(rule, exactness):
        return None
    return rule


def apply_rules(root: ir.Operation, rules: Rules, exactness: str) -> bool:
    """Applies the rules within a class of exactness to a fixed point; whether anything changed."""
    return apply_patterns(root, patterns(rules, exactness))
