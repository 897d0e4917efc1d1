"""Rules of reverse-mode differentiation, by graph op.

A rule maps an op and the gradient of its result (`GradientStep`) to the gradients of its operands:
`REDUCTIONS` holds those of reductions, softmax and normalisation, `MOVEMENT` those of products and of ops
that move elements, `ELEMENTWISE` the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size, product
from mlc.frontends.onnx.node import Node, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.common.expressions import Formula, dim, filled_with
from mlc.frontends.onnx.operators.math.contraction import transpose_last
from mlc.frontends.onnx.values import Dim, Value


def _keep_dims(step: GradientStep, x: Formula) -> Formula:
    """Reshapes the result or its gradient to have the reduced dims as 1."""
    axes = step.attribute("axes")
    return x.reshape([1 if i in axes else size for i, size in enumerate(step.operands[0].shape)])


def _reduction_rule(formula: Callable[[GradientStep, Formula, Formula], Formula]) -> Rule:
    """Returns the rule of a formula of the gradient and the result, whose dims are kept, and x.

    A gradient that does not depend on x is broadcast.
    """

    def rule(step: GradientStep) -> list[Value | None]:
        """Computes the gradient of the operand."""
        found = formula(step, _keep_dims(step, step.g), _keep_dims(step, step.y)).value
        return [step.node.expand(found, step.operands[0].shape)]

    return rule


def _count(step: GradientStep) -> Formula:
    """Returns the number of elements that are reduced to one."""
    x = step.operands[0]
    return dim(step.node, product([x.shape[axis] for axis in step.attribute("axes")]), x.onnx_type)


def _extreme(step: GradientStep, g: Formula, y: Formula) -> Formula:
    """Shares the gradient equally among equal extremes."""
    mask = step.x.equals(y).cast(step.gradient.onnx_type)
    return mask * (g / _sum(step, mask))


def _sum(step: GradientStep, x: Formula) -> Formula:
    axes = list(step.attribute("axes"))
    return Formula(step.node, step.node.emit("reduce_sum", x.value, axes=axes, keepdims=True))


def _mean(step: GradientStep, x: Formula) -> Formula:
    axes = list(step.attribute("axes"))
    return Formula(step.node, step.node.emit("reduce_mean", x.value, axes=axes, keepdims=True))


def _softmax(step: GradientStep) -> list[Value | None]:
    weighted = step.g * step.y
    return [(weighted - step.y * weighted.reduce("sum", step.attribute("axis"), keepdims=True)).value]


def _log_softmax(step: GradientStep) -> list[Value | None]:
    total = step.g.reduce("sum", step.attribute("axis"), keepdims=True)
    return [(step.g - step.y.apply("exp") * total).value]


def _layer_norm(step: GradientStep) -> list[Value | None]:
    centred = step.x - _mean(step, step.x)
    factor = (_mean(step, centred * centred) + float(step.attribute("epsilon"))).apply("rsqrt")
    inner = step.g - _mean(step, step.g) - step.y * _mean(step, step.g * step.y)
    return [(inner * factor).value]


def _rms_norm(step: GradientStep) -> list[Value | None]:
    factor = (_mean(step, step.x * step.x) + float(step.attribute("epsilon"))).apply("rsqrt")
    return [((step.g - step.y * _mean(step, step.g * step.y)) * factor).value]


REDUCTIONS: dict[str, Rule] = {
    graph.ReduceSum.NAME: _reduction_rule(lambda s, g, y: g),
    graph.ReduceMean.NAME: _reduction_rule(lambda s, g, y: g / _count(s)),
    graph.ReduceMax.NAME: _reduction_rule(_extreme),
    graph.ReduceMin.NAME: _reduction_rule(_extreme),
    graph.ReduceL1.NAME: _reduction_rule(lambda s, g, y: g * s.x.apply("sign")),
    graph.ReduceL2.NAME: _reduction_rule(lambda s, g, y: g * s.x / y),
    graph.ReduceSumSquare.NAME: _reduction_rule(lambda s, g, y: g * s.x * 2),
    graph.ReduceLogSum.NAME: _reduction_rule(lambda s, g, y: g / y.apply("exp")),
    graph.ReduceLogSumExp.NAME: _reduction_rule(lambda s, g, y: g * (s.x - y).apply("exp")),
    graph.Softmax.NAME: _softmax,
    graph.LogSoftmax.NAME: _log_softmax,
    graph.LayerNorm.NAME: _layer_norm,
    graph.RmsNorm.NAME: _rms_norm,
}


def _product(step: GradientStep) -> list[Value | None]:
    """Returns g b^T and a^T g; vectors are matrices of one row or column."""
    node, (a, b) = step.node, step.operands
    row, column = (
        (node.reshape(a, [1, *a.shape]) if a.rank == 1 else a),
        (node.reshape(b, [*b.shape, 1]) if b.rank == 1 else b),
    )
    batch = step.result.shape[: step.result.rank - (a.rank > 1) - (b.rank > 1)]
    g = node.reshape(step.gradient, [*batch, row.shape[-2], column.shape[-1]])
    left, right = (
        node.emit("matmul", g, transpose_last(node, column)),
        node.emit("matmul", transpose_last(node, row), g),
    )
    return [_without(node, left, -2, a.rank == 1), _without(node, right, -1, b.rank == 1)]


def _without(node: Node, x: Value, axis: int, drops: bool) -> Value:
    """Removes the dim of 1 that a vector had as a matrix."""
    shape = list(x.shape)
    if drops:
        del shape[axis]
    return node.reshape(x, shape)


def _reshape(step: GradientStep) -> list[Value | None]:
    rest = [None] * (len(step.operands) - 1)
    return [step.node.reshape(step.gradient, step.operands[0].shape), *rest]


def _expand(step: GradientStep) -> list[Value | None]:
    """Passes the gradient on; broadcast operands are summed for every op."""
    return [step.gradient, *[None] * (len(step.operands) - 1)]


def _transpose(step: GradientStep) -> list[Value | None]:
    inverse = np.argsort(step.attribute("permutation")).tolist()
    return [step.node.emit("transpose", step.gradient, permutation=inverse)]


def _concat(step: GradientStep) -> list[Value | None]:
    axis, parts = step.attribute("axis"), list[Value | None]()
    start: Dim = 0
    for operand in step.operands:
        count = operand.shape[axis]
        parts.append(slice_axes(step.node, step.gradient, {axis: (start, count, 1)}))
        start = start + count
    return parts


def _slice(step: GradientStep) -> list[Value | None]:
    x, starts, steps = step.operands[0], step.attribute("starts"), step.attribute("steps")
    if any(size != 1 for size in steps) or not (x.is_static and step.result.is_static):
        raise UnsupportedNodeError("slices with steps, or of dynamic dims, have no rule to differentiate")
    extents, taken = step.node.shape(x), step.node.shape(step.result)
    low = [start + extent if start < 0 else start for start, extent in zip(starts, extents, strict=True)]
    high = [extent - first - count for extent, first, count in zip(extents, low, taken, strict=True)]
    return [step.node.emit("pad", step.gradient, low=low, high=high, mode="constant", value=0)]


def _gather(step: GradientStep) -> list[Value | None]:
    """Adds each slice where it was read."""
    node, (data, indices), axis = step.node, step.operands, step.attribute("axis")
    before, after, count = data.shape[:axis], data.shape[axis + 1 :], product(indices.shape)
    updates = node.reshape(step.gradient, [*before, count, *after])
    wide_indices = node.reshape(indices, [*[1] * axis, count, *[1] * len(after)])
    zeros = filled_with(node, data.shape, 0.0, data.onnx_type)
    wide = node.expand(wide_indices, updates.shape)
    return [node.emit("scatter_elements", zeros, wide, updates, axis=axis, reduction="add"), None]


def _triangle(step: GradientStep) -> list[Value | None]:
    upper, k = step.attribute("upper"), step.attribute("k")
    return [step.node.emit("trilu", step.gradient, upper=upper, k=k)]


MOVEMENT: dict[str, Rule] = {
    graph.Matmul.NAME: _product,
    **dict.fromkeys((graph.Reshape.NAME, graph.Squeeze.NAME, graph.Unsqueeze.NAME), _reshape),
    graph.Expand.NAME: _expand,
    graph.Transpose.NAME: _transpose,
    graph.Concat.NAME: _concat,
    graph.Slice.NAME: _slice,
    graph.Gather.NAME: _gather,
    graph.Trilu.NAME: _triangle,
}


def _unary(formula: Callable[[GradientStep], Formula]) -> Rule:
    return lambda step: [formula(step).value]


def _pair(one: Callable[[GradientStep], Formula], other: Callable[[GradientStep], Formula]) -> Rule:
    return lambda step: [one(step).value, other(step).value]


def _where(condition: Formula, step: GradientStep) -> Formula:
    """Returns the gradient where the condition holds, else 0."""
    return condition.select(step.g, step.g.like(0))


def _none(step: GradientStep) -> list[Value | None]:
    """Returns no gradients: the slope of step functions is 0 wherever it exists."""
    return [None] * len(step.operands)


def _root(x: Formula) -> Formula:
    return x.apply("sqrt")


def _silu(step: GradientStep) -> Formula:
    s = step.x.apply("sigmoid")
    return step.g * (s + step.y * (1 - s))


def _gelu(step: GradientStep) -> list[Value | None]:
    approximation, x = step.attribute("approximate"), step.x
    if approximation == "sigmoid":
        s = (x * 1.702).apply("sigmoid")
        return [(step.g * (s + step.y * (1 - s) * 1.702)).value]
    if approximation == "tanh":
        c = math.sqrt(2 / math.pi)
        t = ((x + x * x * x * 0.044715) * c).apply("tanh")
        slope = (1 - t * t) * x * (x * x * (3 * 0.044715) + 1) * (c / 2)
        return [(step.g * ((t + 1) * 0.5 + slope)).value]
    share = ((x * math.sqrt(0.5)).apply("erf") + 1) * 0.5
    density = (x * x * -0.5).apply("exp") * (1 / math.sqrt(2 * math.pi))
    return [(step.g * (share + x * density)).value]


def _clamp(step: GradientStep) -> Formula:
    low, high = step.attribute("min"), step.attribute("max")
    gradient = step.g
    for bound, holds in ((low, step.x.__ge__), (high, step.x.__le__)):
        if bound is not None:
            gradient = holds(bound).select(gradient, gradient.like(0))
    return gradient


def _elu(step: GradientStep) -> Formula:
    return (step.x > 0).select(step.g, step.g * (step.y + float(step.attribute("alpha"))))


def _leaky_relu(step: GradientStep) -> Formula:
    return (step.x >= 0).select(step.g, step.g * float(step.attribute("alpha")))


def _cast(step: GradientStep) -> list[Value | None]:
    return [step.node.cast(step.gradient, step.operands[0].onnx_type)]


def _power(step: GradientStep) -> list[Value | None]:
    """Returns the gradient of the base, and of the exponent where the base is positive."""
    a, b = step.x, step.operand(1)
    base = step.g * b * Formula(step.node, step.node.emit("pow", a.value, (b - 1).value))
    positive = a > 0
    log = positive.select(positive.select(a, a.like(1)).apply("log"), a.like(0))
    return [base.value, (step.g * step.y * log).value]


def _where_rule(step: GradientStep) -> list[Value | None]:
    condition, zero = step.x, step.g.like(0)
    return [None, condition.select(step.g, zero).value, condition.select(zero, step.g).value]


def _largest(step: GradientStep, first: Formula) -> list[Value | None]:
    zero = step.g.like(0)
    return [first.select(step.g, zero).value, first.select(zero, step.g).value]


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
        "where": _where_rule,
    }.items()
}


@dataclass(frozen=True)
class GradientStep:
    """An op, and the gradient of its result."""

    node: Node
    op: ir.Operation
    operands: Sequence[Value]
    result: Value
    gradient: Value

    @property
    def x(self) -> Formula:
        """The first operand."""
        return Formula(self.node, self.operands[0])

    @property
    def y(self) -> Formula:
        """The result."""
        return Formula(self.node, self.result)

    @property
    def g(self) -> Formula:
        """The gradient of the result."""
        return Formula(self.node, self.gradient)

    def operand(self, index: int) -> Formula:
        """Returns an operand as a formula."""
        return Formula(self.node, self.operands[index])

    def attribute(self, name: str) -> Any:
        """Returns an attribute of the op."""
        return graph.attribute(self.op, name)


# Returns the gradient of each operand, None where there is none; those of broadcast operands have the
# result's
# shape.
Rule = Callable[[GradientStep], list[Value | None]]


def summed_to(node: Node, gradient: Value, shape: Sequence[Dim]) -> Value:
    """Sums the gradient over the dims along which a value of this shape was broadcast.

    Raises UnsupportedNodeError where it is dynamic whether a dim was broadcast.
    """
    if gradient.shape == tuple(shape):
        return gradient
    front = gradient.rank - len(shape)
    axes = [*range(front)]
    for axis, (wide, own) in enumerate(zip(gradient.shape[front:], shape, strict=True), front):
        if own == 1 and wide != 1:
            axes.append(axis)
        elif own != wide and isinstance(own, Size):
            raise UnsupportedNodeError(f"whether {own} was broadcast to {wide} is not known")
    summed = node.emit("reduce_sum", gradient, axes=axes, keepdims=True) if axes else gradient
    return node.reshape(summed, shape)
