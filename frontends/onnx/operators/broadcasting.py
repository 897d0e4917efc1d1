"""What older opsets said about broadcasting: attributes `broadcast` and `axis` before opset 7."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Value


def legacy_operands(node: Node) -> tuple[Value, Value]:
    """Both operands, the second with trailing unit dims where opset < 7 aligns it at `axis`."""
    a, b = node.input(0), node.input(1)
    if node.opset >= 7 or not node.attr("broadcast", 0) or "axis" not in node.attributes:
        return a, b
    trailing = a.rank - node.axis(node.attr("axis"), a.rank) - b.rank
    return a, node.reshape(b, [*b.shape, *[1] * trailing]) if trailing > 0 else b
