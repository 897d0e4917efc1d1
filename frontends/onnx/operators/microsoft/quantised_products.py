"""Products of integers whose sums become floats, or are quantised again."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.math.contraction import centred, scaled, transposed
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.quantised import quantised
from mlc.frontends.onnx.operators.nn.normalisation import affine
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def integer_product(
    node: Node, a: Value, b: Value, zeros: tuple[Value | None, Value | None], scales: tuple[Value, Value]
) -> Value:
    """(a - a's zero) @ (b - b's zero), summed as integers, times both scales. b's scale and zero point may
    have an entry per column."""
    sums = node.emit("matmul", centred(node, a, zeros[0], -2), centred(node, b, zeros[1], -1))
    one, other = (node.reshape(each, []) if each.shape == (1,) else each for each in scales)
    return node.emit("mul", node.cast(sums, other.number), node.emit("mul", one, other))


@onnx_operator("MatMulIntegerToFloat", domain=MICROSOFT)
def matmul_integer_to_float(node: Node) -> Value:
    """Inputs: a, b, their scales, their zero points, bias."""
    zeros = node.optional(4), node.optional(5)
    product = integer_product(node, node.input(0), node.input(1), zeros, (node.input(2), node.input(3)))
    return affine(node, product, None, node.optional(6))


@onnx_operator("DynamicQuantizeMatMul", domain=MICROSOFT)
def dynamic_quantize_matmul(node: Node) -> Value:
    """a is quantised to ui8 by its own extremes. Inputs: a, b, b's scale and zero point, bias."""
    a, scale, zero = dynamically_quantised(node, node.input(0))
    zeros, scales = (zero, node.optional(3)), (scale, node.input(2))
    return affine(node, integer_product(node, a, node.input(1), zeros, scales), None, node.optional(4))


def dynamically_quantised(node: Node, x: Value) -> tuple[Value, Value, Value]:
    """x as ui8 with its scale and zero point, as DynamicQuantizeLinear makes them."""
    axes, zero = list(range(x.rank)), node.scalar(0, x)
    low = node.emit("min", node.emit("reduce_min", x, axes=axes, keepdims=False), zero)
    high = node.emit("max", node.emit("reduce_max", x, axes=axes, keepdims=False), zero)
    width = node.emit("div", node.emit("sub", high, low), node.scalar(255, x))
    scale = node.emit("where", node.emit("equal", width, zero), node.scalar(1, x), width)
    place = node.emit("round", node.emit("div", node.emit("neg", low), scale))
    zero_point = node.cast(node.emit("clamp", place, min=0.0, max=255.0), TensorProto.UINT8)
    return quantised(node, x, scale, zero_point, TensorProto.UINT8), scale, zero_point


@onnx_operator("QGemm", domain=MICROSOFT)
def qgemm(node: Node) -> Value:
    """alpha * op(a) @ op(b) + c, quantised if there is a scale for the result. Inputs: a, its scale and zero
    point, b, its scale and zero point, c of integers, the result's scale and zero point."""
    a, b = (
        transposed(node, node.input(i)) if node.attr(name, 0) else node.input(i)
        for i, name in ((0, "transA"), (3, "transB"))
    )
    a_scale, b_scale = node.input(1), node.input(4)
    zeros, scales = (node.input(2), node.input(5)), (a_scale, b_scale)
    alpha = node.attr("alpha", 1.0)
    total = scaled(node, integer_product(node, a, b, zeros, scales), alpha)
    if node.optional(6) is not None:
        # c has the scale of the sums.
        factor = scaled(node, node.emit("mul", a_scale, b_scale), alpha)
        factor = node.reshape(factor, []) if factor.shape == (1,) else factor
        total = node.emit("add", total, node.emit("mul", node.cast(node.input(6), total.number), factor))
    if node.optional(7) is None:
        return total
    return quantised(node, total, node.input(7), node.optional(8), node.input(0).number)
