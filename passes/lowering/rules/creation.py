"""Constants and filled tensors inside kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.bindings import arith, ir, linalg
from mlc.dialects import graph
from mlc.passes.common.constants import i64
from mlc.passes.common.linalg_builders import elementwise, full_tensor, static_shape, tensor_type
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, mul


@rule("constant")
def lower_constant(op: ir.Operation) -> list[ir.Value]:
    return [arith.ConstantOp(graph.Constant(op).result.type, op.attributes["value"]).result]


@rule("full")
def lower_full(op: ir.Operation) -> list[ir.Value]:
    full = graph.Full(op)
    result = full.result
    return [full_tensor(static_shape(result), tensor_type(result).element_type, full.value)]


@rule("range")
def lower_range(op: ir.Operation) -> list[ir.Value]:
    """start + place * delta: no error builds up."""
    start, _limit, delta = op.operands

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        place = arith.index_cast(i64(), linalg.IndexOp(0).result)
        first, step = scalars
        return add(first, mul(convert(place, first.type), step))

    return [elementwise([start, delta], graph.Range(op).result, body)]


@rule("shape_of")
def lower_shape_of(op: ir.Operation) -> list[ir.Value]:
    shape_of = graph.ShapeOf(op)
    shape = np.array(static_shape(shape_of.x), np.int64)
    return [arith.ConstantOp(shape_of.result.type, ir.DenseElementsAttr.get(shape)).result]
