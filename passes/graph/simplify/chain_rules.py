"""Rules for ops of one operand in a row, and for signs that pass through sums, products and quotients."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use
from mlc.passes.exactness import approximate, rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.signs import never_negative
from mlc.passes.graph.common.values import Rule, both_orders, is_constant, is_float, is_unsigned

NEG = graph.Neg.NAME


def inverse_of_itself(op: ir.Operation) -> ir.Value | None:
    """f(f(x)) -> x."""
    inner = defining_op(op.operands[0], op.name)
    return None if inner is None else inner.operands[0]


@rounding
def reciprocal_twice(op: ir.Operation) -> ir.Value | None:
    """1 / (1 / x) -> x."""
    return inverse_of_itself(op)


def of_itself(*names: str) -> Rule:
    """f(g(x)) -> g(x), where f does nothing to results of the ops `names`."""

    def kept_as_it_is(op: ir.Operation) -> ir.Value | None:
        inner = defining_op(op.operands[0])
        return op.operands[0] if inner is not None and inner.name in names else None

    return kept_as_it_is


def of_not_negative(op: ir.Operation) -> ir.Value | None:
    """Drops abs and relu of a value that is never negative."""
    unary = graph.Unary(op)
    return unary.x if never_negative(unary.x) else None


@rounding
def abs_of_relu(op: ir.Operation) -> ir.Value | None:
    """Rewrites `|relu(x)|` to `relu(x)`, which leaves -0.0 as it is."""
    abs_op = graph.Abs(op)
    return None if defining_op(abs_op.x, graph.Relu.NAME) is None else abs_op.x


def of_other_sign(op: ir.Operation) -> ir.Value | None:
    """f(-x) -> f(x) and f(|x|) -> f(x) of even functions; -x of unsigned integers is another value."""
    inner = defining_op(op.operands[0])
    if inner is None or inner.name not in (NEG, graph.Abs.NAME):
        return None
    if inner.name == NEG and is_unsigned(inner.operands[0]):
        return None
    return graph.build(op.name, [inner.operands[0]])


def _undone(name: str, factor: str) -> Rule:
    def undone(op: ir.Operation) -> ir.Value | None:
        inner = defining_op(op.operands[0], name)
        return None if inner is None else inner.operands[0]

    undone.__name__ = undone.__qualname__ = factor
    return approximate(undone)


log_of_exp = _undone(graph.Exp.NAME, "log_of_exp")
exp_of_log = _undone(graph.Log.NAME, "exp_of_log")


@approximate
def root_of_square(op: ir.Operation) -> ir.Value | None:
    """sqrt(x * x) -> |x|: the square may overflow."""
    square = graph.Mul.defining(graph.Sqrt(op).x)
    if square is None or square.a != square.b:
        return None
    return graph.build("abs", [square.a])


@approximate
def square_of_root(op: ir.Operation) -> ir.Value | None:
    """sqrt(x) * sqrt(x) -> x, which is NaN below zero."""
    mul = graph.Mul(op)
    root = graph.Sqrt.defining(mul.a)
    return root.x if root is not None and mul.a == mul.b else None


def square_of_abs(op: ir.Operation) -> ir.Value | None:
    """Rewrites `|x| * |x|` to `x * x`."""
    mul = graph.Mul(op)
    inner = graph.Abs.defining(mul.a)
    if inner is None or mul.a != mul.b:
        return None
    return graph.build("mul", [inner.x, inner.x])


def _negate(value: ir.Value) -> ir.Value | None:
    """Returns `x` of `-x`. Constants are negated by other rules, not here."""
    op = defining_op(value, NEG)
    return None if op is None or is_constant(value) else op.operands[0]


def plus_negated(op: ir.Operation) -> ir.Value | None:
    """Rewrites `a + (-b)` to `a - b`, and `(-a) + b` to `b - a`."""
    for a, b in both_orders(op):
        negated = _negate(b)
        if negated is not None:
            return graph.build("sub", [a, negated])
    return None


def minus_negated(op: ir.Operation) -> ir.Value | None:
    """Rewrites `a - (-b)` to `a + b`."""
    sub = graph.Sub(op)
    negated = _negate(sub.b)
    return None if negated is None else graph.build("add", [sub.a, negated])


def both_negated(op: ir.Operation) -> ir.Value | None:
    """(-a) * (-b) -> a * b, and the same for quotients of floats: the lowest integer has no opposite."""
    if op.name == graph.Div.NAME and not is_float(graph.Div(op).a):
        return None
    a, b = (_negate(operand) for operand in op.operands)
    return None if a is None or b is None else graph.build(op.name, [a, b])


def _difference(op: ir.Operation) -> ir.Value | None:
    inner = defining_op(op.operands[0], graph.Sub.NAME)
    if inner is None or not has_one_use(op.operands[0]):
        return None
    a, b = inner.operands
    return graph.build("sub", [b, a])


def negated_integer_difference(op: ir.Operation) -> ir.Value | None:
    """Rewrites `-(a - b)` to `b - a` of integers."""
    return None if is_float(op.operands[0]) else _difference(op)


@rounding
def negated_difference(op: ir.Operation) -> ir.Value | None:
    """Rewrites `-(a - b)` to `b - a`; of equal values 0.0 instead of -0.0."""
    return _difference(op)


_OPPOSITE = {
    graph.Less.NAME: "greater_equal",
    graph.LessEqual.NAME: "greater",
    graph.Greater.NAME: "less_equal",
    graph.GreaterEqual.NAME: "less",
}


def opposite_comparison(op: ir.Operation) -> ir.Value | None:
    """not(a < b) -> a >= b, and the like, of integers: NaN would compare false both ways."""
    not_op = graph.Not(op)
    inner = defining_op(not_op.x)
    name = _OPPOSITE.get(inner.name) if inner is not None else None
    if inner is None or name is None or is_float(inner.operands[0]) or not has_one_use(not_op.x):
        return None
    return graph.build(name, list(inner.operands))


def choice_of_opposite(op: ir.Operation) -> ir.Value | None:
    """where(not c, x, y) -> where(c, y, x)."""
    condition, x, y = op.operands
    inner = graph.Not.defining(condition)
    return None if inner is None else graph.build("where", [inner.x, y, x])


_ROUNDED = tuple(f"graph.{name}" for name in ("floor", "ceil", "round"))
_rounded_again = of_itself(*_ROUNDED, graph.Sign.NAME)

RULES: Rules = {
    NEG: (inverse_of_itself, negated_integer_difference, negated_difference),
    graph.Not.NAME: (inverse_of_itself, opposite_comparison),
    graph.BitwiseNot.NAME: (inverse_of_itself,),
    graph.Reciprocal.NAME: (reciprocal_twice,),
    graph.Relu.NAME: (of_itself(graph.Relu.NAME), of_not_negative),
    graph.Abs.NAME: (of_other_sign, of_not_negative, abs_of_relu),
    graph.Sign.NAME: (of_itself(graph.Sign.NAME),),
    **dict.fromkeys(_ROUNDED, (_rounded_again,)),
    **dict.fromkeys((graph.Cos.NAME, graph.Cosh.NAME), (of_other_sign,)),
    graph.Log.NAME: (log_of_exp,),
    graph.Exp.NAME: (exp_of_log,),
    graph.Sqrt.NAME: (root_of_square,),
    graph.Add.NAME: (plus_negated,),
    graph.Sub.NAME: (minus_negated,),
    graph.Mul.NAME: (square_of_abs, both_negated, square_of_root),
    graph.Div.NAME: (both_negated,),
    graph.Where.NAME: (choice_of_opposite,),
}
