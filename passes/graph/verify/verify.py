"""graph-verify: shapes of graph ops are complete and agree with their shape functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass, PassError
from mlc.passes.common.rewriting import collect_ops


def violation(op: ir.Operation) -> str:
    """Returns the fault of a graph op, "" if it has none."""
    try:
        refined = graph.refined_types(op)
    except graph.ShapeError as error:
        return graph.describe(op, error)
    hint = "run graph-infer-shapes first"
    if refined is None:
        unranked = next(value.type for value in (*op.operands, *op.results) if not value.type.has_rank)
        return f"'{op.name}' op has a tensor of unknown rank, {unranked}: {hint}"
    for result, complete in zip(op.results, refined, strict=True):
        if result.type != complete:
            return f"'{op.name}' op result is {result.type} where its operands imply {complete}: {hint}"
    return ""


@dataclass(frozen=True)
class Verify(Pass):
    """Check that no graph op has a tensor of unknown rank or a result that says less than its operands do.

    Reports every violation; changes nothing. What each op demands of its operands and attributes the verifier
    checks after every pass.
    """

    name: ClassVar[str] = "graph-verify"

    def run(self, op: ir.Operation) -> bool:
        candidates = [inner for inner in collect_ops(op) if inner.name.startswith("graph.")]
        found = [
            (message, candidate.location) for candidate in candidates if (message := violation(candidate))
        ]
        if found:
            (message, location), *others = found
            raise PassError(message, location, others)
        return False
