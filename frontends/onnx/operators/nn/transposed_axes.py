"""The spatial axes of transposed convolutions, their phases, and the form in which they take least time.

Along an axis with stride s the transposed convolution puts `x[i] * w[t]` at `s i + t` (`t` counts dilated
elements). What lands at `s q + r` is the sum over a of `x[q - a] * w[s a + r]`: for each phase r a
convolution of stride 1 with every s-th element of the flipped filter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import groupby
from math import prod
from typing import Any

from mlc.dialects.graph.sizes import maximum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.sliding_windows import per_dim
from mlc.frontends.onnx.values import Dim, Value

# Times relative to a product of vectors, measured on AVX-512: of blocks of half a vector; per channel, of
# packing and padding an image; per product, of adding it to others, and moving it.
LANES = 16
HALF_VECTOR, COPIED, ADDED = 0.57, 1.34, 1.2
# Convolutions of this window take Winograd's algorithm and about half as long, if they have many channels.
WINOGRAD_TAPS, WINOGRAD_CHANNELS, WINOGRAD = 3, 32, 0.5


@dataclass(frozen=True)
class Phases:
    """`count` successive phases of one axis. The first has the `taps` elements `first`, `first + stride`, ...
    of the filter, the next one those after them; at position q they read x up to q + `lead`."""

    first: int
    count: int
    taps: int
    lead: int


@dataclass(frozen=True)
class SpatialAxis:
    """One spatial axis of a ConvTranspose.

    The kernel's `kernel` elements are `dilation` apart; `length` elements of the result are wanted, from
    `begin` on, counted from the first product of the first element. `is_apart`: other
    convolutions compute the phases with fewer elements of the filter.
    """

    size: Dim
    # `kernel` and `begin` are integers unless the filter is dynamic, which no phase is asked for.
    kernel: Any
    stride: int
    dilation: int
    begin: Any
    length: Dim
    is_apart: bool = False

    @property
    def is_static(self) -> bool:
        """Whether all but the lengths of x and of the result are static."""
        return all(isinstance(size, int) for size in (self.kernel, self.begin, self.positions - self.size))

    @property
    def taps(self) -> Any:
        """The most elements of x that add to one of the result."""
        spread = (self.kernel - 1) * self.dilation + 1
        return self.kernel if self.stride == 1 else -(-spread // self.stride)

    @property
    def tap_distance(self) -> int:
        """The distance of those elements in x: the convolution's dilation."""
        return self.dilation if self.stride == 1 else 1

    @property
    def is_uneven(self) -> bool:
        """Whether some phases have fewer elements of the filter than others, but at least one."""
        return self.dilation == 1 and self.kernel > self.stride and self.kernel % self.stride > 0

    @property
    def origin(self) -> Any:
        """The element of phase 0 at position 0, counted as `begin` is."""
        return self.begin if self.is_apart else self.begin // self.stride * self.stride

    @property
    def positions(self) -> Any:
        """The number of elements of each phase that are computed."""
        return (self.begin + self.length - self.origin - 1) // self.stride + 1

    @property
    def phases(self) -> list[Phases]:
        """The phases that one convolution computes, in order."""
        if not self.is_apart:
            return [Phases(0, self.stride, self.taps, self.begin // self.stride)]
        elements = range(self.origin, self.origin + self.stride)
        firsts = [(element % self.stride, element // self.stride) for element in elements]
        found = [Phases(first, 1, -((first - self.kernel) // self.stride), lead) for first, lead in firsts]
        return [
            replace(same[0], count=len(same))
            for _, group in groupby(found, lambda phases: (phases.taps, phases.lead))
            for same in [list(group)]
        ]

    def pads(self, phases: Phases) -> tuple[Any, Any]:
        """The padding of x; negative where its ends are not read."""
        return (phases.taps - 1) * self.tap_distance - phases.lead, self.positions + phases.lead - self.size


def axes_of(node: Node, x: Value, kernel: list[Dim]) -> list[SpatialAxis]:
    """Returns the spatial axes by the node's attributes. Raises NodeError for attributes that do not
    fit."""
    rank, sizes = len(kernel), x.shape[2:]
    strides, dilations = (per_dim(node, name, rank) for name in ("strides", "dilations"))
    extra = list(node.attr("output_padding", [0] * rank))
    pads = list(node.attr("pads", [0] * (2 * rank)))
    if len(extra) != rank or len(pads) != 2 * rank or min([*extra, *pads], default=0) < 0:
        raise NodeError(f"output_padding {extra} and pads {pads} must be {rank} and {2 * rank} integers")
    # Old models give all dims.
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
        found.append(SpatialAxis(size, width, stride, dilation, begin, length))
    return found


def _begin(total: Dim, mode: str) -> Dim:
    """Returns how many of the elements that are cut off are at the begin: the larger half, except for
    SAME_UPPER."""
    return total // 2 if mode == "SAME_UPPER" else total - total // 2


class Form(Enum):
    """The form of a transposed convolution: one convolution computes all phases; others compute those with
    fewer elements of the filter; or the products with all elements of the filter are added afterwards."""

    TOGETHER = auto()
    APART = auto()
    ADDED = auto()


def cheapest_form(channels: int, outputs: int, axes: list[SpatialAxis]) -> Form:
    """Returns the form that takes the least time per element of x, in products of vectors."""
    strides, taps = prod(axis.stride for axis in axes), prod(axis.taps for axis in axes)
    kernel = prod(axis.kernel for axis in axes)
    if strides == 1 or taps == 1 or any(axis.stride > 1 and axis.dilation > 1 for axis in axes):
        return Form.TOGETHER
    copies = COPIED * channels + outputs * strides
    together = channels * taps * _vectors(outputs * strides)
    if len(axes) == 2 and all(axis.taps == WINOGRAD_TAPS for axis in axes):
        together *= WINOGRAD if min(channels, outputs * strides) >= WINOGRAD_CHANNELS else 1
    times = {
        Form.TOGETHER: copies + together,
        Form.ADDED: outputs * kernel * (channels / LANES + ADDED),
    }
    if any(axis.is_uneven for axis in axes):
        times[Form.APART] = copies + channels * kernel * _vectors(outputs)
    return min(times, key=lambda form: times[form])


def _vectors(channels: int) -> float:
    """The vectors that hold the channels of a pixel, as a number of whole ones that take as long."""
    whole, rest = divmod(channels, LANES)
    return whole + (0 if rest == 0 else HALF_VECTOR if rest <= LANES // 2 else 1)
