"""Geometry that convolution and pooling share: kernel, strides, dilations, padding in all its spellings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.values import Value


@dataclass(frozen=True)
class Window:
    """One entry per spatial dim; `pads` holds all begins, then all ends."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[int]

    def attributes(self) -> dict[str, Any]:
        """As attributes of graph ops, without the kernel."""
        return {"strides": self.strides, "dilations": self.dilations, "pads": self.pads}


def kernel_of(node: Node, w: Value) -> list[int]:
    """The spatial dims of the weight w, with which `kernel_shape` must agree."""
    kernel = node.static(w.shape[2:], "the kernel's shape")
    if list(node.attr("kernel_shape", kernel)) != kernel:
        raise NodeFailure(
            f"kernel_shape {list(node.attr('kernel_shape'))} contradicts the weight's shape {list(w.shape)}"
        )
    return kernel


def window(node: Node, x: Value, kernel: list[int]) -> Window:
    """The window of a Conv or pooling node with `auto_pad` resolved."""
    rank = len(kernel)
    if x.rank != rank + 2:
        raise NodeFailure(f"the input has rank {x.rank}, but the kernel {kernel} needs rank {rank + 2}")
    strides = per_dim(node, "strides", rank)
    dilations = per_dim(node, "dilations", rank)
    return Window(kernel, strides, dilations, _pads(node, x, kernel, strides, dilations))


def per_dim(node: Node, name: str, rank: int) -> list[int]:
    values = list(node.attr(name, [1] * rank))
    if len(values) != rank or min(values, default=1) < 1:
        raise NodeFailure(f"{name} must be {rank} positive numbers, not {values}")
    return values


def _pads(node: Node, x: Value, kernel: list[int], strides: list[int], dilations: list[int]) -> list[int]:
    mode = node.attr("auto_pad", "NOTSET")
    if mode == "VALID":
        return [0] * (2 * len(kernel))
    if mode in ("NOTSET", ""):
        pads = list(node.attr("pads", [0] * (2 * len(kernel))))
        if len(pads) != 2 * len(kernel):
            raise NodeFailure(f"pads must be {2 * len(kernel)} numbers, not {pads}")
        return pads
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        raise NodeFailure(f"auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, not {mode!r}")
    sizes = node.static(x.shape[2:], f"auto_pad = {mode}")
    totals = [
        max((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    ]
    less, more = [t // 2 for t in totals], [t - t // 2 for t in totals]
    return less + more if mode == "SAME_UPPER" else more + less
