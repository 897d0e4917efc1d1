"""Ops with a constant operand, and constants that meet."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.graph.common.values import is_constant, is_static


def reads(op: ir.Operation, *names: str) -> bool:
    """Whether an op of one of the names makes an operand. Costs less than to ask for constants: ask first."""
    made = [defining_op(operand) for operand in op.operands]
    return any(maker is not None and maker.name in names for maker in made)


def variable_and_constant(op: ir.Operation) -> tuple[ir.Value, ir.Value] | None:
    """The operands of a commutative op of which just one is constant."""
    a, b = op.operands
    if is_constant(b):
        return None if is_constant(a) else (a, b)
    return (b, a) if is_constant(a) else None


def sole_use(value: ir.Value, *names: str) -> ir.Operation | None:
    """The op, of one of the names, that makes the value, if nothing else uses it."""
    op = defining_op(value)
    return op if op is not None and op.name in names and has_one_use(value) else None


def keeps_size(one: ir.Value, other: ir.Value) -> bool:
    """Whether two static constants broadcast to no more elements than the larger has."""
    if not (is_static(one) and is_static(other)):
        return False
    (result,) = graph.infer("add", [one.type, other.type])
    return prod(result.shape) <= max(prod(one.type.shape), prod(other.type.shape))
