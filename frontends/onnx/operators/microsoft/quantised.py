"""Operators on quantised tensors.

Most are computed on dequantised values and quantised again; products are summed as integers, whose sums
become floats or are requantised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.math.contraction import scale_by, subtract_zero_point, transpose_last
from mlc.frontends.onnx.operators.math.quantisation import dequantize_linear, quantize_linear
from mlc.frontends.onnx.operators.math.reduction import global_pool
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.fused_products import channels_first, channels_last
from mlc.frontends.onnx.operators.nn.normalisation import affine, softmax, softmax_flattened
from mlc.frontends.onnx.operators.nn.pooling import average_pool, max_pool
from mlc.frontends.onnx.operators.nn.qlinear_products import qlinear_conv
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def integer_product(
    node: Node, a: Value, b: Value, zeros: tuple[Value | None, Value | None], scales: tuple[Value, Value]
) -> Value:
    """Returns (a - a's zero) @ (b - b's zero), summed as integers, times both scales.

    b's scale and zero point may have an entry per column.
    """
    sums = node.emit(
        "matmul", subtract_zero_point(node, a, zeros[0], -2), subtract_zero_point(node, b, zeros[1], -1)
    )
    one, other = (node.reshape(scale, []) if scale.shape == (1,) else scale for scale in scales)
    return node.emit("mul", node.cast(sums, other.onnx_type), node.emit("mul", one, other))


@onnx_operator("MatMulIntegerToFloat", domain=MICROSOFT)
def matmul_integer_to_float(node: Node) -> Value:
    """Imports MatMulIntegerToFloat. Inputs: a, b, their scales, their zero points, bias."""
    zeros = node.optional(4), node.optional(5)
    product = integer_product(node, node.input(0), node.input(1), zeros, (node.input(2), node.input(3)))
    return affine(node, product, None, node.optional(6))


@onnx_operator("DynamicQuantizeMatMul", domain=MICROSOFT)
def dynamic_quantize_matmul(node: Node) -> Value:
    """Imports DynamicQuantizeMatMul: a is quantised to ui8 by its extremes. Inputs: a, b, b's scale and zero
    point, bias."""
    a, scale, zero = dynamically_quantised(node, node.input(0))
    zeros, scales = (zero, node.optional(3)), (scale, node.input(2))
    return affine(node, integer_product(node, a, node.input(1), zeros, scales), None, node.optional(4))


def dynamically_quantised(node: Node, x: Value) -> tuple[Value, Value, Value]:
    """Returns x as ui8 with its scale and zero point, as DynamicQuantizeLinear computes them."""
    axes, zero = list(range(x.rank)), node.scalar(0, x)
    low = node.emit("min", node.emit("reduce_min", x, axes=axes, keepdims=False), zero)
    high = node.emit("max", node.emit("reduce_max", x, axes=axes, keepdims=False), zero)
    width = node.emit("div", node.emit("sub", high, low), node.scalar(255, x))
    scale = node.emit("where", node.emit("equal", width, zero), node.scalar(1, x), width)
    shifted = node.emit("round", node.emit("div", node.emit("neg", low), scale))
    zero_point = node.cast(node.emit("clamp", shifted, min=0.0, max=255.0), TensorProto.UINT8)
    return quantise(node, x, scale, zero_point, TensorProto.UINT8), scale, zero_point


@onnx_operator("QGemm", domain=MICROSOFT)
def qgemm(node: Node) -> Value:
    """Imports QGemm: alpha * op(a) @ op(b) + c, quantised if there is a scale for the result.

    Inputs: a, its scale and zero point, b, its scale and zero point, c of integers, the result's scale and
    zero point.
    """
    a, b = (
        transpose_last(node, node.input(i)) if node.attr(name, 0) else node.input(i)
        for i, name in ((0, "transA"), (3, "transB"))
    )
    a_scale, b_scale = node.input(1), node.input(4)
    zeros, scales = (node.input(2), node.input(5)), (a_scale, b_scale)
    alpha = node.attr("alpha", 1.0)
    total = scale_by(node, integer_product(node, a, b, zeros, scales), alpha)
    if node.optional(6) is not None:
        # c has the scale of the sums.
        factor = scale_by(node, node.emit("mul", a_scale, b_scale), alpha)
        factor = node.reshape(factor, []) if factor.shape == (1,) else factor
        total = node.emit("add", total, node.emit("mul", node.cast(node.input(6), total.onnx_type), factor))
    if node.optional(7) is None:
        return total
    return quantise(node, total, node.input(7), node.optional(8), node.input(0).onnx_type)


def dequantise(node: Node, x: Value, scale: Value, zero: Value | None) -> Value:
    """Returns (x - zero) * scale, with one scale for the whole tensor."""
    return node.emit("dequantize_linear", *_scalars(node, x, scale, zero), axis=0, block_size=0)


def quantise(node: Node, x: Value, scale: Value, zero: Value | None, onnx_type: int) -> Value:
    """Returns x as elements of the ONNX data type `onnx_type`: round(x / scale) + zero, saturated."""
    result_type = node.type_of(x.shape, onnx_type)
    operands = _scalars(node, x, scale, zero)
    return node.emit(
        "quantize_linear", *operands, result_type=result_type, axis=0, block_size=0, saturate=True
    )


def _scalars(node: Node, x: Value, scale: Value, zero: Value | None) -> list[Value]:
    parameters = [scale] if zero is None else [scale, zero]
    return [x, *(node.reshape(parameter, []) for parameter in parameters)]


def _compute_dequantised(node: Node, function: Callable[[Value], Value]) -> Value:
    """Applies `function` to input 0, whose scale and zero point are inputs 1 and 2; the result's are 3
    and 4."""
    x = node.input(0)
    result = function(dequantise(node, x, node.input(1), node.optional(2)))
    return quantise(node, result, node.input(3), node.optional(4), x.onnx_type)


def _reuse(node: Node, function: Callable[[Node], Value], last: bool = False) -> Value:
    """Applies the function of another operator to the dequantised input; `last`: channels come last."""

    def call(x: Value) -> Value:
        """Applies the function to the node with input `x`."""
        result = function(node.with_inputs(channels_first(node, x) if last else x))
        return channels_last(node, result) if last else result

    return _compute_dequantised(node, call)


@onnx_operator("QLinearAdd", "QLinearMul", domain=MICROSOFT)
def qlinear_binary(node: Node) -> Value:
    """Imports QLinearAdd and QLinearMul."""
    op = "add" if node.op_type == "QLinearAdd" else "mul"
    sides = [dequantise(node, node.input(i), node.input(i + 1), node.optional(i + 2)) for i in (0, 3)]
    return quantise(node, node.emit(op, *sides), node.input(6), node.optional(7), node.input(0).onnx_type)


@onnx_operator("QLinearSigmoid", domain=MICROSOFT)
def qlinear_sigmoid(node: Node) -> Value:
    """Imports QLinearSigmoid."""
    return _compute_dequantised(node, lambda x: node.emit("sigmoid", x))


@onnx_operator("QLinearLeakyRelu", domain=MICROSOFT)
def qlinear_leaky_relu(node: Node) -> Value:
    """Imports QLinearLeakyRelu."""
    return _compute_dequantised(
        node, lambda x: node.emit("leaky_relu", x, alpha=float(node.attr("alpha", 0.01)))
    )


@onnx_operator("QLinearSoftmax", domain=MICROSOFT)
def qlinear_softmax(node: Node) -> Value:
    """Imports QLinearSoftmax, which is Softmax of the opset in its attribute: before 13 the dims from the
    axis on count as one."""
    plain = replace(node, op_type="Softmax", attributes={"axis": node.attr("axis", -1)})
    return _reuse(plain, softmax if node.attr("opset") >= 13 else softmax_flattened)


@onnx_operator("QLinearAveragePool", domain=MICROSOFT)
def qlinear_average_pool(node: Node) -> Value:
    """Imports QLinearAveragePool."""
    return _reuse(node, average_pool, last=bool(node.attr("channels_last", 0)))


@onnx_operator("QLinearGlobalAveragePool", domain=MICROSOFT)
def qlinear_global_average_pool(node: Node) -> Value:
    """Imports QLinearGlobalAveragePool."""
    plain = replace(node, op_type="GlobalAveragePool")
    return _reuse(plain, global_pool, last=bool(node.attr("channels_last", 0)))


@onnx_operator("QLinearConv", domain=MICROSOFT)
def convolution(node: Node) -> Value:
    """Imports QLinearConv; with `channels_last` images are `[N, spatial..., C]`, and weights as in ONNX's
    QLinearConv."""
    if not node.attr("channels_last", 0):
        return qlinear_conv(node)
    image = channels_first(node, node.input(0))
    return channels_last(node, qlinear_conv(node.with_inputs(image, *node.inputs[1:])))


@onnx_operator("NhwcMaxPool", domain=MICROSOFT)
def max_pool_channels_last(node: Node) -> Value:
    """Imports NhwcMaxPool."""
    pooled = max_pool(node.with_inputs(channels_first(node, node.input(0))))[0]
    assert pooled is not None
    return channels_last(node, pooled)


@onnx_operator("QLinearReduceMean", domain=MICROSOFT)
def qlinear_reduce_mean(node: Node) -> Value:
    """Imports QLinearReduceMean."""

    def mean(x: Value) -> Value:
        """Returns the mean of dequantised values."""
        axes = node.attr("axes", ()) or range(x.rank)
        keepdims = bool(node.attr("keepdims", 1))
        return node.emit("reduce_mean", x, axes=node.axis_set(axes, x.rank), keepdims=keepdims)

    return _compute_dequantised(node, mean)


@onnx_operator("QLinearConcat", domain=MICROSOFT)
def qlinear_concat(node: Node) -> Value:
    """Imports QLinearConcat.

    Inputs: the result's scale and zero point, then tensor, scale, zero point of each part. Raises NodeError
    for incomplete triples.
    """
    if len(node.inputs) < 5 or len(node.inputs) % 3 != 2:
        raise NodeError(f"{len(node.inputs)} inputs are no scale, zero point and triples")
    triples = [range(first, first + 3) for first in range(2, len(node.inputs), 3)]
    parts = [dequantise(node, *(node.input(i) for i in triple)) for triple in triples]
    whole = node.emit("concat", *parts, axis=node.axis(node.attr("axis"), parts[0].rank))
    return quantise(node, whole, node.input(0), node.input(1), node.input(1).onnx_type)


@onnx_operator("QLinearWhere", domain=MICROSOFT)
def qlinear_where(node: Node) -> Value:
    """Imports QLinearWhere."""
    sides = [dequantise(node, *(node.input(i + k) for k in range(3))) for i in (1, 4)]
    chosen = node.emit("where", node.input(0), *sides)
    return quantise(node, chosen, node.input(7), node.input(8), node.input(1).onnx_type)


@onnx_operator("QuantizeLinear", domain=MICROSOFT)
def quantize(node: Node) -> Value:
    """Imports QuantizeLinear."""
    return quantize_linear(node)


@onnx_operator("DequantizeLinear", domain=MICROSOFT)
def dequantize(node: Node) -> Value:
    """Imports DequantizeLinear."""
    return dequantize_linear(node)
