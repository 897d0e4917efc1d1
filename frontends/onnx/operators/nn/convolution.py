"""Convolutions; the bias becomes an `add`."""

from __future__ import annotations

from mlc.dialects.graph.sizes import Size, floordiv
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.dynamic_values import taken
from mlc.frontends.onnx.operators.common.sliding_windows import kernel_of, window
from mlc.frontends.onnx.operators.math.contraction import centred
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("Conv")
def conv(node: Node) -> Value:
    result = convolved(node, node.input(0), node.input(1))
    bias = node.optional(2)
    return result if bias is None else node.emit("add", result, per_channel(node, bias, result.rank))


@onnx_operator("ConvInteger", since=10)
def conv_integer(node: Node) -> Value:
    # Subtracting the zero points first makes the padding's zeros right.
    x = centred(node, node.input(0), node.optional(2), 1)
    w = node.input(1)
    return convolved(node, x, centred(node, w, node.optional(3), -w.rank))


def convolved(node: Node, x: Value, w: Value) -> Value:
    """The convolution that the node's attributes describe, without bias."""
    geometry = window(node, x, kernel_of(node, w))
    # Paddings of kernels of any size are no part of the convolution.
    x, geometry = geometry.inside(node, x, whole=any(isinstance(each, Size) for each in geometry.kernel))
    return in_groups(node, x, w, int(node.attr("group", 1)), **geometry.attributes())


def in_groups(node: Node, x: Value, w: Value, group: int, **attributes: list[int]) -> Value:
    """The convolution, where only running may tell how many channels a group has: then one for each group."""
    if group == 1 or all(isinstance(each, int) for each in w.shape[:2]):
        return node.emit("conv", x, w, **attributes, group=group, layout="NCHW")
    inputs, outputs = w.shape[1], floordiv(w.shape[0], group)
    parts = [
        (taken(node, x, 1, inputs * each, inputs), taken(node, w, 0, outputs * each, outputs))
        for each in range(group)
    ]
    return node.emit(
        "concat", *(node.emit("conv", *part, **attributes, group=1, layout="NCHW") for part in parts), axis=1
    )


def per_channel(node: Node, value: Value, rank: int) -> Value:
    """A rank-1 value as [C, 1, ..., 1], so that it broadcasts along axis 1 of a tensor of `rank`."""
    return node.reshape(value, [*value.shape, *[1] * (rank - 2)])
