"""By what Resize resizes axes, where scales, sizes and the region are known when the model is compiled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mlc.dialects.graph.sizes import surely_less
from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.image.resize_weights import AxisResize
from mlc.frontends.onnx.values import Dim, Value


def by_scales(node: Node, x: Value, axes: Sequence[int], scales: Sequence[float]) -> dict[int, AxisResize]:
    if len(scales) != len(axes) or min(scales, default=1.0) <= 0:
        raise NodeFailure(f"scales {list(scales)} must be {len(axes)} positive numbers")
    # A dim that is not known stays as it is.
    known = [axis for axis, scale in zip(axes, scales, strict=True) if scale != 1 or _is_known(x, axis)]
    lengths = dict(zip(known, _lengths(node, x, known), strict=True))
    found = {}
    for axis, scale in zip(axes, scales, strict=True):
        if axis in lengths:
            # In f32, as ONNX's shape inference and ONNX Runtime multiply: 10 by 0.7 is 7.
            target = float(np.float32(scale) * np.float32(lengths[axis]))
            found[axis] = AxisResize(lengths[axis], math.floor(target), scale, target)
    return found


def _is_known(x: Value, axis: int) -> bool:
    return isinstance(x.shape[axis], int)


def _lengths(node: Node, x: Value, axes: Sequence[int]) -> list[int]:
    lengths = node.static([x.shape[axis] for axis in axes], "a resized dim")
    if 0 in lengths:
        raise NodeFailure(f"an empty dim cannot be resized: the input has the shape {list(x.shape)}")
    return lengths


def by_sizes(
    node: Node, x: Value, axes: Sequence[int], sizes: Sequence[Dim], policy: str | None
) -> dict[int, AxisResize]:
    if len(sizes) != len(axes) or any(surely_less(size, 0) for size in sizes):
        raise NodeFailure(f"sizes {list(sizes)} must be {len(axes)} lengths")
    # A dim that is not known stays as it is.
    known = [(axis, size) for axis, size in zip(axes, sizes, strict=True) if isinstance(size, int)]
    lengths = _lengths(node, x, [axis for axis, _ in known])
    scales = [size / length for (_, size), length in zip(known, lengths, strict=True)]
    places = zip(known, lengths, scales, strict=True)
    if policy is None:
        return {axis: AxisResize(length, size, scale, size) for (axis, size), length, scale in places}
    scale = {"min": min, "max": max}[policy](scales)
    return {
        axis: AxisResize(length, math.floor(scale * length + 0.5), scale, scale * length)
        for (axis, _), length, _ in places
    }


def in_region(
    axes: Sequence[int], resizes: dict[int, AxisResize], region: Sequence[float]
) -> dict[int, AxisResize]:
    """`region` holds the starts of all axes, then their ends."""
    if len(region) != 2 * len(axes):
        raise NodeFailure(f"roi must be two numbers for each of {len(axes)} axes, not {list(region)}")
    places = {axis: index for index, axis in enumerate(axes)}
    return {
        axis: replace(each, start=region[places[axis]], end=region[len(axes) + places[axis]])
        for axis, each in resizes.items()
    }
