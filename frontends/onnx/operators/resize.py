"""Resize and Upsample: one axis after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from mlc.frontends.onnx import types
from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.creation import filled
from mlc.frontends.onnx.operators.interpolation import AxisResize, Method, taps
from mlc.frontends.onnx.operators.taps import taken, weighted_sum
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value
from onnx import TensorProto

_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}
# Sums of other types are computed in f32, those of integers in f64, which holds all of most types.
_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)
_POLICIES = {"stretch": None, "not_larger": min, "not_smaller": max}


@onnx_operator("Upsample", until=9)
@onnx_operator("Resize", since=10, until=10)
def resize_by_scales(node: Node) -> Value:
    """Scales are attributes up to opset 8, then an input; places are quotients by them."""
    x = node.input(0)
    if node.opset >= 9:
        scales = _numbers(node, 1)
    elif "scales" in node.attributes:
        scales = [float(s) for s in node.attr("scales")]
    else:
        scales = [1.0, 1.0, float(node.attr("height_scale")), float(node.attr("width_scale"))]
    method = Method(_mode(node), "asymmetric", "opset 10")
    return _resized(node, x, _by_scales(node, x, list(range(x.rank)), scales), method)


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
    )
    # An empty tensor stands for scales that are left out, up to opset 12.
    scales = node.optional(2)
    if scales is not None and scales.shape != (0,):
        resizes = _by_scales(node, x, axes, _numbers(node, 2))
    else:
        resizes = _by_sizes(node, x, axes, node.ints(3))
    if method.coordinates == "tf_crop_and_resize":
        resizes = _in_region(axes, resizes, _numbers(node, 1))
    return _resized(node, x, resizes, method)


def _mode(node: Node) -> str:
    mode = node.attr("mode", "nearest")
    if mode not in _MODES:
        raise NodeFailure(f"mode {mode!r} is none of {', '.join(_MODES)}")
    return _MODES[mode]


def _numbers(node: Node, index: int) -> list[float]:
    return [float(each) for each in node.elements(node.input(index)).reshape(-1)]


def _by_scales(node: Node, x: Value, axes: Sequence[int], scales: Sequence[float]) -> dict[int, AxisResize]:
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


def _by_sizes(node: Node, x: Value, axes: Sequence[int], sizes: Sequence[int]) -> dict[int, AxisResize]:
    if len(sizes) != len(axes) or min(sizes, default=0) < 0:
        raise NodeFailure(f"sizes {list(sizes)} must be {len(axes)} lengths")
    policy = node.attr("keep_aspect_ratio_policy", "stretch")
    if policy not in _POLICIES:
        raise NodeFailure(f"keep_aspect_ratio_policy {policy!r} is none of {', '.join(_POLICIES)}")
    choose, lengths = _POLICIES[policy], _lengths(node, x, axes)
    scales = [size / length for size, length in zip(sizes, lengths, strict=True)]
    places = zip(axes, lengths, sizes, scales, strict=True)
    if choose is None:
        return {axis: AxisResize(length, size, scale, size) for axis, length, size, scale in places}
    scale = choose(scales)
    return {
        axis: AxisResize(length, math.floor(scale * length + 0.5), scale, scale * length)
        for axis, length, _, _ in places
    }


def _in_region(
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


def _resized(node: Node, x: Value, resizes: dict[int, AxisResize], method: Method) -> Value:
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
        raise Unsupported(f"mode {mode} of {types.type_name(x.number)} elements is not supported")
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
    return node.emit("where", mask, node.scalar(node.attr("extrapolation_value", 0.0), result), result)


def _rounded(node: Node, result: Value, x: Value) -> Value:
    """In x's type; integers are rounded, those out of range become the nearest one."""
    if result.number == x.number or not np.issubdtype(x.dtype, np.integer):
        return node.cast(result, x.number)
    bounds = np.iinfo(x.dtype)
    result = node.emit("round", result)
    if bounds.bits <= 32:
        result = node.emit("clamp", result, min=float(bounds.min), max=float(bounds.max))
    return node.cast(result, x.number)
