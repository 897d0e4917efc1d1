"""Resize and Upsample, which resize one axis after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import always_less
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError, check_shape
from mlc.frontends.onnx.operators.common.complex_parts import is_complex, parts
from mlc.frontends.onnx.operators.common.dynamic_values import full
from mlc.frontends.onnx.operators.common.expressions import formula
from mlc.frontends.onnx.operators.image.resize_dynamic import (
    DynamicResizes,
    crop_resizes,
    is_dynamic,
    resize_axis,
    resizes_by_scales,
    resizes_by_sizes,
)
from mlc.frontends.onnx.operators.image.resize_weights import AxisResize, Method, taps
from mlc.frontends.onnx.operators.image.taps import take, weighted_sum
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


def by_scales(node: Node, x: Value, axes: Sequence[int], scales: Sequence[float]) -> dict[int, AxisResize]:
    """Returns the resizes of axes by static scales. Raises NodeError unless there is a positive scale per
    axis."""
    if len(scales) != len(axes) or min(scales, default=1.0) <= 0:
        raise NodeError(f"scales {list(scales)} must be {len(axes)} positive values")
    # A dynamic dim keeps its extent.
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
        raise NodeError(f"an empty dim cannot be resized: the input has the shape {x.shape_text}")
    return lengths


def by_sizes(
    node: Node, x: Value, axes: Sequence[int], sizes: Sequence[Dim], policy: str | None
) -> dict[int, AxisResize]:
    """Returns the resizes of axes to static sizes; `policy` "min" or "max": all axes get the smallest or
    largest scale.

    Raises NodeError unless there is a size per axis.
    """
    if len(sizes) != len(axes) or any(always_less(size, 0) for size in sizes):
        raise NodeError(f"sizes {list(sizes)} must be {len(axes)} lengths")
    # A dynamic dim keeps its extent.
    known = [(axis, size) for axis, size in zip(axes, sizes, strict=True) if isinstance(size, int)]
    lengths = _lengths(node, x, [axis for axis, _ in known])
    scales = [size / length for (_, size), length in zip(known, lengths, strict=True)]
    triples = zip(known, lengths, scales, strict=True)
    if policy is None:
        return {axis: AxisResize(length, size, scale, size) for (axis, size), length, scale in triples}
    scale = {"min": min, "max": max}[policy](scales)
    return {
        axis: AxisResize(length, math.floor(scale * length + 0.5), scale, scale * length)
        for (axis, _), length, _ in triples
    }


def in_region(
    axes: Sequence[int], resizes: dict[int, AxisResize], region: Sequence[float]
) -> dict[int, AxisResize]:
    """Returns the resizes of a region, which holds the starts of all axes, then their ends. Raises
    NodeError."""
    if len(region) != 2 * len(axes):
        raise NodeError(f"roi must be two values for each of {len(axes)} axes, not {list(region)}")
    positions = {axis: index for index, axis in enumerate(axes)}
    return {
        axis: replace(resize, start=region[positions[axis]], end=region[len(axes) + positions[axis]])
        for axis, resize in resizes.items()
    }


_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}
# Types whose sums are computed in f32; those of integers are computed in f64, which represents most of them.
_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)
_POLICIES = {"stretch": None, "not_larger": "min", "not_smaller": "max"}


@onnx_operator("Upsample", until=9)
@onnx_operator("Resize", since=10, until=10)
def resize_by_scales(node: Node) -> Value:
    """Imports Upsample and Resize up to opset 10. Scales are attributes up to opset 8, then an input."""
    x = node.input(0)
    if node.opset >= 9:
        scales = node.input(1)
    elif "scales" in node.attributes:
        scales = node.constant(node.attr("scales"), np.float32)
    else:
        named = [1.0, 1.0, float(node.attr("height_scale")), float(node.attr("width_scale"))]
        scales = node.constant(named, np.float32)
    check_shape(scales, [x.rank], "scales")
    axes, method = list(range(x.rank)), Method(_mode(node), "asymmetric", "opset 10")
    if is_dynamic(x, axes, scales, [1] * x.rank):
        return _resize_dynamically(
            node, x, resizes_by_scales(node, x, axes, scales, _coordinate_type(method)), method
        )
    return _resize(node, x, by_scales(node, x, axes, _elements(node, scales)), method)


@onnx_operator("Resize", since=11)
def resize(node: Node) -> Value:
    """Imports Resize from opset 11 on. Raises NodeError for attributes and inputs that do not fit."""
    x = node.input(0)
    axes = node.axes(node.attr("axes", range(x.rank)), x.rank)
    method = Method(
        _mode(node),
        node.attr("coordinate_transformation_mode", "half_pixel"),
        node.attr("nearest_mode", "round_prefer_floor"),
        float(node.attr("cubic_coeff_a", -0.75)),
        bool(node.attr("antialias", 0)),
        bool(node.attr("exclude_outside", 0)),
        float(node.attr("extrapolation_value", 0.0)),
    )
    # Up to opset 12 an empty tensor means that scales are left out.
    scales, sizes = node.optional(2), node.optional(3)
    if scales is not None and (scales.shape == (0,) or (sizes is not None and not scales.is_static)):
        scales = None
    region = node.input(1) if method.coordinates == "tf_crop_and_resize" else None
    values = node.input(3) if scales is None else scales
    neutral = x.shape if scales is None and _policy(node) is None else [1 if scales else None] * x.rank
    if is_dynamic(x, axes, values, [neutral[axis] for axis in axes], region):
        return _resize_dynamically(node, x, _dynamic_resizes(node, x, axes, scales, method, region), method)
    if scales is not None:
        resizes = by_scales(node, x, axes, _elements(node, scales))
    else:
        resizes = by_sizes(node, x, axes, node.dims(3), _policy(node))
    if region is not None:
        resizes = in_region(axes, resizes, _elements(node, region))
    return _resize(node, x, resizes, method)


def _dynamic_resizes(
    node: Node, x: Value, axes: Sequence[int], scales: Value | None, method: Method, region: Value | None
) -> DynamicResizes:
    onnx_type = _coordinate_type(method)
    if scales is not None:
        resizes = resizes_by_scales(node, x, axes, scales, onnx_type, is_cropped=region is not None)
    else:
        resizes = resizes_by_sizes(node, x, axes, node.input(3), _policy(node), onnx_type)
    return resizes if region is None else crop_resizes(node, axes, resizes, region, onnx_type)


def _resize_dynamically(node: Node, x: Value, resizes: DynamicResizes, method: Method) -> Value:
    if is_complex(x) and method.mode != "nearest":
        return _of_parts(
            node, x, method, lambda part, method: _resize_dynamically(node, part, resizes, method)
        )
    onnx_type = x.onnx_type if method.mode == "nearest" else _computed_in(x, method.mode)
    result = formula(node, x, onnx_type)
    for axis in _order(resizes, {axis for axis in resizes if _shrinks(resizes[axis][1])}):
        after, resize = resizes[axis]
        result = resize_axis(result, axis, after, resize, method)
    return _round_to_type(node, result.value, x)


def _coordinate_type(method: Method) -> int:
    """Returns the type of coordinates: f32 for mode nearest, where rounding decides between two elements as
    in ONNX Runtime."""
    return int(TensorProto.FLOAT if method.mode == "nearest" else TensorProto.DOUBLE)


def _mode(node: Node) -> str:
    mode = node.attr("mode", "nearest")
    if mode not in _MODES:
        raise NodeError(f"mode {mode!r} is none of {', '.join(_MODES)}")
    return _MODES[mode]


def _elements(node: Node, values: Value) -> list[float]:
    return [float(element) for element in node.elements(values).reshape(-1)]


def _policy(node: Node) -> str | None:
    """Returns which of the scales all axes get: "min", "max", or None for each its scale. Raises
    NodeError."""
    policy = node.attr("keep_aspect_ratio_policy", "stretch")
    if policy not in _POLICIES:
        raise NodeError(f"keep_aspect_ratio_policy {policy!r} is none of {', '.join(_POLICIES)}")
    return _POLICIES[policy]


def _of_parts(node: Node, x: Value, method: Method, resized: Callable[[Value, Method], Value]) -> Value:
    """Resizes complex x by its parts. The value of elements outside the image is real."""
    real, imag = parts(node, x)
    return node.emit("complex", resized(real, method), resized(imag, replace(method, outside=0.0)))


def _resize(node: Node, x: Value, resizes: dict[int, AxisResize], method: Method) -> Value:
    if is_complex(x) and method.mode != "nearest":
        return _of_parts(node, x, method, lambda part, method: _resize(node, part, resizes, method))
    changed = {axis: resize for axis, resize in resizes.items() if resize.changes}
    if any(value.after == 0 for value in changed.values()):
        shape = [changed[axis].after if axis in changed else dim for axis, dim in enumerate(x.shape)]
        return full(node, node.static(shape, "the result's shape"), x.dtype.type(0))
    result = x if method.mode == "nearest" else node.cast(x, _computed_in(x, method.mode))
    for axis in _order(changed, [axis for axis, resize in changed.items() if resize.after <= resize.before]):
        result = _along_axis(node, result, axis, changed[axis], method)
    return _round_to_type(node, result, x)


def _computed_in(x: Value, mode: str) -> int:
    """Returns the type in which sums of x's elements are computed. Raises UnsupportedNodeError where there is
    none."""
    if x.onnx_type in _FLOATS:
        return TensorProto.FLOAT
    if x.onnx_type != TensorProto.DOUBLE and not np.issubdtype(x.dtype, np.integer):
        raise UnsupportedNodeError(
            f"mode {mode} of {element_types.type_name(x.onnx_type)} elements is not supported"
        )
    return TensorProto.DOUBLE


def _order(axes: Iterable[int], shrinking: Collection[int]) -> list[int]:
    """Returns the order of the axes: those that shrink first, then those that may grow from the innermost on.

    Elements of an inner axis are gathered one by one; the outer axis then copies whole rows.
    """
    return sorted(shrinking) + sorted(set(axes) - set(shrinking), reverse=True)


def _shrinks(resize: AxisResize) -> bool:
    """Whether the scale is known to be at most 1."""
    scale = resize.scale.value
    return bool(scale.is_constant and scale.known <= 1)


def _along_axis(node: Node, x: Value, axis: int, resize: AxisResize, method: Method) -> Value:
    node.reserve(resize.after, 4)
    found = taps(resize, method)
    if found.weights is None:
        result = take(node, x, axis, found.indices[:, 0])
    else:
        result = weighted_sum(node, x, axis, found.indices, found.weights)
    if not found.outside.any():
        return result
    mask = node.constant(found.outside.reshape(-1, *[1] * (x.rank - axis - 1)))
    return node.emit("where", mask, node.scalar(method.outside, result), result)


def _round_to_type(node: Node, result: Value, x: Value) -> Value:
    """Casts to x's type; values are rounded to integers, those out of range to the nearest bound."""
    if result.onnx_type == x.onnx_type or not np.issubdtype(x.dtype, np.integer):
        return node.cast(result, x.onnx_type)
    bounds = np.iinfo(x.dtype)
    result = node.emit("round", result)
    if bounds.bits <= 32:
        result = node.emit("clamp", result, min=float(bounds.min), max=float(bounds.max))
    return node.cast(result, x.onnx_type)
