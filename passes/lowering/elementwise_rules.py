"""Elementwise graph ops: one `linalg.generic` each; upstream's elementwise fusion merges them later."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.lowering.linalg_tools import elementwise
from mlc.passes.lowering.rule import rule
from mlc.passes.lowering.scalars import BODIES


@rule(*BODIES)
def lower_elementwise(op: ir.Operation) -> list[ir.Value]:
    body = BODIES[op.name.removeprefix("graph.")]
    result = op.results[0].type
    element = ir.RankedTensorType(result).element_type
    return [elementwise(list(op.operands), result, lambda scalars: body(scalars, op, element))]
