"""graph-simplify-algebra: identities of arithmetic and logic.

One order for the operands of commutative ops, so that equal ops look equal.

Distributive law: a factor that two summands share is multiplied once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.exactness import exactness_option, rounding
from mlc.passes.graph.common.rules import Rules, apply_rules, join_tables
from mlc.passes.graph.common.values import is_constant
from mlc.passes.graph.simplify import bound_rules, chain_rules, identity_rules
from mlc.passes.graph.simplify.constant_ranges import meet_safely
from mlc.passes.remarks import report_missed


def _summands(op: ir.Operation, name: str) -> tuple[ir.Operation, ir.Operation] | None:
    """The products called `name` that are the operands of a sum, if nothing else uses them."""
    a, b = (defining_op(operand, name) for operand in op.operands)
    if a is None or b is None or op.operands[0] == op.operands[1]:
        return None
    return (a, b) if all(has_one_use(operand) for operand in op.operands) else None


def _add_safely(op: ir.Operation, rule: str, one: ir.Value, other: ir.Value) -> bool:
    """Whether the sum, or difference, of constants is a normal value; variables always qualify."""
    variable = not (is_constant(one) and is_constant(other))
    return variable or meet_safely(op, rule, op.name, one, other)


@rounding
def common_factor(op: ir.Operation) -> ir.Value | None:
    """Rewrites `a*c + b*c` to `(a + b) * c`, and the same for differences."""
    products = _summands(op, graph.Mul.NAME)
    for position, other in ((0, 0), (0, 1), (1, 0), (1, 1)) if products else ():
        first, second = (list(product.operands) for product in products or ())
        factor = first.pop(position)
        if factor != second.pop(other) or not graph.same_type(first[0], second[0]):
            continue
        if _add_safely(op, "common_factor", first[0], second[0]):
            return graph.build("mul", [graph.build(op.name, [first[0], second[0]]), factor])
    return None


@rounding
def common_matrix(op: ir.Operation) -> ir.Value | None:
    """Rewrites `a@w + b@w` to `(a + b)@w`, and `x@v + x@w` to `x@(v + w)` for constants v and w."""
    products = _summands(op, graph.Matmul.NAME)
    if products is None:
        return None
    (a, v), (b, w) = (product.operands for product in products)
    result = op.results[0].type
    if v == w and graph.same_type(a, b):
        return graph.build("matmul", [graph.build(op.name, [a, b]), v], None, result)
    if a != b or not graph.same_type(v, w):
        return None
    if not (is_constant(v) and is_constant(w)):
        report_missed(
            op, "common_matrix", "two products of one value, but their other operands are not constant"
        )
        return None
    if not _add_safely(op, "common_matrix", v, w):
        return None
    return graph.build("matmul", [a, graph.build(op.name, [v, w])], None, result)


_LAWS = (common_factor, common_matrix)

FACTOR_RULES: Rules = dict.fromkeys((graph.Add.NAME, graph.Sub.NAME), _LAWS)


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


ORDER_RULES: Rules = {f"graph.{name}": (operand_order,) for name in _COMMUTATIVE}


# Order first: it makes the forms fewer that the others see.
RULES = join_tables(ORDER_RULES, identity_rules.RULES, chain_rules.RULES, bound_rules.RULES, FACTOR_RULES)


@dataclass(frozen=True)
class SimplifyAlgebra(Pass):
    """Simplify by the identities of arithmetic and logic.

    Identity and absorbing constants; a value with itself; functions of their inverse and of themselves; signs
    that pass through sums, products and even functions; bounds of bounds; opposite comparisons; the
    distributive law. Constants come second where order does not matter. What infinities and NaN break
    (x - x -> 0) needs `approximate`, what the sign of zero breaks (x + 0 -> x) needs `rounding`.
    """

    name: ClassVar[str] = "graph-simplify-algebra"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
