"""Rules of differentiation of elementwise ops."""

from __future__ import annotations

import math
from collections.abc import Callable

from mlc.frontends.onnx.operators.common.expressions import Formula
from mlc.frontends.onnx.operators.training.derivative_rules import Rule, Step
from mlc.frontends.onnx.values import Value


def _unary(formula: Callable[[Step], Formula]) -> Rule:
    return lambda step: [formula(step).value]


def _pair(one: Callable[[Step], Formula], other: Callable[[Step], Formula]) -> Rule:
    return lambda step: [one(step).value, other(step).value]


def _where(condition: Formula, step: Step) -> Formula:
    """The gradient where the condition holds, else 0."""
    return condition.chosen(step.g, step.g.like(0))


def _none(step: Step) -> list[Value | None]:
    """Steps, whose slope is 0 wherever there is one."""
    return [None] * len(step.operands)


def _root(x: Formula) -> Formula:
    return x.apply("sqrt")


def _silu(step: Step) -> Formula:
    s = step.x.apply("sigmoid")
    return step.g * (s + step.y * (1 - s))


def _gelu(step: Step) -> list[Value | None]:
    kind, x = step.attribute("approximate"), step.x
    if kind == "sigmoid":
        s = (x * 1.702).apply("sigmoid")
        return [(step.g * (s + step.y * (1 - s) * 1.702)).value]
    if kind == "tanh":
        c = math.sqrt(2 / math.pi)
        t = ((x + x * x * x * 0.044715) * c).apply("tanh")
        slope = (1 - t * t) * x * (x * x * (3 * 0.044715) + 1) * (c / 2)
        return [(step.g * ((t + 1) * 0.5 + slope)).value]
    share = ((x * math.sqrt(0.5)).apply("erf") + 1) * 0.5
    density = (x * x * -0.5).apply("exp") * (1 / math.sqrt(2 * math.pi))
    return [(step.g * (share + x * density)).value]


def _clamp(step: Step) -> Formula:
    low, high = step.attribute("min"), step.attribute("max")
    gradient = step.g
    for bound, holds in ((low, step.x.__ge__), (high, step.x.__le__)):
        if bound is not None:
            gradient = holds(bound).chosen(gradient, gradient.like(0))
    return gradient


def _elu(step: Step) -> Formula:
    return (step.x > 0).chosen(step.g, step.g * (step.y + float(step.attribute("alpha"))))


def _leaky_relu(step: Step) -> Formula:
    return (step.x >= 0).chosen(step.g, step.g * float(step.attribute("alpha")))


def _cast(step: Step) -> list[Value | None]:
    return [step.node.cast(step.gradient, step.operands[0].number)]


def _power(step: Step) -> list[Value | None]:
    """The exponent's too, where its type has one and the base is positive."""
    a, b = step.x, step.operand(1)
    base = step.g * b * Formula(step.node, step.node.emit("pow", a.value, (b - 1).value))
    positive = a > 0
    log = positive.chosen(positive.chosen(a, a.like(1)).apply("log"), a.like(0))
    return [base.value, (step.g * step.y * log).value]


def _chosen(step: Step) -> list[Value | None]:
    condition, zero = step.x, step.g.like(0)
    return [None, condition.chosen(step.g, zero).value, condition.chosen(zero, step.g).value]


def _largest(step: Step, first: Formula) -> list[Value | None]:
    zero = step.g.like(0)
    return [first.chosen(step.g, zero).value, first.chosen(zero, step.g).value]


ELEMENTWISE: dict[str, Rule] = {
    f"graph.{name}": rule
    for name, rule in {
        "identity": _unary(lambda s: s.g),
        "cast": _cast,
        "neg": _unary(lambda s: s.g.apply("neg")),
        "abs": _unary(lambda s: s.g * s.x.apply("sign")),
        "exp": _unary(lambda s: s.g * s.y),
        "log": _unary(lambda s: s.g / s.x),
        "sqrt": _unary(lambda s: s.g * 0.5 / s.y),
        "rsqrt": _unary(lambda s: s.g * s.y * s.y * s.y * -0.5),
        "reciprocal": _unary(lambda s: (s.g * s.y * s.y).apply("neg")),
        "erf": _unary(lambda s: s.g * (s.x * s.x * -1).apply("exp") * (2 / math.sqrt(math.pi))),
        "sin": _unary(lambda s: s.g * s.x.apply("cos")),
        "cos": _unary(lambda s: (s.g * s.x.apply("sin")).apply("neg")),
        "tan": _unary(lambda s: s.g * (s.y * s.y + 1)),
        "asin": _unary(lambda s: s.g / _root(1 - s.x * s.x)),
        "acos": _unary(lambda s: (s.g / _root(1 - s.x * s.x)).apply("neg")),
        "atan": _unary(lambda s: s.g / (s.x * s.x + 1)),
        "sinh": _unary(lambda s: s.g * s.x.apply("cosh")),
        "cosh": _unary(lambda s: s.g * s.x.apply("sinh")),
        "tanh": _unary(lambda s: s.g * (1 - s.y * s.y)),
        "asinh": _unary(lambda s: s.g / _root(s.x * s.x + 1)),
        "acosh": _unary(lambda s: s.g / _root(s.x * s.x - 1)),
        "atanh": _unary(lambda s: s.g / (1 - s.x * s.x)),
        "sigmoid": _unary(lambda s: s.g * s.y * (1 - s.y)),
        "relu": _unary(lambda s: _where(s.x > 0, s)),
        "leaky_relu": _unary(_leaky_relu),
        "elu": _unary(_elu),
        "clamp": _unary(_clamp),
        "softplus": _unary(lambda s: s.g * s.x.apply("sigmoid")),
        "silu": _unary(_silu),
        "gelu": _gelu,
        **dict.fromkeys(("floor", "ceil", "round", "sign"), _none),
        "add": _pair(lambda s: s.g, lambda s: s.g),
        "sub": _pair(lambda s: s.g, lambda s: s.g.apply("neg")),
        "mul": _pair(lambda s: s.g * s.operand(1), lambda s: s.g * s.x),
        "div": _pair(lambda s: s.g / s.operand(1), lambda s: (s.g * s.y / s.operand(1)).apply("neg")),
        "pow": _power,
        "max": lambda s: _largest(s, s.x >= s.operand(1)),
        "min": lambda s: _largest(s, s.x <= s.operand(1)),
        "where": _chosen,
    }.items()
}
