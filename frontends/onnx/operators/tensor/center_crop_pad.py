"""CenterCropPad."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import i64_scalar, slice_axes, vector_of
from mlc.frontends.onnx.operators.tensor.padding import KeptRange
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("CenterCropPad", since=18)
def center_crop_pad(node: Node) -> Value:
    """Imports CenterCropPad: larger dims lose elements at both ends, smaller ones get zeros; the odd one at
    the end."""
    x = node.input(0)
    axes = node.axes(node.attr("axes", range(x.rank)), x.rank)
    if all(isinstance(x.shape[axis], int) for axis in axes) and node.input(1).is_constant:
        return _static_crop_pad(node, x, axes, node.ints(1))
    lengths = node.read_dims(vector_of(node, node.input(1), len(axes)))
    zero, two = node.scalar(0, x), i64_scalar(node, 2)
    for axis, length in zip(axes, lengths, strict=True):
        size = i64_scalar(node, x.shape[axis])
        # Truncated towards 0, it is the padding at the begin, or the cropping there where it is negative.
        low = node.emit("div", node.emit("sub", i64_scalar(node, length), size), two)
        x = KeptRange(i64_scalar(node, 0), size, low).pad(node, x, axis, length, "constant", zero)
    return x


def _static_crop_pad(node: Node, x: Value, axes: list[int], wanted: list[int]) -> Value:
    if len(wanted) != len(axes) or min(wanted, default=0) < 0:
        raise NodeError(f"shape {wanted} must be {len(axes)} lengths")
    sizes = node.static([x.shape[axis] for axis in axes], "a cropped or padded dim")
    kept, low, high = {}, [0] * x.rank, [0] * x.rank
    for axis, size, length in zip(axes, sizes, wanted, strict=True):
        if length < size:
            kept[axis] = ((size - length) // 2, length, 1)
        low[axis] = max(length - size, 0) // 2
        high[axis] = max(length - size, 0) - low[axis]
    x = slice_axes(node, x, kept)
    return node.emit("pad", x, low=low, high=high, mode="constant", value=0) if any(high) else x
