"""Constants and filled tensors inside kernels."""

from __future__ import annotations

from mlc.bindings import arith, ir
from mlc.passes.lowering.linalg_tools import filled, static_shape, tensor_type
from mlc.passes.lowering.rule import rule


@rule("constant")
def lower_constant(op: ir.Operation) -> list[ir.Value]:
    return [arith.ConstantOp(op.results[0].type, op.attributes["value"]).result]


@rule("full")
def lower_full(op: ir.Operation) -> list[ir.Value]:
    result = op.results[0]
    return [filled(static_shape(result.type), tensor_type(result).element_type, op.attributes["value"].value)]
