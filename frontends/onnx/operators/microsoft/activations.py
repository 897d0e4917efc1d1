"""Activations: plain, after a bias, and as the attribute of fused operators."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.math.contraction import scale_by
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# Activation -> graph op, and its attributes in the order of the parameters, with their defaults.
_FUSED: dict[str, tuple[str, dict[str, float]]] = {
    "Relu": ("relu", {}),
    "Tanh": ("tanh", {}),
    "Sigmoid": ("sigmoid", {}),
    "HardSwish": ("hard_swish", {}),
    "LeakyRelu": ("leaky_relu", {"alpha": 0.01}),
    "Elu": ("elu", {"alpha": 1.0}),
    "HardSigmoid": ("hard_sigmoid", {"alpha": 0.2, "beta": 0.5}),
    "Clip": ("clamp", {"min": -3.402823466e38, "max": 3.402823466e38}),
}


def activate(node: Node, x: Value, parameters: Sequence[float | None]) -> Value:
    """Applies the activation that the node's attribute names to x; a parameter that is left out is None.

    Raises NodeError for unknown activations.
    """
    name = node.attr("activation", "")
    if not name:
        return x
    if name not in _FUSED:
        raise NodeError(f"activation must be one of {', '.join(_FUSED)}, not {name!r}")
    op, defaults = _FUSED[name]
    given = [*parameters, *[None] * len(defaults)]
    attributes = {
        key: float(default if value is None else value)
        for (key, default), value in zip(defaults.items(), given, strict=False)
    }
    return node.emit(op, x, **attributes)


@onnx_operator("Gelu", "BiasGelu", domain=MICROSOFT)
def gelu(node: Node) -> Value:
    """Imports Gelu and BiasGelu."""
    return node.emit("gelu", _with_bias(node), approximate="none")


@onnx_operator("FastGelu", domain=MICROSOFT)
def fast_gelu(node: Node) -> Value:
    """Imports FastGelu: the approximation of GELU by tanh."""
    return node.emit("gelu", _with_bias(node), approximate="tanh")


def _with_bias(node: Node) -> Value:
    """Returns x, plus input 1 along the last axis if there is one."""
    x = node.input(0)
    return x if node.optional(1) is None else node.emit("add", x, node.input_of_shape(1, x.shape[-1:]))


@onnx_operator("QuickGelu", domain=MICROSOFT)
def quick_gelu(node: Node) -> Value:
    """Imports QuickGelu: x * sigmoid(alpha * x)."""
    x = node.input(0)
    return node.emit("mul", x, node.emit("sigmoid", scale_by(node, x, node.attr("alpha", 1.702))))


@onnx_operator("BiasSplitGelu", domain=MICROSOFT)
def bias_split_gelu(node: Node) -> Value:
    """Imports BiasSplitGelu: the first half of x + bias along the last axis times the GELU of the second."""
    x = node.emit("add", node.input(0), node.input(1))
    left, right = halves(node, x)
    return node.emit("mul", left, node.emit("gelu", right, approximate="none"))


@onnx_operator("BiasAdd", domain=MICROSOFT)
def bias_add(node: Node) -> Value:
    """Imports BiasAdd: x + bias + skip."""
    return node.emit("add", node.emit("add", node.input(0), node.input(1)), node.input(2))


def halves(node: Node, x: Value) -> tuple[Value, Value]:
    """Returns the two halves of the last axis. Raises NodeError for odd sizes."""
    (size,) = node.static(x.shape[-1:], "the last dim")
    if size % 2:
        raise NodeError(f"the last dim, of size {size}, has no halves")
    return part(node, x, x.rank - 1, 0, size // 2), part(node, x, x.rank - 1, size // 2, size // 2)


def part(node: Node, x: Value, axis: int, start: int, size: int) -> Value:
    """Returns `size` elements of an axis from `start` on."""
    if x.shape[axis] == size:
        return x
    starts, sizes = [0] * x.rank, [-1] * x.rank
    starts[axis], sizes[axis] = start, size
    return node.emit("slice", x, starts=starts, sizes=sizes, steps=[1] * x.rank)
