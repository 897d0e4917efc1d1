"""A plugin with a pass that counts, for the test of statistics."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops


@dataclass(frozen=True)
class CountOps(Pass):
    """Counts ops, and the ops among them that return."""

    name = "test-count"
    anchor = "func.func"

    def run(self, op: ir.Operation) -> None:
        for counted in collect_ops(op):
            self.count("num-ops", help="Number of ops")
            self.count("num-returns", int(counted.name == "func.return"), help="Number of ops that return")


def register(registry: object) -> None:
    registry.register(CountOps.name, CountOps)  # type: ignore[attr-defined]
