"""QuantizeLinear and DequantizeLinear."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def _placement(node: Node, x: Value, scale: Value) -> dict[str, int]:
    """The axis that a scale of rank 1 counts along, and the block size."""
    axis = node.axis(node.attr("axis", 1), x.rank) if scale.rank else 0
    return {"axis": axis, "block_size": node.attr("block_size", 0)}


def _parameters(node: Node, x: Value) -> list[Value]:
    """Scale and zero point. One-element vectors mean the whole tensor, whatever the axis."""
    scale = node.input(1)
    return [_fitted(node, x, scale, each) for each in (scale, node.optional(2)) if each is not None]


def _fitted(node: Node, x: Value, scale: Value, value: Value) -> Value:
    if scale.rank == 0 or (value.shape == (1,) and x.shape[:1] != (1,)):
        return node.reshape(value, [])
    if value.rank != 1 or isinstance(value.shape[0], int):
        return value
    # Whether it has one element only running tells.
    return node.expand(value, [x.shape[node.axis(node.attr("axis", 1), x.rank)]])


@onnx_operator("QuantizeLinear", since=10)
def quantize_linear(node: Node) -> Value:
    x = node.input(0)
    parameters = _parameters(node, x)
    declared = node.attr("output_dtype", 0) or TensorProto.UINT8
    number = parameters[1].number if len(parameters) > 1 else declared
    parameters[0] = node.cast(parameters[0], _precision(node, x, parameters[0]))
    kind = node.type_of(x.shape, number)
    placement = _placement(node, x, parameters[0])
    return node.emit(
        "quantize_linear",
        x,
        *parameters,
        result_type=kind,
        **placement,
        saturate=bool(node.attr("saturate", 1)),
    )


def _precision(node: Node, x: Value, scale: Value) -> int:
    """The type in which is divided: the scale's, unless the node says another. f64 holds every i32; powers
    of two (float8e8m0) are no type to divide in."""
    asked = node.attr("precision", 0)
    if asked:
        return int(asked)
    if element_types.is_integer(x.number):
        return int(TensorProto.DOUBLE)
    return x.number if scale.number == TensorProto.FLOAT8E8M0 else scale.number


@onnx_operator("DequantizeLinear", since=10)
def dequantize_linear(node: Node) -> Value:
    x = node.input(0)
    scale, *zero_point = _parameters(node, x)
    number = node.attr("output_dtype", 0) or scale.number
    kind = node.type_of(x.shape, number)
    if scale.number == TensorProto.FLOAT8E8M0:
        scale = node.cast(scale, TensorProto.FLOAT)
    placement = _placement(node, x, scale)
    return node.emit("dequantize_linear", x, scale, *zero_point, result_type=kind, **placement)
