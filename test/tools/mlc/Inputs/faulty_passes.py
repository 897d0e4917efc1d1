"""A plugin with a pass that makes results wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass, option

ALWAYS = "always"


@dataclass(frozen=True)
class MakeWrong(Pass):
    """Scales the results of ops."""

    name: ClassVar[str] = "test-make-wrong"

    op: str = option("relu", help="The op whose results are scaled.")
    factor: float = option(2.0, help="The factor.")
    where: str = option(ALWAYS, help="always, computed: if its operand is a result, fused: if nothing else "
                        "reads its operand.")  # fmt: skip

    def run(self, op: ir.Operation) -> bool:
        found: list[ir.Operation] = []

        def visit(visited: ir.Operation) -> ir.WalkResult:
            if visited.name == f"graph.{self.op}" and self._applies(visited.operands[0]):
                found.append(visited)
            return ir.WalkResult.ADVANCE

        op.walk(visit)
        for wrong in found:
            self._scale(wrong)
        return bool(found)

    def _applies(self, operand: ir.Value) -> bool:
        if self.where == ALWAYS:
            return True
        return isinstance(operand, ir.OpResult) and (self.where == "computed" or len(list(operand.uses)) == 1)

    def _scale(self, op: ir.Operation) -> None:
        result = op.results[0]
        users = [(use.owner, use.operand_number) for use in result.uses]
        with ir.InsertionPoint.after(op), op.location:
            dtype = graph.element_type(result)
            factor = ir.DenseElementsAttr.get_splat(
                ir.RankedTensorType.get([], dtype), ir.FloatAttr.get(dtype, self.factor)
            )
            scaled = graph.build("mul", [result, graph.build("constant", [], {"value": factor})])
        for user, index in users:
            user.operands[index] = scaled


def register(registry: Any) -> None:
    """The entry point of --load-plugin."""
    registry.register(MakeWrong.name, MakeWrong)
