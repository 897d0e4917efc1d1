"""Comparisons, logic, bits and selection."""

from __future__ import annotations

from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.broadcasting import legacy_operands
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value
from onnx import TensorProto

_BINARY = {
    "Equal": "equal", "Less": "less", "Greater": "greater", "LessOrEqual": "less_equal",
    "GreaterOrEqual": "greater_equal", "And": "and", "Or": "or", "Xor": "xor", "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor",
}  # fmt: skip
_UNARY = {"Not": "not", "BitwiseNot": "bitwise_not", "IsNaN": "is_nan"}


@onnx_operator(*_BINARY)
def binary(node: Node) -> Value:
    return node.emit(_BINARY[node.op_type], *legacy_operands(node))


@onnx_operator(*_UNARY)
def unary(node: Node) -> Value:
    return node.emit(_UNARY[node.op_type], _wide(node, node.input(0)))


def _wide(node: Node, x: Value) -> Value:
    """Floats of 8 bits as f32, which has their infinities and NaNs."""
    return node.cast(x, TensorProto.FLOAT) if types.is_narrow_float(x.number) else x


@onnx_operator("IsInf", since=10)
def is_inf(node: Node) -> Value:
    signs = {f"detect_{sign}": bool(node.attr(f"detect_{sign}", 1)) for sign in ("negative", "positive")}
    return node.emit("is_inf", _wide(node, node.input(0)), **signs)


@onnx_operator("BitShift", since=11)
def bit_shift(node: Node) -> Value:
    direction = node.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise NodeFailure(f"direction must be LEFT or RIGHT, not {direction!r}")
    return node.emit(f"shift_{direction.lower()}", node.input(0), node.input(1))


@onnx_operator("Where", since=9)
def where(node: Node) -> Value:
    return node.emit("where", node.input(0), node.input(1), node.input(2))
