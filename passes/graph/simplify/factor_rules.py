"""Distributive law: a factor that two summands share is multiplied once."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.values import is_constant
from mlc.passes.graph.simplify.constant_ranges import meet_safely
from mlc.passes.remarks import missed


def _summands(op: ir.Operation, name: str) -> tuple[ir.Operation, ir.Operation] | None:
    """The products called `name` that are the operands of a sum, if nothing else uses them."""
    a, b = (defining_op(operand, name) for operand in op.operands)
    if a is None or b is None or op.operands[0] == op.operands[1]:
        return None
    return (a, b) if all(has_one_use(operand) for operand in op.operands) else None


def _add_safely(op: ir.Operation, rule: str, one: ir.Value, other: ir.Value) -> bool:
    """Whether the sum, or difference, of constants is an ordinary number; of variables nothing is asked."""
    variable = not (is_constant(one) and is_constant(other))
    return variable or meet_safely(op, rule, op.name, one, other)


@rounding
def common_factor(op: ir.Operation) -> ir.Value | None:
    """a*c + b*c -> (a + b) * c, and the same for differences."""
    products = _summands(op, "graph.mul")
    for place, other in ((0, 0), (0, 1), (1, 0), (1, 1)) if products else ():
        first, second = (list(product.operands) for product in products or ())
        factor = first.pop(place)
        if factor != second.pop(other) or not graph.same_type(first[0], second[0]):
            continue
        if _add_safely(op, "common_factor", first[0], second[0]):
            return graph.build("mul", [graph.build(op.name, [first[0], second[0]]), factor])
    return None


@rounding
def common_matrix(op: ir.Operation) -> ir.Value | None:
    """a@w + b@w -> (a + b)@w, and x@v + x@w -> x@(v + w) of constant v and w: one product instead of two."""
    products = _summands(op, "graph.matmul")
    if products is None:
        return None
    (a, v), (b, w) = (product.operands for product in products)
    result = op.results[0].type
    if v == w and graph.same_type(a, b):
        return graph.build("matmul", [graph.build(op.name, [a, b]), v], None, result)
    if a != b or not graph.same_type(v, w):
        return None
    if not (is_constant(v) and is_constant(w)):
        missed(op, "common_matrix", "two products of one value, but their other operands are not constant")
        return None
    if not _add_safely(op, "common_matrix", v, w):
        return None
    return graph.build("matmul", [a, graph.build(op.name, [v, w])], None, result)


_LAWS = (common_factor, common_matrix)

RULES: Rules = dict.fromkeys(("graph.add", "graph.sub"), _LAWS)
