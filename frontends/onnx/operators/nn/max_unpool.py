"""MaxUnpool: elements are put back at the indices that MaxPool returned."""

from __future__ import annotations

from mlc.dialects.graph.sizes import always_less, product
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.checked_data import expect_in_range
from mlc.frontends.onnx.operators.common.dynamic_values import vector_of
from mlc.frontends.onnx.operators.common.expressions import filled_with, formula, pad_axis
from mlc.frontends.onnx.operators.common.sliding_windows import per_dim
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("MaxUnpool", since=9)
def max_unpool(node: Node) -> Value:
    """Imports MaxUnpool.

    Indices count in the shape that kernel, strides and pads give; a larger output_shape is padded with zeros
    at the end. Raises NodeError for shapes that do not fit.
    """
    x, indices = node.input(0), node.input(1)
    kernel = list(node.attr("kernel_shape"))
    rank = len(kernel)
    strides, pads = per_dim(node, "strides", rank), list(node.attr("pads", [0] * (2 * rank)))
    batch, channels, *sizes = x.shape
    if len(sizes) != rank or len(pads) != 2 * rank or indices.rank != x.rank:
        raise NodeError(f"kernel {kernel}, pads {pads} and indices do not fit the shape {x.shape_text}")
    spatial = [
        (size - 1) * stride - pads[i] - pads[rank + i] + width
        for i, (size, stride, width) in enumerate(zip(sizes, strides, kernel, strict=True))
    ]
    shape = [batch, channels, *spatial]
    zeros = filled_with(node, [product(shape)], 0, x.onnx_type)
    flat_indices = node.reshape(indices, [product(x.shape)])
    expect_in_range(node, flat_indices, zeros.shape, negative=False)
    flat = node.emit(
        "scatter_elements",
        zeros,
        flat_indices,
        node.reshape(x, [product(x.shape)]),
        axis=0,
        reduction="none",
    )
    return _enlarge(node, node.reshape(flat, shape))


def _enlarge(node: Node, x: Value) -> Value:
    """Pads x with zeros at the ends up to output_shape. Raises NodeError where that is smaller."""
    if node.optional(2) is None:
        return x
    wanted = node.read_dims(vector_of(node, node.input(2), x.rank))
    if any(always_less(w, s) for w, s in zip(wanted, x.shape, strict=True)):
        raise NodeError(f"output_shape {wanted} is smaller than the unpooled {x.shape_text}")
    high = [w - s for w, s in zip(wanted, x.shape, strict=True)]
    if not all(isinstance(count, int) for count in high):
        result = formula(node, x)
        for axis, more in enumerate(high):
            result = pad_axis(result, axis, 0, more)
        return result.value
    attributes = {"low": [0] * x.rank, "high": high, "mode": "constant", "value": 0.0}
    return node.emit("pad", x, **attributes) if any(high) else x
