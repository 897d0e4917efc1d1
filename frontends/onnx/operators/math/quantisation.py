"""QuantizeLinear and DequantizeLinear."""

from __future__ import annotations

from onnx import TensorProto

from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


def _placement(node: Node, x: Value, scale: Value) -> dict[str, int]:
    """Returns the axis that a scale of rank 1 runs along, and the block size; neither matters to a scalar."""
    if not scale.rank:
        return {"axis": 0, "block_size": 0}
    return {"axis": node.axis(node.attr("axis", 1), x.rank), "block_size": node.attr("block_size", 0)}


def _parameters(node: Node, x: Value) -> list[Value]:
    """Returns scale and zero point. One-element vectors apply to the whole tensor, whatever the axis."""
    scale = node.input(1)
    return [
        _fit_parameter(node, x, scale, parameter)
        for parameter in (scale, node.optional(2))
        if parameter is not None
    ]


def _fit_parameter(node: Node, x: Value, scale: Value, value: Value) -> Value:
    if scale.rank == 0 or value.shape == (1,):
        return node.reshape(value, [])
    if value.rank != 1 or isinstance(value.shape[0], int):
        return value
    # It is dynamic whether it has one element.
    return node.expand(value, [x.shape[node.axis(node.attr("axis", 1), x.rank)]])


@onnx_operator("QuantizeLinear", since=10)
def quantize_linear(node: Node) -> Value:
    """Imports QuantizeLinear."""
    x = node.input(0)
    parameters = _parameters(node, x)
    declared = node.attr("output_dtype", 0) or TensorProto.UINT8
    onnx_type = parameters[1].onnx_type if len(parameters) > 1 else declared
    parameters[0] = node.cast(parameters[0], _precision(node, x, parameters[0]))
    result_type = node.type_of(x.shape, onnx_type)
    placement = _placement(node, x, parameters[0])
    return node.emit(
        "quantize_linear",
        x,
        *parameters,
        result_type=result_type,
        **placement,
        saturate=bool(node.attr("saturate", 1)),
    )


def _precision(node: Node, x: Value, scale: Value) -> int:
    """Returns the type of the division: the scale's, unless the node specifies another.

    Integers are divided in f64, which represents every i32; float8e8m0 holds powers of two only and cannot
    represent quotients.
    """
    asked = node.attr("precision", 0)
    if asked:
        return int(asked)
    if element_types.is_integer(x.onnx_type):
        return int(TensorProto.DOUBLE)
    return x.onnx_type if scale.onnx_type == TensorProto.FLOAT8E8M0 else scale.onnx_type


@onnx_operator("DequantizeLinear", since=10)
def dequantize_linear(node: Node) -> Value:
    """Imports DequantizeLinear."""
    x = node.input(0)
    scale, *zero_point = _parameters(node, x)
    onnx_type = node.attr("output_dtype", 0) or scale.onnx_type
    result_type = node.type_of(x.shape, onnx_type)
    if scale.onnx_type == TensorProto.FLOAT8E8M0:
        scale = node.cast(scale, TensorProto.FLOAT)
    placement = _placement(node, x, scale)
    return node.emit("dequantize_linear", x, scale, *zero_point, result_type=result_type, **placement)
