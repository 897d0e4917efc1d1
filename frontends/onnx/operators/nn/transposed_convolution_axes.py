"""The axes of a ConvTranspose, and the convolution that it is for sizes of which only running tells more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc.dialects.graph.sizes import floordiv, maximum
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.common.expressions import counting, dim, formula, read_along
from mlc.frontends.onnx.operators.common.sliding_windows import per_dim
from mlc.frontends.onnx.operators.nn.convolution import in_groups
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class Axis:
    """One spatial axis. `kernel` elements `dilation` apart reach into the result, of which `length` elements
    from `begin` on (counted from where the first element's first product lands) are wanted."""

    size: Dim
    kernel: Dim
    stride: int
    dilation: int
    begin: Dim
    length: Dim

    @property
    def is_told(self) -> bool:
        """Whether all but the lengths of x and of the result are numbers."""
        return all(isinstance(each, int) for each in (self.kernel, self.begin, *self.pads))

    @property
    def taps(self) -> Any:
        """Elements of x that add to one of the result, and so the convolution's kernel."""
        spread = (self.kernel - 1) * self.dilation + 1
        return self.kernel if self.stride == 1 else -(-spread // self.stride)

    @property
    def tap_distance(self) -> int:
        """Between those elements: what of the dilation is left in x."""
        return self.dilation if self.stride == 1 else 1

    @property
    def first(self) -> Any:
        """The first place q that is computed."""
        return self.begin // self.stride

    @property
    def places(self) -> Any:
        """How many q are computed."""
        return (self.begin + self.length - 1) // self.stride - self.first + 1

    @property
    def pads(self) -> tuple[Any, Any]:
        """Padding of x; negative where its ends are not read."""
        before = (self.taps - 1) * self.tap_distance - self.first
        return before, self.first + self.places - self.size


def axes_of(node: Node, x: Value, kernel: list[Dim]) -> list[Axis]:
    """The spatial axes by the node's attributes."""
    rank, sizes = len(kernel), x.shape[2:]
    strides, dilations = (per_dim(node, name, rank) for name in ("strides", "dilations"))
    extra = list(node.attr("output_padding", [0] * rank))
    pads = list(node.attr("pads", [0] * (2 * rank)))
    if len(extra) != rank or len(pads) != 2 * rank or min([*extra, *pads], default=0) < 0:
        raise NodeFailure(f"output_padding {extra} and pads {pads} must be {rank} and {2 * rank} numbers")
    # Old models name all dims.
    wanted = list(node.attr("output_shape", []))[-rank:]
    mode = node.attr("auto_pad", "NOTSET")
    found = []
    for i, (size, width, stride, dilation) in enumerate(zip(sizes, kernel, strides, dilations, strict=True)):
        whole = stride * (size - 1) + extra[i] + (width - 1) * dilation + 1
        if wanted or mode in ("SAME_UPPER", "SAME_LOWER"):
            length = wanted[i] if wanted else size * stride
            begin = _begin(maximum(whole - length, 0), mode)
        else:
            begin = 0 if mode == "VALID" else pads[i]
            length = whole - begin - (0 if mode == "VALID" else pads[rank + i])
        found.append(Axis(size, width, stride, dilation, begin, length))
    return found


def _begin(total: Dim, mode: str) -> Dim:
    """Of the elements that are cut off, those at the begin: the larger half, but for SAME_UPPER."""
    return total // 2 if mode == "SAME_UPPER" else total - total // 2


def between_zeros(node: Node, x: Value, w: Value, group: int, axes: list[Axis]) -> Value:
    """The result without bias of any sizes: a convolution, with the filter turned round, of x with zeros
    between its elements and around them."""
    spread = formula(node, x)
    for place, axis in enumerate(axes, 2):
        reach = (axis.kernel - 1) * axis.dilation
        at = counting(node, axis.length + reach) - dim(node, reach - axis.begin)
        inside = (at >= 0) & (at % axis.stride).equals(0) & (at < dim(node, axis.size * axis.stride))
        spread = read_along(spread, place, (at // axis.stride).within(0, dim(node, axis.size) - 1), inside)
    channels, outputs, *kernel = w.shape
    turned = formula(node, node.reshape(w, [group, floordiv(channels, group), outputs, *kernel]))
    for place, axis in enumerate(axes, 3):
        turned = read_along(turned, place, dim(node, axis.kernel) - 1 - counting(node, axis.kernel))
    order = [0, 2, 1, *range(3, 3 + len(axes))]
    moved = node.emit("transpose", turned.value, permutation=order)
    weight = node.reshape(moved, [group * outputs, floordiv(channels, group), *kernel])
    return in_groups(
        node,
        spread.value,
        weight,
        group,
        strides=[1] * len(axes),
        dilations=[axis.dilation for axis in axes],
        pads=[0] * (2 * len(axes)),
    )
