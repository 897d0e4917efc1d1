"""Resize with dynamic scales, sizes, regions or dims: indices and weights are computed at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, floordiv
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import (
    Formula,
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

# Resized dims by axis: the new length as a dim, and the resize.
DynamicResizes = dict[int, tuple[Dim, AxisResize]]
# Lengths for a constant scale with at most this denominator are computed in integers.
_DENOMINATOR = 1024
# Elements on either side of a coordinate that a filter reads.
_SUPPORT = {"linear": 1, "cubic": 2}


def resizes_by_scales(
    node: Node, x: Value, axes: Sequence[int], scales: Value, onnx_type: int, is_cropped: bool = False
) -> DynamicResizes:
    """Returns the resizes of axes by dynamic scales, with scalars of the ONNX data type `onnx_type`."""
    factors = vector(node, scales, len(axes), TensorProto.FLOAT)
    # In f32, as ONNX's shape inference and ONNX Runtime multiply.
    targets = factors * dims(node, [x.shape[axis] for axis in axes]).cast(TensorProto.FLOAT)
    lengths = targets.apply("floor").cast(TensorProto.INT64).read()
    known = scales.known if scales.is_constant else None
    found: DynamicResizes = {}
    for position, axis in enumerate(axes):
        factor = None if known is None else Fraction(float(known[position]))
        after = lengths[position]
        if factor is not None and factor.denominator <= _DENOMINATOR:
            after = floordiv(x.shape[axis] * factor.numerator, factor.denominator)
        if factor != 1 or is_cropped:
            scale, target = (values.element(position).cast(onnx_type) for values in (factors, targets))
            found[axis] = after, _axis(node, x.shape[axis], after, scale, target)
    return found


def resizes_by_sizes(
    node: Node, x: Value, axes: Sequence[int], sizes: Value, policy: str | None, onnx_type: int
) -> DynamicResizes:
    """Returns the resizes of axes to dynamic sizes.

    `policy` "min" or "max": all axes get the smallest or largest scale; None: each has its scale.
    """
    before = dims(node, [x.shape[axis] for axis in axes])
    wanted = vector(node, sizes, len(axes), TensorProto.INT64)
    scales = wanted.cast(TensorProto.DOUBLE) / before.cast(TensorProto.DOUBLE)
    targets = wanted.cast(TensorProto.DOUBLE)
    if policy is not None:
        scales = scales.reduce(policy, 0) + targets * 0
        targets = scales * before.cast(TensorProto.DOUBLE)
        wanted = (targets + 0.5).apply("floor").cast(TensorProto.INT64)
    found: DynamicResizes = {}
    for position, (axis, after) in enumerate(zip(axes, wanted.read(), strict=True)):
        scale, target = (values.element(position).cast(onnx_type) for values in (scales, targets))
        found[axis] = after, _axis(node, x.shape[axis], after, scale, target)
    return found


def _axis(node: Node, before: Dim, after: Dim, scale: Formula, target: Formula) -> AxisResize:
    onnx_type = scale.value.onnx_type
    return AxisResize(dim(node, before, onnx_type), dim(node, after, onnx_type), scale, target)


def crop_resizes(
    node: Node, axes: Sequence[int], resizes: DynamicResizes, roi: Value, onnx_type: int
) -> DynamicResizes:
    """Returns the resizes of a region; `roi` holds the starts of all axes, then their ends."""
    region = vector(node, roi, 2 * len(axes), onnx_type)
    positions = {axis: index for index, axis in enumerate(axes)}
    return {
        axis: (
            after,
            replace(
                resize, start=region.element(positions[axis]), end=region.element(len(axes) + positions[axis])
            ),
        )
        for axis, (after, resize) in resizes.items()
    }


def resize_axis(x: Formula, axis: int, after: Dim, resize: AxisResize, method: Method) -> Formula:
    """Resizes one axis of x, whose elements have the type of the sums, to `after` elements."""
    node = x.node
    at = coordinates(resize, method.coordinates, counting(node, after, resize.scale.value.onnx_type))
    if method.mode == "nearest":
        indices = nearest(at, resize, method.nearest_mode).within(0, resize.before - 1)
        result = read_along(x, axis, indices.cast(TensorProto.INT64))
    elif method.antialias:
        indices, weights = _indices_and_weights(at, resize, method)
        read = read_along(x, axis, indices.within(0, resize.before - 1).cast(TensorProto.INT64))
        factors = weights.cast(x.value.onnx_type).along(axis, read.value.rank)
        result = (read * factors).reduce("sum", axis + 1)
    else:
        result = _weighted_sum(x, axis, at, resize, method)
    if method.coordinates != "tf_crop_and_resize":
        return result
    outside = ((at < 0) | (at > resize.before - 1)).along(axis, result.value.rank)
    return outside.select(method.outside, result)


def _weighted_sum(x: Formula, axis: int, at: Formula, resize: AxisResize, method: Method) -> Formula:
    """Returns the sums of the taps around the coordinates `at`, each of which reads x once: a kernel takes
    all of them together."""
    # The element to the left; for a coordinate on an element, the one before it.
    base = at.apply("ceil") - 1
    offsets = range(1 - _SUPPORT[method.mode], 1 + _SUPPORT[method.mode])
    indices = [base + offset for offset in offsets]
    weights = [_kernel(offset - (at - base), method) for offset in offsets]
    if method.exclude_outside:
        outside = [(index < 0) | (index >= resize.before) for index in indices]
        weights = [beyond.select(0, weight) for beyond, weight in zip(outside, weights, strict=True)]
        total = sum(weights[1:], weights[0])
        weights = [weight / total.equals(0).select(1, total) for weight in weights]
    taps = [
        read_along(x, axis, index.within(0, resize.before - 1).cast(TensorProto.INT64))
        * weight.cast(x.value.onnx_type).along(axis, x.value.rank)
        for index, weight in zip(indices, weights, strict=True)
    ]
    return sum(taps[1:], taps[0])


def _indices_and_weights(x: Formula, axis: AxisResize, method: Method) -> tuple[Formula, Formula]:
    """Returns indices and weights of antialiasing, `[length, taps]`: it stretches the filter where the axis
    shrinks, and so the number of taps."""
    node, onnx_type = x.node, x.value.onnx_type
    length: Dim = x.value.shape[0]
    stretch = axis.scale.min(1)
    first = (axis.scale.like(-_SUPPORT[method.mode]) / stretch).apply("floor") + 1
    [count] = (first * -2 + 2).cast(TensorProto.INT64).reshape([1]).read()
    offsets = counting(node, count, onnx_type) + first
    base = x.apply("ceil") - 1
    indices = base.reshape([length, 1]) + offsets
    weights = _kernel((offsets - (x - base).reshape([length, 1])) * stretch, method)
    if method.exclude_outside:
        weights = ((indices < 0) | (indices >= axis.before)).select(0, weights)
    total = weights.reduce("sum", 1, keepdims=True)
    return indices, weights / total.equals(0).select(1, total)


def _kernel(t: Formula, method: Method) -> Formula:
    """Returns the filter's value at a distance."""
    away = t.apply("abs")
    if method.mode == "linear":
        return (1 - away).within(0, 1)
    near, far = cubic_parts(away, method.cubic_coeff_a)
    return (away <= 1).select(near, (away < 2).select(far, far * 0))


def is_dynamic(
    x: Value, axes: Sequence[int], values: Value, neutral: Sequence[Dim], region: Value | None = None
) -> bool:
    """Whether the scales or sizes `values`, the region or the dims of axes are dynamic; axes whose value is
    `neutral` do not change."""
    if any(value is not None and value.known is None and value.stored is None for value in (values, region)):
        return True
    elements = values.known if values.stored is None else values.stored()
    assert elements is not None
    changing = [
        (x.shape[axis], element)
        for axis, element, same in zip(axes, elements.reshape(-1), neutral, strict=False)
        if region is not None or element != same
    ]
    return any(isinstance(size, Size) for pair in changing for size in pair)
