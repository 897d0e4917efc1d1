"""Analysis of the signs of a value's elements."""

from __future__ import annotations

from math import copysign

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.bounds import smallest
from mlc.passes.graph.common.values import Scalar, is_float, splat

_ALWAYS = frozenset(
    f"graph.{name}"
    for name in ("abs", "exp", "sigmoid", "softmax", "softplus", "cosh", "reduce_l1", "reduce_l2")
) | {graph.ReduceSumSquare.NAME}
# Not negative, but -0.0 where the operand is it.
_UP_TO_ZERO = frozenset({graph.Relu.NAME, graph.HardSigmoid.NAME})
# Not negative where all operands are not; of these, what -0.0 turns into minus infinity.
_INVERSE = frozenset(f"graph.{name}" for name in ("rsqrt", "reciprocal", "div"))
_INHERITED = _INVERSE | frozenset(
    f"graph.{name}"
    for name in (
        *("sqrt", "add", "mul", "min", "where"),
        *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"),
        *("reshape", "squeeze", "unsqueeze", "transpose", "slice", "expand", "tile", "concat"),
    )
)
_DEPTH = 4


def never_negative(value: ir.Value, depth: int = _DEPTH, *, zeros: bool = False) -> bool:
    """Whether no element of floats is less than zero or -0.0 (NaN may occur), as far as a few ops before it
    determine; with `zeros`, -0.0 may occur as well. False for integers, which wrap round.
    """
    op, scalar = defining_op(value), splat(value)
    if op is None or scalar is not None or not is_float(value):
        return scalar is not None and is_float(value) and (copysign(1, scalar) > 0 or (zeros and scalar == 0))
    if op.name in _ALWAYS or (op.name == graph.Mul.NAME and graph.Mul(op).a == graph.Mul(op).b):
        return True
    least = smallest(value)
    if (least is not None and (least > 0 or (zeros and least == 0))) or (zeros and op.name in _UP_TO_ZERO):
        return True
    if depth == 0:
        return False
    if op.name == graph.Max.NAME:
        return any(never_negative(operand, depth - 1, zeros=zeros) for operand in op.operands)
    zeros = zeros and op.name not in _INVERSE
    operands = list(op.operands)[1:] if op.name == graph.Where.NAME else _data(op)
    if op.name == graph.ReduceMax.NAME and not has_elements(operands[0]):
        return False
    return op.name in _INHERITED and all(
        never_negative(operand, depth - 1, zeros=zeros) for operand in operands
    )


def has_elements(value: ir.Value) -> bool:
    """Whether no dim is, or may be, 0: the maximum of nothing is minus infinity."""
    return all(extent is not None and extent > 0 for extent in graph.shape_of(value))


def is_at_least(value: ir.Value, scalar: Scalar) -> bool:
    """Whether no element is below `scalar`, as far as a few ops before it determine; NaN may occur."""
    least = smallest(value)
    return (least is not None and scalar <= least) or (scalar <= 0 and never_negative(value, zeros=True))


def _data(op: ir.Operation) -> list[ir.Value]:
    """The operands without `dims`."""
    views = (graph.Reshape.NAME, graph.Expand.NAME)
    return list(op.operands)[:1] if op.name in views else list(op.operands)
