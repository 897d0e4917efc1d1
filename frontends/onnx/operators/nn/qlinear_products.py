"""QLinearMatMul and QLinearConv: products of quantised values, which are requantised.

Sums of integers are exact, in i32. Their factor is computed in the scales' type and applied in f64, which
holds every i32 and its product with the factor to the last digits: one rounding to the result's integers.
"""

from __future__ import annotations

import ml_dtypes
from onnx import TensorProto

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.math.contraction import multiply, subtract_zero_point
from mlc.frontends.onnx.operators.nn.convolution import convolve, per_channel
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("QLinearMatMul", since=10)
def qlinear_matmul(node: Node) -> Value:
    """Imports QLinearMatMul. Rows of a and columns of b may have separate scales and zero points."""
    a, b = node.input(0), node.input(3)
    if element_types.is_integer(a.onnx_type) and element_types.is_integer(b.onnx_type):
        product = multiply(
            node,
            subtract_zero_point(node, a, node.input(2), -2),
            subtract_zero_point(node, b, node.input(5), -1),
        )
    else:
        # The zero point of narrow floats is 0.
        product = multiply(node, _as_float(node, 0, -2), _as_float(node, 3, -1))
    a_scale = _along(node, node.input(1), a.rank, -2)
    factor = node.emit("mul", a_scale, _along(node, node.input(4), b.rank, -1))
    y_scale, zero_point = (_along(node, node.input(i), product.rank, -2) for i in (6, 7))
    return requantise(node, product, node.emit("div", factor, y_scale), zero_point)


def _as_float(node: Node, index: int, axis: int) -> Value:
    """Returns an operand as f32; zero points are subtracted from integers."""
    value = node.input(index)
    exact = (
        subtract_zero_point(node, value, node.input(index + 2), axis)
        if element_types.is_integer(value.onnx_type)
        else value
    )
    return node.cast(exact, TensorProto.FLOAT)


def _along(node: Node, value: Value, rank: int, axis: int) -> Value:
    """Reshapes a vector of entries along `axis` (from the end) of a tensor of `rank`, so that it
    broadcasts."""
    if value.shape == (1,):
        return node.reshape(value, [])
    return node.reshape(value, [*value.shape, *[1] * (-axis - 1)]) if value.rank == 1 and rank > 1 else value


@onnx_operator("QLinearConv", since=10)
def qlinear_conv(node: Node) -> Value:
    """Imports QLinearConv. The bias has the scale of the products and no zero point."""
    x, w = node.input(0), node.input(3)
    # Subtracting the zero points first makes the padding's zeros right.
    product = convolve(
        node,
        subtract_zero_point(node, x, node.input(2), 1),
        subtract_zero_point(node, w, node.input(5), -w.rank),
    )
    bias = node.optional(8)
    if bias is not None:
        product = node.emit("add", product, per_channel(node, bias, product.rank))
    x_scale, y_scale, zero_point = (_along(node, node.input(i), 1, -1) for i in (1, 6, 7))
    w_scale = _along(node, node.input(4), 1, -1)
    if w_scale.rank:
        w_scale = per_channel(node, w_scale, product.rank)
    factor = node.emit("div", node.emit("mul", x_scale, w_scale), y_scale)
    return requantise(node, product, factor, zero_point)


def requantise(node: Node, product: Value, factor: Value, zero_point: Value) -> Value:
    """Returns product * factor + zero_point in zero_point's type.

    Integers are rounded to nearest, halves to even, and clamped; narrow floats have no zero point.
    """
    onnx_type = zero_point.onnx_type
    wide = TensorProto.DOUBLE
    y = node.emit("mul", node.cast(product, wide), node.cast(factor, wide))
    if not element_types.is_integer(onnx_type):
        return node.cast(y, onnx_type)
    y = node.emit("round", node.emit("add", y, node.cast(zero_point, wide)))
    limits = ml_dtypes.iinfo(zero_point.dtype)  # type: ignore[no-untyped-call]  # NumPy's knows no int4
    return node.cast(node.emit("clamp", y, min=float(limits.min), max=float(limits.max)), onnx_type)
