"""What is known of the signs of a value's elements."""

from __future__ import annotations

from math import copysign

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.values import is_float, splat
from mlc.passes.rewriting import defining_op

_ALWAYS = frozenset(
    f"graph.{name}"
    for name in ("abs", "exp", "sigmoid", "softmax", "softplus", "cosh", "reduce_l1", "reduce_l2")
) | {"graph.reduce_sum_square"}
# Not negative where all operands are not.
_INHERITED = frozenset(
    f"graph.{name}"
    for name in (
        *("sqrt", "rsqrt", "reciprocal", "add", "mul", "div", "min", "where"),
        *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"),
        *("reshape", "squeeze", "unsqueeze", "transpose", "slice", "expand", "tile", "concat"),
    )
)
_DEPTH = 4


def never_negative(value: ir.Value, depth: int = _DEPTH) -> bool:
    """Whether no element of floats is less than zero or -0.0 (NaN may occur), as far as a few ops back
    tell. Integers wrap round, so nothing is said of them.
    """
    op, number = defining_op(value), splat(value)
    if op is None or number is not None or not is_float(value):
        return number is not None and is_float(value) and copysign(1, number) > 0
    if op.name in _ALWAYS or (op.name == "graph.mul" and op.operands[0] == op.operands[1]):
        return True
    if op.name == "graph.clamp":
        return (graph.attribute(op, "min") or 0) > 0
    if depth == 0:
        return False
    if op.name == "graph.max":
        return any(never_negative(operand, depth - 1) for operand in op.operands)
    operands = list(op.operands)[1:] if op.name == "graph.where" else _data(op)
    return op.name in _INHERITED and all(never_negative(operand, depth - 1) for operand in operands)


def _data(op: ir.Operation) -> list[ir.Value]:
    """The operands without `dims`."""
    views = ("graph.reshape", "graph.expand")
    return list(op.operands)[:1] if op.name in views else list(op.operands)
