"""Broadcasting in older opsets: attributes `broadcast` and `axis` before opset 7."""

from __future__ import annotations

from mlc.dialects.graph.sizes import broadcast
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.values import Dim, Value


def legacy_operands(node: Node) -> tuple[Value, Value]:
    """Returns both operands, the second with trailing unit dims where opset < 7 aligns it at `axis`."""
    a, b = node.input(0), node.input(1)
    if node.opset >= 7 or not node.attr("broadcast", 0) or "axis" not in node.attributes:
        return a, b
    trailing = a.rank - node.axis(node.attr("axis"), a.rank) - b.rank
    return a, node.reshape(b, [*b.shape, *[1] * trailing]) if trailing > 0 else b


def broadcast_together(node: Node, a: Value, b: Value) -> tuple[Value, Value]:
    """Returns both operands expanded to one shape. Raises NodeError for shapes that do not broadcast."""
    rank = max(a.rank, b.rank)
    shapes = [(1,) * (rank - operand.rank) + operand.shape for operand in (a, b)]
    try:
        shape: list[Dim] = [broadcast(*dims) for dims in zip(*shapes, strict=True)]
    except ValueError as error:
        raise NodeError(str(error)) from None
    return node.expand(a, shape), node.expand(b, shape)
