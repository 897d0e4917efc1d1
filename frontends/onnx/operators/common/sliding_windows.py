"""The window geometry that convolution and pooling share: kernel, strides, dilations, padding in all its
spellings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import Size, differ, maximum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.expressions import formula, pad_axis
from mlc.frontends.onnx.values import Dim, Value


@dataclass(frozen=True)
class WindowAttributes:
    """A window with one entry per spatial dim; `pads` holds all begins, then all ends.

    Entries of `kernel` and `pads` are dims, static or dynamic.
    """

    kernel: list[Any]
    strides: list[int]
    dilations: list[int]
    pads: list[Any]

    def attributes(self) -> dict[str, Any]:
        """Returns the attributes of graph ops, without the kernel; paddings must be static."""
        return {"strides": self.strides, "dilations": self.dilations, "pads": self.pads}

    def inside(
        self, node: Node, x: Value, fill: float = 0, whole: bool = False
    ) -> tuple[Value, WindowAttributes]:
        """Pads x with `fill` where paddings are dynamic (`whole`: everywhere); returns it and a window
        without these paddings."""
        rank, result = len(self.kernel), formula(node, x)
        pads = list(self.pads)
        for axis in range(rank):
            low, high = pads[axis], pads[rank + axis]
            if whole or isinstance(low, Size) or isinstance(high, Size):
                result = pad_axis(result, 2 + axis, low, high, fill)
                pads[axis] = pads[rank + axis] = 0
        return result.value, replace(self, pads=pads)

    @property
    def moves(self) -> bool:
        """Whether some paddings are dynamic."""
        return any(isinstance(pad, Size) for pad in self.pads)


def kernel_of(node: Node, w: Value) -> list[Dim]:
    """Returns the spatial dims of the weight w. Raises NodeError if `kernel_shape` contradicts them."""
    kernel = list(w.shape[2:])
    given = list(node.attr("kernel_shape", kernel))
    if len(given) != len(kernel) or any(differ(a, b) for a, b in zip(given, kernel, strict=True)):
        raise NodeError(f"kernel_shape {given} contradicts the weight's shape {w.shape_text}")
    return kernel


def window(node: Node, x: Value, kernel: Sequence[Dim]) -> WindowAttributes:
    """Returns the window of a Conv or pooling node with `auto_pad` resolved. Raises NodeError for wrong
    ranks."""
    rank = len(kernel)
    if x.rank != rank + 2:
        raise NodeError(f"the input has rank {x.rank}, but the kernel {kernel} needs rank {rank + 2}")
    strides = per_dim(node, "strides", rank)
    dilations = per_dim(node, "dilations", rank)
    return WindowAttributes(list(kernel), strides, dilations, _pads(node, x, kernel, strides, dilations))


def per_dim(node: Node, name: str, rank: int) -> list[int]:
    """Returns an attribute with one positive integer per spatial dim, 1 by default. Raises NodeError for
    others."""
    values = list(node.attr(name, [1] * rank))
    if len(values) != rank or min(values, default=1) < 1:
        raise NodeError(f"{name} must be {rank} positive integers, not {values}")
    return values


def _pads(node: Node, x: Value, kernel: Sequence[Dim], strides: list[int], dilations: list[int]) -> list[Dim]:
    mode = node.attr("auto_pad", "NOTSET")
    if mode == "VALID":
        return [0] * (2 * len(kernel))
    if mode in ("NOTSET", ""):
        pads: list[Dim] = list(node.attr("pads", [0] * (2 * len(kernel))))
        if len(pads) != 2 * len(kernel):
            raise NodeError(f"pads must be {2 * len(kernel)} integers, not {pads}")
        return pads
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        raise NodeError(f"auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, not {mode!r}")
    totals: list[Dim] = [
        maximum((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        for size, k, stride, dilation in zip(x.shape[2:], kernel, strides, dilations, strict=True)
    ]
    less, more = [t // 2 for t in totals], [t - t // 2 for t in totals]
    return less + more if mode == "SAME_UPPER" else more + less


def lowest(dtype: np.dtype) -> float:
    """Returns a lower bound of all elements of a type."""
    return float(np.iinfo(dtype).min) if dtype.kind in "iu" else -np.inf
