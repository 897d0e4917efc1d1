"""Rules of graph-simplify for elementwise ops: neutral constants, scalars, operand order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.values import (
    Number,
    Rule,
    constant_and_other,
    constant_array,
    dtype,
    is_constant,
    is_static,
    splat,
)
from mlc.passes.patterns import Pattern
from mlc.passes.rewriting import defining_op

_COMMUTATIVE = (
    *("add", "mul", "min", "max", "and", "or", "xor", "equal"),
    *("bitwise_and", "bitwise_or", "bitwise_xor"),
)


def constant_second(op: ir.Operation) -> bool:
    """Puts the constant operand of a commutative op second."""
    a, b = op.operands
    if not is_constant(a) or is_constant(b):
        return False
    op.operands[0], op.operands[1] = b, a
    return True


def _enlarged(op: ir.Operation, value: ir.Value) -> ir.Value | None:
    """The value broadcast to the op's result; None where a dim of the result is not known."""
    result = op.results[0]
    if value.type == result.type:
        return value
    return graph.build("expand", [value], {"shape": result.type.shape}) if is_static(result) else None


def neutral_either_side(neutral: Number) -> Rule:
    """The other operand, where one is the neutral number of a commutative op."""

    def rule(op: ir.Operation) -> ir.Value | None:
        found = constant_and_other(op)
        return _enlarged(op, found[0]) if found and found[1] == neutral else None

    return rule


def neutral_second(neutral: Number) -> Rule:
    """The first operand, where the second is the neutral number."""

    def rule(op: ir.Operation) -> ir.Value | None:
        return _enlarged(op, op.operands[0]) if splat(op.operands[1]) == neutral else None

    return rule


def inverse_of_itself(op: ir.Operation) -> ir.Value | None:
    """f(f(x)) is x."""
    inner = defining_op(op.operands[0], op.name)
    return None if inner is None else inner.operands[0]


def same_again(op: ir.Operation) -> ir.Value | None:
    """f(f(x)) is f(x)."""
    return None if defining_op(op.operands[0], op.name) is None else op.operands[0]


def clamp_as_relu(op: ir.Operation) -> ir.Value | None:
    """clamp with a lower bound of 0 and no upper bound."""
    low, high = graph.attribute(op, "min"), graph.attribute(op, "max")
    if low != 0 or high not in (None, np.inf):
        return None
    return graph.build("relu", [op.operands[0]])


def max_as_relu(op: ir.Operation) -> ir.Value | None:
    """max(x, 0)."""
    found = constant_and_other(op)
    if not found or found[1] != 0 or found[0].type != op.results[0].type:
        return None
    return graph.build("relu", [found[0]])


# Scalar arithmetic that NumPy does exactly as the compiled op would.
_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "graph.add": np.add,
    "graph.sub": np.subtract,
    "graph.mul": np.multiply,
    "graph.div": np.divide,
    "graph.neg": np.negative,
    "graph.sqrt": np.sqrt,
    "graph.reciprocal": np.reciprocal,
}


def on_scalars(op: ir.Operation) -> ir.Value | None:
    """Arithmetic on constants of one element; integers only where nothing is divided."""
    kind = dtype(op.results[0])
    if op.name in ("graph.div", "graph.reciprocal") and kind.kind in "iu":
        return None
    arrays = [constant_array(operand) for operand in op.operands]
    if any(array is None or array.size != 1 for array in arrays):
        return None
    with np.errstate(all="ignore"):
        value = np.asarray(_FUNCTIONS[op.name](*arrays), kind)
    return graph.build("constant", [], {"value": value})


PATTERNS: dict[str, Pattern] = {f"graph.{name}": constant_second for name in _COMMUTATIVE}

RULES: dict[str, tuple[Rule, ...]] = {
    "graph.add": (on_scalars, neutral_either_side(0)),
    "graph.sub": (on_scalars, neutral_second(0)),
    "graph.mul": (on_scalars, neutral_either_side(1)),
    "graph.div": (on_scalars, neutral_second(1)),
    "graph.and": (neutral_either_side(True),),
    "graph.or": (neutral_either_side(False),),
    "graph.neg": (on_scalars, inverse_of_itself),
    "graph.not": (inverse_of_itself,),
    "graph.reciprocal": (on_scalars,),
    "graph.sqrt": (on_scalars,),
    "graph.relu": (same_again,),
    "graph.abs": (same_again,),
    "graph.clamp": (clamp_as_relu,),
    "graph.max": (max_as_relu,),
}
