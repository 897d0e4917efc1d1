"""Passes with a fault each, which the property tests must find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import collect_ops, replace_op


@dataclass(frozen=True)
class DropNegation(Pass):
    """Takes -x for x."""

    name: ClassVar[str] = "test-drop-negation"

    def run(self, op: ir.Operation) -> None:
        for negation in collect_ops(op, "graph.neg"):
            replace_op(negation, negation.operands[0])


@dataclass(frozen=True)
class HideChange(Pass):
    """Marks the module, and says that it changed nothing."""

    name: ClassVar[str] = "test-hide-change"

    def run(self, op: ir.Operation) -> bool:
        op.attributes["test.hidden"] = ir.UnitAttr.get()
        return False
