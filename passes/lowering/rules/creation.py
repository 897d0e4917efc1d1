"""Constants and filled tensors inside kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.bindings import arith, ir, linalg, tensor
from mlc.dialects import graph
from mlc.passes.common.constants import i64
from mlc.passes.common.linalg_builders import elementwise, full_tensor, static_shape, tensor_type
from mlc.passes.lowering.common.conversions import convert
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, mul


@rule("constant")
def lower_constant(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.constant` to `arith.constant`."""
    type_ = ir.RankedTensorType(graph.Constant(op).result.type)
    if 0 in type_.shape:
        # LLVM IR has no constant arrays of empty ones.
        return [tensor.EmptyOp(list(type_.shape), type_.element_type).result]
    # The attribute as it is: the view would read its elements as an array.
    return [arith.ConstantOp(type_, op.attributes["value"]).result]


@rule("full")
def lower_full(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.full` to a `linalg.generic` that yields the value everywhere."""
    full = graph.Full(op)
    result = full.result
    return [full_tensor(static_shape(result), tensor_type(result).element_type, full.value)]


@rule("range")
def lower_range(op: ir.Operation) -> list[ir.Value]:
    """Computes `start + index * delta`: rounding errors do not accumulate."""
    range_op = graph.Range(op)

    def body(scalars: Sequence[ir.Value]) -> ir.Value:
        index = arith.index_cast(i64(), linalg.IndexOp(0).result)
        first, step = scalars
        return add(first, mul(convert(index, first.type), step))

    return [elementwise([range_op.start, range_op.delta], range_op.result, body)]


@rule("shape_of")
def lower_shape_of(op: ir.Operation) -> list[ir.Value]:
    """Lowers `graph.shape_of` to an `arith.constant` of i64; the shape must be static."""
    shape_of = graph.ShapeOf(op)
    shape = np.array(static_shape(shape_of.x), np.int64)
    return [arith.ConstantOp(shape_of.result.type, ir.DenseElementsAttr.get(shape)).result]
