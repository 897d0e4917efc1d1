"""MaxUnpool: elements put back where MaxPool found them."""

from __future__ import annotations

import math

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.creation import filled
from mlc.frontends.onnx.operators.windows import per_dim
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("MaxUnpool", since=9)
def max_unpool(node: Node) -> Value:
    """Indices count in the shape that kernel, strides and pads give; a larger output_shape has zeros behind
    it."""
    x, indices = node.input(0), node.input(1)
    kernel = list(node.attr("kernel_shape"))
    rank = len(kernel)
    strides, pads = per_dim(node, "strides", rank), list(node.attr("pads", [0] * (2 * rank)))
    batch, channels, *sizes = node.shape(x)
    if len(sizes) != rank or len(pads) != 2 * rank or indices.shape != x.shape:
        raise NodeFailure(f"kernel {kernel}, pads {pads} and indices do not fit the shape {list(x.shape)}")
    spatial = [
        (size - 1) * stride - pads[i] - pads[rank + i] + width
        for i, (size, stride, width) in enumerate(zip(sizes, strides, kernel, strict=True))
    ]
    shape = [batch, channels, *spatial]
    zeros = filled(node, [math.prod(shape)], x.dtype.type(0))
    count = math.prod(node.shape(x))
    flat = node.emit(
        "scatter_elements",
        zeros,
        node.reshape(indices, [count]),
        node.reshape(x, [count]),
        axis=0,
        reduction="none",
    )
    result = node.reshape(flat, shape)
    wanted = node.ints(2) if node.optional(2) is not None else shape
    if len(wanted) != len(shape) or any(w < s for w, s in zip(wanted, shape, strict=True)):
        raise NodeFailure(f"output_shape {wanted} is smaller than the unpooled {shape}")
    high = [w - s for w, s in zip(wanted, shape, strict=True)]
    return (
        node.emit("pad", result, low=[0] * len(shape), high=high, mode="constant", value=0.0)
        if any(high)
        else result
    )
