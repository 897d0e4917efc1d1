"""Optimizers of the domain ai.onnx.preview.training, which return new tensors and their new state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

DOMAIN = "ai.onnx.preview.training"
# Returns the new value and the new state of one tensor. Operands are the node, the learning rate, the update
# count, then the tensor, its gradient and its state.
Update = Callable[..., tuple[Value, ...]]


def _all(node: Node, update: Update, state: int) -> list[Value]:
    """Applies `update` to every tensor; inputs and outputs are grouped by role, not by tensor.

    Raises NodeError for incomplete groups.
    """
    groups = [node.input(i) for i in range(2, len(node.inputs))]
    count, rest = divmod(len(groups), 2 + state)
    if rest:
        raise NodeError(f"{len(groups)} inputs are no groups of {2 + state} for each tensor")
    rate, step = node.reshape(node.input(0), []), node.reshape(node.input(1), [])
    updated = [update(node, rate, step, *groups[i::count]) for i in range(count)]
    return [results[position] for position in range(1 + state) for results in updated]


def _scale(node: Node, factor: float, x: Value) -> Value:
    return x if factor == 1 else node.emit("mul", x, node.scalar(factor, x))


def _regularise(node: Node, x: Value, gradient: Value) -> Value:
    norm = float(node.attr("norm_coefficient", 0.0))
    return gradient if norm == 0 else node.emit("add", _scale(node, norm, x), gradient)


@onnx_operator("Adagrad", domain=DOMAIN)
def adagrad(node: Node) -> list[Value]:
    """Imports Adagrad (Duchi, Hazan, Singer, "Adaptive subgradient methods", 2011)."""
    return _all(node, _adagrad, 1)


def _adagrad(node: Node, rate: Value, step: Value, x: Value, gradient: Value, h: Value) -> tuple[Value, ...]:
    decay = _scale(node, float(node.attr("decay_factor", 0.0)), node.cast(step, rate.onnx_type))
    rate = node.emit("div", rate, node.emit("add", decay, node.scalar(1, decay)))
    slope = _regularise(node, x, gradient)
    h = node.emit("add", h, node.emit("mul", slope, slope))
    moved = node.emit("mul", node.cast(rate, x.onnx_type), slope)
    return node.emit("sub", x, node.emit("div", moved, _root(node, h, 1e-6))), h


def _root(node: Node, h: Value, epsilon: float) -> Value:
    root = node.emit("sqrt", h)
    return node.emit("add", root, node.scalar(float(node.attr("epsilon", epsilon)), root))


@onnx_operator("Adam", domain=DOMAIN)
def adam(node: Node) -> list[Value]:
    """Imports Adam (Kingma, Ba, "Adam: a method for stochastic optimization", 2014)."""
    return _all(node, _adam, 2)


def _adam(
    node: Node, rate: Value, step: Value, x: Value, gradient: Value, v: Value, h: Value
) -> tuple[Value, ...]:
    alpha, beta = float(node.attr("alpha", 0.9)), float(node.attr("beta", 0.999))
    slope = _regularise(node, x, gradient)
    v = node.emit("add", _scale(node, alpha, v), _scale(node, 1 - alpha, slope))
    h = node.emit("add", _scale(node, beta, h), _scale(node, 1 - beta, node.emit("mul", slope, slope)))
    adjusted = node.cast(_corrected_rate(node, rate, step, alpha, beta), x.onnx_type)
    moved = node.emit("mul", adjusted, node.emit("div", v, _root(node, h, 1e-6)))
    x = node.emit("sub", x, moved)
    return _scale(node, 1 - float(node.attr("norm_coefficient_post", 0.0)), x), v, h


def _corrected_rate(node: Node, rate: Value, step: Value, alpha: float, beta: float) -> Value:
    """Returns the rate times sqrt(1 - beta^step) / (1 - alpha^step), which is left out at step 0."""
    count = node.cast(step, rate.onnx_type)
    one = node.scalar(1, rate)
    first, second = (
        node.emit("sub", one, node.emit("pow", node.scalar(base, rate), count)) for base in (alpha, beta)
    )
    factor = node.emit("div", node.emit("sqrt", second), first)
    started = node.emit("greater", step, node.constant(np.int64(0)))
    return node.emit("where", started, node.emit("mul", rate, factor), rate)


@onnx_operator("Momentum", domain=DOMAIN)
def momentum(node: Node) -> list[Value]:
    """Imports Momentum. Raises NodeError for modes other than standard and nesterov."""
    if node.attr("mode") not in ("standard", "nesterov"):
        raise NodeError(f"mode must be standard or nesterov, not {node.attr('mode')!r}")
    return _all(node, _momentum, 1)


def _momentum(node: Node, rate: Value, step: Value, x: Value, gradient: Value, v: Value) -> tuple[Value, ...]:
    """Updates one tensor; the gradient's factor is 1 at step 0, beta after it."""
    alpha, one = float(node.attr("alpha")), node.scalar(1, x)
    slope = _regularise(node, x, gradient)
    started = node.emit("greater", step, node.constant(np.int64(0)))
    beta = node.emit("where", started, node.scalar(float(node.attr("beta")), x), one)
    v = node.emit("add", _scale(node, alpha, v), node.emit("mul", beta, slope))
    direction = v
    if node.attr("mode") == "nesterov":
        direction = node.emit("add", slope, _scale(node, alpha, v))
    return node.emit("sub", x, node.emit("mul", node.cast(rate, x.onnx_type), direction)), v
