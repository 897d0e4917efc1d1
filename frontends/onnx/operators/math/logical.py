"""Comparisons, logic, bits and selection."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.legacy_broadcasting import legacy_operands
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

_BINARY = {
    "Equal": "equal", "Less": "less", "Greater": "greater", "LessOrEqual": "less_equal",
    "GreaterOrEqual": "greater_equal", "And": "and", "Or": "or", "Xor": "xor", "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor",
}  # fmt: skip
_UNARY = {"Not": "not", "BitwiseNot": "bitwise_not", "IsNaN": "is_nan"}


@onnx_operator(*_BINARY)
def binary(node: Node) -> Value:
    """Imports comparisons and logic of two operands."""
    return node.emit(_BINARY[node.op_type], *legacy_operands(node))


@onnx_operator(*_UNARY)
def unary(node: Node) -> Value:
    """Imports Not, BitwiseNot and IsNaN."""
    return node.emit(_UNARY[node.op_type], _wide(node, node.input(0)))


def _wide(node: Node, x: Value) -> Value:
    """Casts floats of 8 bits to f32, which represents their infinities and NaNs."""
    return node.cast(x, TensorProto.FLOAT) if element_types.is_narrow_float(x.onnx_type) else x


@onnx_operator("IsInf", since=10)
def is_inf(node: Node) -> Value:
    """Imports IsInf."""
    signs = {f"detect_{sign}": bool(node.attr(f"detect_{sign}", 1)) for sign in ("negative", "positive")}
    return node.emit("is_inf", _wide(node, node.input(0)), **signs)


@onnx_operator("BitShift", since=11)
def bit_shift(node: Node) -> Value:
    """Imports BitShift. Raises NodeError for other directions than LEFT and RIGHT."""
    direction = node.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise NodeError(f"direction must be LEFT or RIGHT, not {direction!r}")
    return _shift(node, f"shift_{direction.lower()}", node.input(0), node.input(1))


def _shift(node: Node, op: str, x: Value, counts: Value) -> Value:
    """Shifts x by any counts.

    Negative counts, and those of the width or more, shift all bits out: 0 remains, or the sign where a signed
    integer is shifted right.
    """
    width = x.dtype.itemsize * 8
    known = counts.known
    if known is not None and counts.is_constant and np.all((known >= 0) & (known < width)):
        return node.emit(op, x, counts)
    zero = node.scalar(0, x)
    is_inside = node.emit("less", counts, node.scalar(width, counts))
    if counts.dtype.kind == "i":
        is_inside = node.emit("and", is_inside, node.emit("greater_equal", counts, zero))
    if op == "shift_right" and x.dtype.kind == "i":
        return node.emit(op, x, node.emit("where", is_inside, counts, node.scalar(width - 1, counts)))
    return node.emit("where", is_inside, node.emit(op, x, node.emit("where", is_inside, counts, zero)), zero)


@onnx_operator("Where", since=9)
def where(node: Node) -> Value:
    """Imports Where."""
    return node.emit("where", node.input(0), node.input(1), node.input(2))
