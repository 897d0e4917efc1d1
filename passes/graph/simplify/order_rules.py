"""One order for the operands of commutative ops, so that equal ops look equal."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import is_constant

_COMMUTATIVE = (
    *("add", "mul", "min", "max", "and", "or", "xor", "equal"),
    *("bitwise_and", "bitwise_or", "bitwise_xor"),
)


def _comes_before(a: ir.Value, b: ir.Value) -> bool:
    """Whether `a` is defined before `b`, as far as both are of one block: arguments first."""
    first, second = a.owner, b.owner
    if isinstance(first, ir.Block) or isinstance(second, ir.Block):
        both = isinstance(first, ir.Block) and isinstance(second, ir.Block) and first == second
        if both:
            return ir.BlockArgument(a).arg_number < ir.BlockArgument(b).arg_number
        return isinstance(first, ir.Block) and not isinstance(second, ir.Block)
    one, other = first.operation, second.operation
    return bool(one.block == other.block and one.is_before_in_block(other))


def operand_order(op: ir.Operation) -> ir.Value | None:
    """Commutative ops read constants last, and other values in the order of their definition."""
    a, b = op.operands
    if a == b or is_constant(b):
        return None
    return graph.build(op.name, [b, a]) if is_constant(a) or _comes_before(b, a) else None


RULES: Rules = {f"graph.{name}": (operand_order,) for name in _COMMUTATIVE}
