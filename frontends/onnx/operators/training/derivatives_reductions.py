"""Rules of differentiation of reductions, softmax and normalisation."""

from __future__ import annotations

from collections.abc import Callable

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.operators.common.expressions import Formula, dim
from mlc.frontends.onnx.operators.training.derivative_rules import Rule, Step
from mlc.frontends.onnx.values import Value


def _kept(step: Step, x: Formula) -> Formula:
    """The result or its gradient with the reduced dims as 1."""
    axes = step.attribute("axes")
    return x.shaped([1 if i in axes else size for i, size in enumerate(step.operands[0].shape)])


def _reduced(formula: Callable[[Step, Formula, Formula], Formula]) -> Rule:
    """A formula of the gradient and the result, whose dims are kept, and x; one that lacks x is broadcast."""

    def rule(step: Step) -> list[Value | None]:
        found = formula(step, _kept(step, step.g), _kept(step, step.y)).value
        return [step.node.expand(found, step.operands[0].shape)]

    return rule


def _count(step: Step) -> Formula:
    """How many elements are reduced to one."""
    x = step.operands[0]
    return dim(step.node, product([x.shape[axis] for axis in step.attribute("axes")]), x.number)


def _extreme(step: Step, g: Formula, y: Formula) -> Formula:
    """Equal shares for equal extremes."""
    mask = step.x.equals(y).cast(step.gradient.number)
    return mask * (g / _sum(step, mask))


def _sum(step: Step, x: Formula) -> Formula:
    axes = list(step.attribute("axes"))
    return Formula(step.node, step.node.emit("reduce_sum", x.value, axes=axes, keepdims=True))


def _mean(step: Step, x: Formula) -> Formula:
    axes = list(step.attribute("axes"))
    return Formula(step.node, step.node.emit("reduce_mean", x.value, axes=axes, keepdims=True))


def _softmax(step: Step) -> list[Value | None]:
    weighted = step.g * step.y
    return [(weighted - step.y * weighted.reduced("sum", step.attribute("axis"), keepdims=True)).value]


def _log_softmax(step: Step) -> list[Value | None]:
    total = step.g.reduced("sum", step.attribute("axis"), keepdims=True)
    return [(step.g - step.y.apply("exp") * total).value]


def _layer_norm(step: Step) -> list[Value | None]:
    centred = step.x - _mean(step, step.x)
    factor = (_mean(step, centred * centred) + float(step.attribute("epsilon"))).apply("rsqrt")
    inner = step.g - _mean(step, step.g) - step.y * _mean(step, step.g * step.y)
    return [(inner * factor).value]


def _rms_norm(step: Step) -> list[Value | None]:
    factor = (_mean(step, step.x * step.x) + float(step.attribute("epsilon"))).apply("rsqrt")
    return [((step.g - step.y * _mean(step, step.g * step.y)) * factor).value]


REDUCTIONS: dict[str, Rule] = {
    "graph.reduce_sum": _reduced(lambda s, g, y: g),
    "graph.reduce_mean": _reduced(lambda s, g, y: g / _count(s)),
    "graph.reduce_max": _reduced(_extreme),
    "graph.reduce_min": _reduced(_extreme),
    "graph.reduce_l1": _reduced(lambda s, g, y: g * s.x.apply("sign")),
    "graph.reduce_l2": _reduced(lambda s, g, y: g * s.x / y),
    "graph.reduce_sum_square": _reduced(lambda s, g, y: g * s.x * 2),
    "graph.reduce_log_sum": _reduced(lambda s, g, y: g / y.apply("exp")),
    "graph.reduce_log_sum_exp": _reduced(lambda s, g, y: g * (s.x - y).apply("exp")),
    "graph.softmax": _softmax,
    "graph.log_softmax": _log_softmax,
    "graph.layer_norm": _layer_norm,
    "graph.rms_norm": _rms_norm,
}
