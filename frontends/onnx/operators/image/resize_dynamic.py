"""Resize whose scales, sizes, regions or dims only running tells: places and weights are computed then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, floordiv
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import (
    Formula,
    Term,
    counting,
    dim,
    dims,
    read_along,
    vector,
)
from mlc.frontends.onnx.operators.image.resize_weights import (
    AxisResize,
    Method,
    coordinates,
    cubic_parts,
    nearest,
)
from mlc.frontends.onnx.values import Dim, Value

# Resized dims by axis: their new length as a dim, and what they are resized by.
Told = dict[int, tuple[Dim, AxisResize]]
# A known scale with at most this denominator gives lengths that are computed with whole numbers.
_DENOMINATOR = 1024


def told_by_scales(
    node: Node, x: Value, axes: Sequence[int], scales: Value, number: int, is_cropped: bool = False
) -> Told:
    """With scalars of the ONNX data type `number`."""
    factors = vector(node, scales, len(axes), TensorProto.FLOAT)
    # In f32, as ONNX's shape inference and ONNX Runtime multiply.
    targets = factors * dims(node, [x.shape[axis] for axis in axes]).cast(TensorProto.FLOAT)
    lengths = targets.apply("floor").cast(TensorProto.INT64).read()
    known = scales.known if scales.is_constant else None
    found: Told = {}
    for place, axis in enumerate(axes):
        factor = None if known is None else Fraction(float(known[place]))
        after = lengths[place]
        if factor is not None and factor.denominator <= _DENOMINATOR:
            after = floordiv(x.shape[axis] * factor.numerator, factor.denominator)
        if factor != 1 or is_cropped:
            scale, target = (each.element(place).cast(number) for each in (factors, targets))
            found[axis] = after, _axis(node, x.shape[axis], after, scale, target)
    return found


def told_by_sizes(
    node: Node, x: Value, axes: Sequence[int], sizes: Value, policy: str | None, number: int
) -> Told:
    """`policy`: "min" or "max", which of the scales is that of all axes; None: each has its own."""
    before = dims(node, [x.shape[axis] for axis in axes])
    wanted = vector(node, sizes, len(axes), TensorProto.INT64)
    scales = wanted.cast(TensorProto.DOUBLE) / before.cast(TensorProto.DOUBLE)
    targets = wanted.cast(TensorProto.DOUBLE)
    if policy is not None:
        scales = scales.reduced(policy, 0) + targets * 0
        targets = scales * before.cast(TensorProto.DOUBLE)
        wanted = (targets + 0.5).apply("floor").cast(TensorProto.INT64)
    found: Told = {}
    for place, (axis, after) in enumerate(zip(axes, wanted.read(), strict=True)):
        scale, target = (each.element(place).cast(number) for each in (scales, targets))
        found[axis] = after, _axis(node, x.shape[axis], after, scale, target)
    return found


def _axis(node: Node, before: Dim, after: Dim, scale: Formula, target: Formula) -> AxisResize:
    number = scale.value.number
    return AxisResize(dim(node, before, number), dim(node, after, number), scale, target)


def in_told_region(node: Node, axes: Sequence[int], told: Told, roi: Value, number: int) -> Told:
    """`roi` holds the starts of all axes, then their ends."""
    region = vector(node, roi, 2 * len(axes), number)
    places = {axis: index for index, axis in enumerate(axes)}
    return {
        axis: (
            after,
            replace(each, start=region.element(places[axis]), end=region.element(len(axes) + places[axis])),
        )
        for axis, (after, each) in told.items()
    }


def told_along(x: Formula, axis: int, after: Dim, resize: AxisResize, method: Method) -> Formula:
    """One axis of x, whose elements have the type of the sums, resized to `after` elements."""
    node = x.node
    at = coordinates(resize, method.coordinates, counting(node, after, resize.scale.value.number))
    if method.mode == "nearest":
        places = nearest(at, resize, method.nearest_mode).within(0, resize.before - 1)
        result = read_along(x, axis, places.cast(TensorProto.INT64))
    else:
        places, weights = _weighted(at, resize, method)
        read = read_along(x, axis, places.within(0, resize.before - 1).cast(TensorProto.INT64))
        factors = weights.cast(x.value.number).along(axis, read.value.rank)
        result = (read * factors).reduced("sum", axis + 1)
    if method.coordinates != "tf_crop_and_resize":
        return result
    outside = ((at < 0) | (at > resize.before - 1)).along(axis, result.value.rank)
    return outside.chosen(method.outside, result)


def _weighted(x: Formula, axis: AxisResize, method: Method) -> tuple[Formula, Formula]:
    """Places and weights, `[length, taps]`. Antialiasing stretches the filter where the axis shrinks, and so
    the number of taps."""
    support, node, number = (1 if method.mode == "linear" else 2), x.node, x.value.number
    length: Dim = x.value.shape[0]
    count: Dim = 2 * support
    first: Any = 1.0 - support
    stretch: Term = 1.0
    if method.antialias:
        stretch = axis.scale.min(1)
        first = (axis.scale.like(-support) / stretch).apply("floor") + 1
        [count] = (first * -2 + 2).cast(TensorProto.INT64).shaped([1]).read()
    offsets = counting(node, count, number) + first
    # The element to the left; for a place on an element, the one before that.
    base = x.apply("ceil") - 1
    places = base.shaped([length, 1]) + offsets
    weights = _kernel((offsets - (x - base).shaped([length, 1])) * stretch, method)
    if method.exclude_outside:
        weights = ((places < 0) | (places >= axis.before)).chosen(0, weights)
    total = weights.reduced("sum", 1, keepdims=True)
    return places, weights / total.equals(0).chosen(1, total)


def _kernel(t: Formula, method: Method) -> Formula:
    """The filter's value at a distance."""
    away = t.apply("abs")
    if method.mode == "linear":
        return (1 - away).within(0, 1)
    near, far = cubic_parts(away, method.cubic_coeff_a)
    return (away <= 1).chosen(near, (away < 2).chosen(far, far * 0))


def is_told(
    x: Value, axes: Sequence[int], values: Value, neutral: Sequence[Dim], region: Value | None = None
) -> bool:
    """Whether only running tells the scales or sizes `values`, the region or the dims of axes; those stay as
    they are whose value is `neutral`."""
    if any(each is not None and each.known is None and each.stored is None for each in (values, region)):
        return True
    elements = values.known if values.stored is None else values.stored()
    assert elements is not None
    changing = [
        (x.shape[axis], element)
        for axis, element, same in zip(axes, elements.reshape(-1), neutral, strict=False)
        if region is not None or element != same
    ]
    return any(isinstance(each, Size) for pair in changing for each in pair)
