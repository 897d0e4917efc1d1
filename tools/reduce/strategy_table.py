"""The edits by name."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir
from mlc.tools.reduce import edits, strategies

# In the order in which they are tried: those that remove most come first.
STRATEGIES: dict[str, Callable[[ir.Module], list[edits.Edit]]] = {
    "delete ops": edits.delete_ops,
    "functions to declarations": edits.declarations,
    "straighten branches": strategies.straighten_branches,
    "drop blocks": strategies.drop_blocks,
    "return early": strategies.return_early,
    "unwrap regions": edits.unwrap_regions,
    "bypass ops": edits.bypass_ops,
    "constants": edits.constants,
    "function signatures": edits.signatures,
    "drop attributes": edits.drop_attributes,
    "simplify attributes": edits.simplify_attributes,
}
