"""CenterCropPad."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.dynamic_values import number_of, sliced, vector_of
from mlc.frontends.onnx.operators.tensor.padding import Part
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("CenterCropPad", since=18)
def center_crop_pad(node: Node) -> Value:
    """Dims that are larger than wanted lose elements at both ends, others get zeros; the odd one at the
    end."""
    x = node.input(0)
    axes = [node.axis(a, x.rank) for a in node.attr("axes", range(x.rank))]
    if all(isinstance(x.shape[axis], int) for axis in axes) and node.input(1).is_constant:
        return _known(node, x, axes, node.ints(1))
    lengths = node.read_dims(vector_of(node, node.input(1), len(axes)))
    zero, two = node.scalar(0, x), number_of(node, 2)
    for axis, length in zip(axes, lengths, strict=True):
        size = number_of(node, x.shape[axis])
        # Cut off towards 0, it is what is added in front, and what is taken there where it is negative.
        low = node.emit("div", node.emit("sub", number_of(node, length), size), two)
        x = Part(number_of(node, 0), size, low).padded(node, x, axis, length, "constant", zero)
    return x


def _known(node: Node, x: Value, axes: list[int], wanted: list[int]) -> Value:
    if len(wanted) != len(axes) or min(wanted, default=0) < 0:
        raise NodeError(f"shape {wanted} must be {len(axes)} lengths")
    sizes = node.static([x.shape[axis] for axis in axes], "a cropped or padded dim")
    kept, low, high = {}, [0] * x.rank, [0] * x.rank
    for axis, size, length in zip(axes, sizes, wanted, strict=True):
        if length < size:
            kept[axis] = ((size - length) // 2, length, 1)
        low[axis] = max(length - size, 0) // 2
        high[axis] = max(length - size, 0) - low[axis]
    x = sliced(node, x, kept)
    return node.emit("pad", x, low=low, high=high, mode="constant", value=0) if any(high) else x
