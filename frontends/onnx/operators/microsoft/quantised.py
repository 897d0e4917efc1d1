"""Operators on quantised tensors: the numbers that they stand for are computed, and quantised again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.math.quantisation import dequantize_linear, quantize_linear
from mlc.frontends.onnx.operators.math.reduction import global_pool
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.fused_products import channels_first, channels_last
from mlc.frontends.onnx.operators.nn.normalisation import softmax, softmax_flattened
from mlc.frontends.onnx.operators.nn.pooling import average_pool, max_pool
from mlc.frontends.onnx.operators.nn.qlinear_products import qlinear_conv
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def dequantised(node: Node, x: Value, scale: Value, zero: Value | None) -> Value:
    """(x - zero) * scale, with one scale for the whole tensor."""
    return node.emit("dequantize_linear", *_scalars(node, x, scale, zero), axis=0, block_size=0)


def quantised(node: Node, x: Value, scale: Value, zero: Value | None, number: int) -> Value:
    """x as elements of the ONNX data type `number`: round(x / scale) + zero, saturated."""
    kind = node.type_of(x.shape, number)
    operands = _scalars(node, x, scale, zero)
    return node.emit("quantize_linear", *operands, result_type=kind, axis=0, block_size=0, saturate=True)


def _scalars(node: Node, x: Value, scale: Value, zero: Value | None) -> list[Value]:
    parameters = [scale] if zero is None else [scale, zero]
    return [x, *(node.reshape(each, []) for each in parameters)]


def _computed(node: Node, function: Callable[[Value], Value]) -> Value:
    """`function` of input 0, whose scale and zero point are inputs 1 and 2; the result's are 3 and 4."""
    x = node.input(0)
    result = function(dequantised(node, x, node.input(1), node.optional(2)))
    return quantised(node, result, node.input(3), node.optional(4), x.number)


def _reused(node: Node, function: Callable[[Node], Value], last: bool = False) -> Value:
    """`_computed` by the function of another operator; `last`: channels come last."""

    def call(x: Value) -> Value:
        result = function(node.with_inputs(channels_first(node, x) if last else x))
        return channels_last(node, result) if last else result

    return _computed(node, call)


@onnx_operator("QLinearAdd", "QLinearMul", domain=MICROSOFT)
def qlinear_binary(node: Node) -> Value:
    op = "add" if node.op_type == "QLinearAdd" else "mul"
    sides = [dequantised(node, node.input(i), node.input(i + 1), node.optional(i + 2)) for i in (0, 3)]
    return quantised(node, node.emit(op, *sides), node.input(6), node.optional(7), node.input(0).number)


@onnx_operator("QLinearSigmoid", domain=MICROSOFT)
def qlinear_sigmoid(node: Node) -> Value:
    return _computed(node, lambda x: node.emit("sigmoid", x))


@onnx_operator("QLinearLeakyRelu", domain=MICROSOFT)
def qlinear_leaky_relu(node: Node) -> Value:
    return _computed(node, lambda x: node.emit("leaky_relu", x, alpha=float(node.attr("alpha", 0.01))))


@onnx_operator("QLinearSoftmax", domain=MICROSOFT)
def qlinear_softmax(node: Node) -> Value:
    """As Softmax of the opset that the attribute gives: before 13 the dims from the axis on count as one."""
    plain = replace(node, op_type="Softmax", attributes={"axis": node.attr("axis", -1)})
    return _reused(plain, softmax if node.attr("opset") >= 13 else softmax_flattened)


@onnx_operator("QLinearAveragePool", domain=MICROSOFT)
def qlinear_average_pool(node: Node) -> Value:
    return _reused(node, average_pool, last=bool(node.attr("channels_last", 0)))


@onnx_operator("QLinearGlobalAveragePool", domain=MICROSOFT)
def qlinear_global_average_pool(node: Node) -> Value:
    plain = replace(node, op_type="GlobalAveragePool")
    return _reused(plain, global_pool, last=bool(node.attr("channels_last", 0)))


@onnx_operator("QLinearConv", domain=MICROSOFT)
def convolution(node: Node) -> Value:
    """ONNX's QLinearConv; with `channels_last` images are `[N, spatial..., C]`, weights as ever."""
    if not node.attr("channels_last", 0):
        return qlinear_conv(node)
    image = channels_first(node, node.input(0))
    return channels_last(node, qlinear_conv(node.with_inputs(image, *node.inputs[1:])))


@onnx_operator("NhwcMaxPool", domain=MICROSOFT)
def max_pool_channels_last(node: Node) -> Value:
    pooled = max_pool(node.with_inputs(channels_first(node, node.input(0))))[0]
    assert pooled is not None
    return channels_last(node, pooled)


@onnx_operator("QLinearReduceMean", domain=MICROSOFT)
def qlinear_reduce_mean(node: Node) -> Value:
    def mean(x: Value) -> Value:
        axes = node.attr("axes", ()) or range(x.rank)
        keepdims = bool(node.attr("keepdims", 1))
        return node.emit("reduce_mean", x, axes=node.axes(list(axes), x.rank), keepdims=keepdims)

    return _computed(node, mean)


@onnx_operator("QLinearConcat", domain=MICROSOFT)
def qlinear_concat(node: Node) -> Value:
    """Inputs: the result's scale and zero point, then tensor, scale, zero point of each part."""
    if len(node.inputs) < 5 or len(node.inputs) % 3 != 2:
        raise NodeFailure(f"{len(node.inputs)} inputs are no scale, zero point and triples")
    triples = [range(first, first + 3) for first in range(2, len(node.inputs), 3)]
    parts = [dequantised(node, *(node.input(i) for i in triple)) for triple in triples]
    whole = node.emit("concat", *parts, axis=node.axis(node.attr("axis"), parts[0].rank))
    return quantised(node, whole, node.input(0), node.input(1), node.input(1).number)


@onnx_operator("QLinearWhere", domain=MICROSOFT)
def qlinear_where(node: Node) -> Value:
    sides = [dequantised(node, *(node.input(i + k) for k in range(3))) for i in (1, 4)]
    chosen = node.emit("where", node.input(0), *sides)
    return quantised(node, chosen, node.input(7), node.input(8), node.input(1).number)


@onnx_operator("QuantizeLinear", domain=MICROSOFT)
def quantize(node: Node) -> Value:
    return quantize_linear(node)


@onnx_operator("DequantizeLinear", domain=MICROSOFT)
def dequantize(node: Node) -> Value:
    return dequantize_linear(node)
