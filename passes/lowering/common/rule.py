"""The table of lowering rules: graph op -> function that builds the same computation with linalg ops."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir

# Builds the lowering at the current insertion point and returns one value per result of the op.
Rule = Callable[[ir.Operation], list[ir.Value]]

RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers a lowering rule for `graph.<name>`, for each name."""

    def register(function: Rule) -> Rule:
        RULES.update({f"graph.{name}": function for name in names})
        return function

    return register
