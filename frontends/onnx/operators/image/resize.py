"""Resize and Upsample: one axis after the other.

By what Resize resizes axes, where scales, sizes and the region are known when the model is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import surely_less
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.complex_parts import is_complex, parts
from mlc.frontends.onnx.operators.common.dynamic_values import filled
from mlc.frontends.onnx.operators.common.expressions import formula
from mlc.frontends.onnx.operators.image.resize_dynamic import (
    Told,
    in_told_region,
    is_told,
    told_along,
    told_by_scales,
    told_by_sizes,
)
from mlc.frontends.onnx.operators.image.resize_weights import AxisResize, Method, taps
from mlc.frontends.onnx.operators.image.taps import taken, weighted_sum
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


def by_scales(node: Node, x: Value, axes: Sequence[int], scales: Sequence[float]) -> dict[int, AxisResize]:
    if len(scales) != len(axes) or min(scales, default=1.0) <= 0:
        raise NodeError(f"scales {list(scales)} must be {len(axes)} positive numbers")
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
        raise NodeError(f"an empty dim cannot be resized: the input has the shape {list(x.shape)}")
    return lengths


def by_sizes(
    node: Node, x: Value, axes: Sequence[int], sizes: Sequence[Dim], policy: str | None
) -> dict[int, AxisResize]:
    if len(sizes) != len(axes) or any(surely_less(size, 0) for size in sizes):
        raise NodeError(f"sizes {list(sizes)} must be {len(axes)} lengths")
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
        raise NodeError(f"roi must be two numbers for each of {len(axes)} axes, not {list(region)}")
    places = {axis: index for index, axis in enumerate(axes)}
    return {
        axis: replace(each, start=region[places[axis]], end=region[len(axes) + places[axis]])
        for axis, each in resizes.items()
    }


_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}
# Sums of other types are computed in f32, those of integers in f64, which holds all of most types.
_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)
_POLICIES = {"stretch": None, "not_larger": "min", "not_smaller": "max"}


@onnx_operator("Upsample", until=9)
@onnx_operator("Resize", since=10, until=10)
def resize_by_scales(node: Node) -> Value:
    """Scales are attributes up to opset 8, then an input; places are quotients by them."""
    x = node.input(0)
    if node.opset >= 9:
        scales = node.input(1)
    elif "scales" in node.attributes:
        scales = node.constant(node.attr("scales"), np.float32)
    else:
        named = [1.0, 1.0, float(node.attr("height_scale")), float(node.attr("width_scale"))]
        scales = node.constant(named, np.float32)
    axes, method = list(range(x.rank)), Method(_mode(node), "asymmetric", "opset 10")
    if is_told(x, axes, scales, [1] * x.rank):
        return _resized_as_told(node, x, told_by_scales(node, x, axes, scales, _places(method)), method)
    return _resized(node, x, by_scales(node, x, axes, _numbers(node, scales)), method)


@onnx_operator("Resize", since=11)
def resize(node: Node) -> Value:
    x = node.input(0)
    axes = [node.axis(a, x.rank) for a in node.attr("axes", range(x.rank))]
    method = Method(
        _mode(node),
        node.attr("coordinate_transformation_mode", "half_pixel"),
        node.attr("nearest_mode", "round_prefer_floor"),
        float(node.attr("cubic_coeff_a", -0.75)),
        bool(node.attr("antialias", 0)),
        bool(node.attr("exclude_outside", 0)),
        float(node.attr("extrapolation_value", 0.0)),
    )
    # An empty tensor stands for scales that are left out, up to opset 12.
    scales, sizes = node.optional(2), node.optional(3)
    if scales is not None and (scales.shape == (0,) or (sizes is not None and not scales.is_static)):
        scales = None
    region = node.input(1) if method.coordinates == "tf_crop_and_resize" else None
    values = node.input(3) if scales is None else scales
    neutral = x.shape if scales is None and _policy(node) is None else [1 if scales else None] * x.rank
    if is_told(x, axes, values, [neutral[axis] for axis in axes], region):
        return _resized_as_told(node, x, _told(node, x, axes, scales, method, region), method)
    if scales is not None:
        resizes = by_scales(node, x, axes, _numbers(node, scales))
    else:
        resizes = by_sizes(node, x, axes, node.dims(3), _policy(node))
    if region is not None:
        resizes = in_region(axes, resizes, _numbers(node, region))
    return _resized(node, x, resizes, method)


def _told(
    node: Node, x: Value, axes: Sequence[int], scales: Value | None, method: Method, region: Value | None
) -> Told:
    number = _places(method)
    if scales is not None:
        told = told_by_scales(node, x, axes, scales, number, is_cropped=region is not None)
    else:
        told = told_by_sizes(node, x, axes, node.input(3), _policy(node), number)
    return told if region is None else in_told_region(node, axes, told, region, number)


def _resized_as_told(node: Node, x: Value, told: Told, method: Method) -> Value:
    if is_complex(x) and method.mode != "nearest":
        return _of_parts(node, x, method, lambda part, method: _resized_as_told(node, part, told, method))
    number = x.number if method.mode == "nearest" else _computed_in(x, method.mode)
    result = formula(node, x, number)
    for axis, (after, each) in told.items():
        result = told_along(result, axis, after, each, method)
    return _rounded(node, result.value, x)


def _places(method: Method) -> int:
    """The type of places along an axis: where one decides between two elements f32, as in ONNX Runtime."""
    return int(TensorProto.FLOAT if method.mode == "nearest" else TensorProto.DOUBLE)


def _mode(node: Node) -> str:
    mode = node.attr("mode", "nearest")
    if mode not in _MODES:
        raise NodeError(f"mode {mode!r} is none of {', '.join(_MODES)}")
    return _MODES[mode]


def _numbers(node: Node, values: Value) -> list[float]:
    return [float(each) for each in node.elements(values).reshape(-1)]


def _policy(node: Node) -> str | None:
    """Which of the scales is that of all axes."""
    policy = node.attr("keep_aspect_ratio_policy", "stretch")
    if policy not in _POLICIES:
        raise NodeError(f"keep_aspect_ratio_policy {policy!r} is none of {', '.join(_POLICIES)}")
    return _POLICIES[policy]


def _of_parts(node: Node, x: Value, method: Method, resized: Callable[[Value, Method], Value]) -> Value:
    """Complex x resized by its parts. What stands for places outside is a real number."""
    real, imag = parts(node, x)
    return node.emit("complex", resized(real, method), resized(imag, replace(method, outside=0.0)))


def _resized(node: Node, x: Value, resizes: dict[int, AxisResize], method: Method) -> Value:
    if is_complex(x) and method.mode != "nearest":
        return _of_parts(node, x, method, lambda part, method: _resized(node, part, resizes, method))
    changed = {axis: each for axis, each in resizes.items() if each.changes}
    if any(each.after == 0 for each in changed.values()):
        shape = [changed[axis].after if axis in changed else dim for axis, dim in enumerate(x.shape)]
        return filled(node, node.static(shape, "the result's shape"), x.dtype.type(0))
    result = x if method.mode == "nearest" else node.cast(x, _computed_in(x, method.mode))
    for axis in _order(changed):
        result = _along_axis(node, result, axis, changed[axis], method)
    return _rounded(node, result, x)


def _computed_in(x: Value, mode: str) -> int:
    """The type in which sums of x's elements are computed."""
    if x.number in _FLOATS:
        return TensorProto.FLOAT
    if x.number != TensorProto.DOUBLE and not np.issubdtype(x.dtype, np.integer):
        raise UnsupportedNodeError(
            f"mode {mode} of {element_types.type_name(x.number)} elements is not supported"
        )
    return TensorProto.DOUBLE


def _order(resizes: dict[int, AxisResize]) -> list[int]:
    """First what makes the tensor smaller; where axes grow, the inner one first, whose elements have to be
    looked up one by one: the outer one then copies its rows."""
    shrinking = [axis for axis in sorted(resizes) if resizes[axis].after <= resizes[axis].before]
    return shrinking + [axis for axis in sorted(resizes, reverse=True) if axis not in shrinking]


def _along_axis(node: Node, x: Value, axis: int, resize: AxisResize, method: Method) -> Value:
    found = taps(resize, method)
    if found.weights is None:
        result = taken(node, x, axis, found.indices[:, 0])
    else:
        result = weighted_sum(node, x, axis, found.indices, found.weights)
    if not found.outside.any():
        return result
    mask = node.constant(found.outside.reshape(-1, *[1] * (x.rank - axis - 1)))
    return node.emit("where", mask, node.scalar(method.outside, result), result)


def _rounded(node: Node, result: Value, x: Value) -> Value:
    """In x's type; integers are rounded, those out of range become the nearest one."""
    if result.number == x.number or not np.issubdtype(x.dtype, np.integer):
        return node.cast(result, x.number)
    bounds = np.iinfo(x.dtype)
    result = node.emit("round", result)
    if bounds.bits <= 32:
        result = node.emit("clamp", result, min=float(bounds.min), max=float(bounds.max))
    return node.cast(result, x.number)
