"""Indices as a sum of a constant and something else."""

from __future__ import annotations

from mlc.bindings import affine, arith, ir
from mlc.passes.common.constants import index_constant
from mlc.passes.common.rewriting import defining_op


def offset_by(index: ir.Value, offset: int) -> ir.Value:
    """Builds `index + offset`."""
    return arith.addi(index, index_constant(offset))


def split_offset(index: ir.Value) -> tuple[tuple[object, ...], int]:
    """Splits an index into a constant and the rest; returns the rest as a key, equal for equal values, and
    the constant."""
    op = defining_op(index)
    if op is not None and op.name == arith.Constant.NAME:
        return (), arith.Constant(op).value.value
    if op is not None and op.name == arith.AddI.NAME:
        constant = arith.Constant.defining(arith.AddI(op).rhs)
        if constant is not None:
            key, offset = split_offset(arith.AddI(op).lhs)
            return key, offset + constant.value.value
    if op is not None and op.name == affine.AffineApply.NAME:
        return _split_apply(affine.AffineApply(op))
    return (index,), 0


def _split_apply(apply: affine.AffineApply) -> tuple[tuple[object, ...], int]:
    [expression] = apply.map.results
    offset = 0
    if isinstance(expression, ir.AffineAddExpr) and isinstance(expression.rhs, ir.AffineConstantExpr):
        offset = ir.AffineConstantExpr(expression.rhs).value
        expression = expression.lhs
    operands = tuple(apply.operation.operands)
    if len(operands) == 1 and isinstance(expression, (ir.AffineDimExpr, ir.AffineSymbolExpr)):
        key, inner = split_offset(operands[0])
        return key, offset + inner
    return (str(expression), *operands), offset
