"""What a rule of differentiation sees of an op, and what rules share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.sizes import Size
from mlc.frontends.onnx.node import Node, Unsupported
from mlc.frontends.onnx.operators.common.expressions import Formula
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class Step:
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
        return Formula(self.node, self.result)

    @property
    def g(self) -> Formula:
        return Formula(self.node, self.gradient)

    def operand(self, place: int) -> Formula:
        return Formula(self.node, self.operands[place])

    def attribute(self, name: str) -> Any:
        return graph.attribute(self.op, name)


# The gradient of each operand, None where there is none. What is broadcast has the result's shape still.
Rule = Callable[[Step], list[Value | None]]


def summed_to(node: Node, gradient: Value, shape: Sequence[Dim]) -> Value:
    """The sum over what a value of this shape was broadcast along."""
    if gradient.shape == tuple(shape):
        return gradient
    front = gradient.rank - len(shape)
    axes = [*range(front)]
    for axis, (wide, own) in enumerate(zip(gradient.shape[front:], shape, strict=True), front):
        if own == 1 and wide != 1:
            axes.append(axis)
        elif own != wide and isinstance(own, Size):
            raise Unsupported(f"whether {own} was broadcast to {wide} is not known")
    summed = node.emit("reduce_sum", gradient, axes=axes, keepdims=True) if axes else gradient
    return node.reshape(summed, shape)
