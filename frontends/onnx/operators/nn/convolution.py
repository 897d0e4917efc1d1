"""Conv, ConvInteger and CausalConvWithState; the bias becomes an `add`."""

from __future__ import annotations

from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, differ, floordiv
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes, take_range
from mlc.frontends.onnx.operators.common.expressions import (
    counting,
    filled_with,
    formula,
    pad_axis,
    read_along,
)
from mlc.frontends.onnx.operators.common.sliding_windows import kernel_of, window
from mlc.frontends.onnx.operators.math.contraction import subtract_zero_point
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


@onnx_operator("CausalConvWithState", since=27)
def causal_conv_with_state(node: Node) -> list[Value]:
    """Imports CausalConvWithState: a depthwise convolution over the elements up to each position.

    x `[batch, channels, length]`, w `[channels, 1, k]`, past state `[batch, channels, k - 1]`. Raises
    NodeError for other shapes.
    """
    x, w, past = node.input(0), node.input(1), node.optional(3)
    if x.rank != 3 or w.rank != 3 or differ(x.shape[1], w.shape[0]) or differ(w.shape[1], 1):
        raise NodeError(f"a weight {w.shape_text} does not fit an input of shape {x.shape_text}")
    carried = w.shape[2] - 1
    if past is None:
        result, state = _causal_convolution(node, x, w, carried), _last(node, x, carried)
    else:
        if past.rank != 3 or differ(past.shape[2], carried):
            raise NodeError(f"a past state {past.shape_text} does not fit a weight {w.shape_text}")
        whole = node.emit("concat", past, x, axis=2)
        result = _causal_convolution(node, whole, w, 0, x.shape[2])
        state = slice_axes(node, whole, {2: (x.shape[2], carried, 1)})
    return [_activate(node, add_bias(node, result)), state]


def _causal_convolution(node: Node, x: Value, w: Value, before: Dim, length: Dim | None = None) -> Value:
    """Returns `length` results (as many as x has elements by default), with `before` zeros before x."""
    channels, _, taps = w.shape
    length = x.shape[2] if length is None else length
    if length == 0:
        return filled_with(node, [*x.shape[:2], 0], 0, x.onnx_type)
    if isinstance(channels, int) and isinstance(taps, int):
        geometry = {"strides": [1], "dilations": [1], "pads": [before, 0]}
        result = node.emit("conv", x, w, **geometry, group=channels, layout="NCHW")
        return node.reshape(result, [*result.shape[:2], length])
    indices = counting(node, length).along(0, 2) + counting(node, taps)
    read = read_along(pad_axis(formula(node, x), 2, before, 0), 2, indices).value
    product = node.emit("matmul", read, node.reshape(w, [channels, taps, 1]))
    return node.reshape(product, product.shape[:3])


def _last(node: Node, x: Value, count: Dim) -> Value:
    """Returns the last `count` elements of x, after zeros where it has fewer."""
    length = x.shape[2]
    if isinstance(length, int) and isinstance(count, int) and length >= count:
        return slice_axes(node, x, {2: (length - count, count, 1)})
    if length == 0:
        return filled_with(node, [*x.shape[:2], count], 0, x.onnx_type)
    return pad_axis(formula(node, x), 2, count - length, 0).value


def _activate(node: Node, x: Value) -> Value:
    name = node.attr("activation", "none")
    if name == "none":
        return x
    if name not in ("silu", "swish"):
        raise NodeError(f"activation must be none, silu or swish, not {name!r}")
    return node.cast(node.emit("silu", node.cast(x, TensorProto.FLOAT)), x.onnx_type)


@onnx_operator("Conv")
def conv(node: Node) -> Value:
    """Imports Conv."""
    return add_bias(node, convolve(node, node.input(0), node.input(1)))


def add_bias(node: Node, result: Value) -> Value:
    """Adds input 2, if there is one, to a result `[batch, channels, ...]`. Raises NodeError unless it has one
    element per channel."""
    if node.optional(2) is None:
        return result
    bias = node.input_of_shape(2, result.shape[1:2])
    return node.emit("add", result, per_channel(node, bias, result.rank))


@onnx_operator("ConvInteger", since=10)
def conv_integer(node: Node) -> Value:
    """Imports ConvInteger."""
    # Subtracting the zero points first makes the padding's zeros right.
    x = subtract_zero_point(node, node.input(0), node.optional(2), 1)
    w = node.input(1)
    return convolve(node, x, subtract_zero_point(node, w, node.optional(3), -w.rank))


def convolve(node: Node, x: Value, w: Value) -> Value:
    """Returns the convolution that the node's attributes describe, without bias."""
    geometry = window(node, x, kernel_of(node, w))
    # Paddings of kernels of dynamic size are not part of the convolution op.
    x, geometry = geometry.inside(node, x, whole=any(isinstance(size, Size) for size in geometry.kernel))
    group = int(node.attr("group", 1))
    return in_groups(node, _with_channels(node, x, w, group), w, group, **geometry.attributes())


def _with_channels(node: Node, x: Value, w: Value, group: int) -> Value:
    """Returns x with the number of channels that the filters have, where its own is dynamic: layouts are
    chosen for known ones."""
    inputs = w.shape[1]
    if isinstance(x.shape[1], int) or isinstance(inputs, Size):
        return x
    return node.of_shape(x, [x.shape[0], inputs * group, *x.shape[2:]], "input 0")


def in_groups(node: Node, x: Value, w: Value, group: int, **attributes: list[int]) -> Value:
    """Returns the convolution; one for each group where the number of a group's channels is dynamic."""
    if group == 1 or all(isinstance(size, int) for size in w.shape[:2]):
        return node.emit("conv", x, w, **attributes, group=group, layout="NCHW")
    inputs, outputs = w.shape[1], floordiv(w.shape[0], group)
    parts = [
        (take_range(node, x, 1, inputs * index, inputs), take_range(node, w, 0, outputs * index, outputs))
        for index in range(group)
    ]
    return node.emit(
        "concat", *(node.emit("conv", *part, **attributes, group=1, layout="NCHW") for part in parts), axis=1
    )


def per_channel(node: Node, value: Value, rank: int) -> Value:
    """Reshapes a rank-1 value to `[C, 1, ..., 1]`, so that it broadcasts along axis 1 of a tensor of
    `rank`."""
    return node.reshape(value, [*value.shape, *[1] * (rank - 2)])
