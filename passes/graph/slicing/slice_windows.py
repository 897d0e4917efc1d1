"""How convolutions and pools compute a part of their result: which channels and places they read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.simplify.slice_rules import Part
from mlc.passes.graph.windows.materialize_padding import Window, windows

WHOLE = Part(0, -1, 1)


@dataclass(frozen=True)
class Channels:
    """Input channels and filters for a part of a convolution's output channels, and how many groups are
    left."""

    inputs: Part
    filters: Part
    groups: int


def channels_for(op: ir.Operation, taken: Part) -> Channels | None:
    """What a convolution needs for a part of its output channels; None where it tears a group apart."""
    groups, filters = graph.attribute(op, "group"), graph.shape_of(op.operands[1])
    if taken == WHOLE:
        return Channels(WHOLE, WHOLE, groups)
    if groups == 1:
        return Channels(WHOLE, taken, 1)
    outputs, inputs = filters[0], filters[1]
    if None in (outputs, inputs) or taken.step != 1:
        return None
    size = outputs // groups
    if taken.start % size or taken.size % size or not taken.size:
        return None
    first, count = taken.start // size, taken.size // size
    return Channels(Part(first * inputs, count * inputs, 1), taken, count)


@dataclass(frozen=True)
class Reach:
    """What a part of a result's spatial dim reads: a part of the input's, padded, at a stride."""

    inputs: Part
    begin: int
    end: int
    stride: int


def _reach(window: Window, taken: Part) -> Reach | None:
    """What windows at some places read; None where that depends on an unknown dim, or is padding alone."""
    if taken == WHOLE:
        return Reach(WHOLE, window.begin, window.end, window.stride)
    if window.size is None or taken.step < 1 or taken.size < 1 or taken.start < 0 or window.ceil_mode:
        return None
    # One place needs no stride.
    stride = window.stride * taken.step if taken.size > 1 else window.stride
    first = taken.start * window.stride - window.begin
    end = first + (taken.size - 1) * stride + window.extent
    low, high = max(0, first), min(window.size, end)
    return Reach(Part(low, high - low, 1), low - first, end - high, stride) if low < high else None


def reaches_for(op: ir.Operation, taken: list[Part]) -> list[Reach] | None:
    """What a convolution or pool reads for parts of its spatial dims."""
    dims = windows(op)
    found = [] if dims is None else [_reach(*pair) for pair in zip(dims, taken, strict=True)]
    reaches = [each for each in found if each is not None]
    return reaches if len(reaches) == len(taken) else None


def attributes_for(reaches: list[Reach]) -> dict[str, Any]:
    """The `pads` and `strides` of an op that reads so."""
    pads = [*(each.begin for each in reaches), *(each.end for each in reaches)]
    return {"pads": pads, "strides": [each.stride for each in reaches]}
