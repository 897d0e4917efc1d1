"""Powers and roots of p-norms, in the cheapest form."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value


def power_of_abs(node: Node, x: Value, p: float) -> Value:
    """Returns `|x|^p`."""
    if p == 2:
        return node.emit("mul", x, x)
    magnitude = node.emit("abs", x)
    return magnitude if p == 1 else node.emit("pow", magnitude, node.scalar(p, x))


def root(node: Node, x: Value, p: float) -> Value:
    """Returns `x^(1/p)`."""
    if p == 2:
        return node.emit("sqrt", x)
    return x if p == 1 else node.emit("pow", x, node.scalar(1 / p, x))
