"""Coordinates in an image that are computed at run time.

The elements that a sample interpolates, their weights, and the treatment of coordinates outside the image.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product as combinations
from typing import Any

from mlc.dialects.graph.sizes import product
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.expressions import Formula, Term, dim, formula
from mlc.frontends.onnx.values import Dim, Value

# The coefficient of cubic interpolation that GridSample fixes.
CUBIC = -0.75


@dataclass(frozen=True)
class Tap:
    """One element along an axis: its index, an integral float, and its weight (None: 1)."""

    index: Value
    weight: Value | None


@dataclass(frozen=True)
class Sampling:
    """The attributes of sampling: `mode` nearest, linear or cubic; `padding` zeros, border or reflection.

    With `align_corners` the corners are the centres of the outermost elements, otherwise their outer edges.
    """

    mode: str
    padding: str
    align_corners: bool = True


def arithmetic(node: Node, op: str, x: Value, *constants: Term) -> Value:
    """Applies the elementwise op to x and constants of its type."""
    return node.emit(op, x, *(scalar(node, constant, x) for constant in constants))


def scalar(node: Node, constant: Term, like: Value) -> Value:
    """Returns the constant in `like`'s type, or the value that the model computes."""
    return constant.value if isinstance(constant, Formula) else node.scalar(constant, like)


def dim_like(node: Node, extent: Dim, like: Value) -> Any:
    """Returns a dim to compute with: an integer, or a scalar of `like`'s type that the model computes."""
    return extent if isinstance(extent, int) else dim(node, extent, like.onnx_type)


def clamp(node: Node, at: Value, last: Term) -> Value:
    """Returns `at` clamped to [0, last]."""
    if isinstance(last, Formula):
        return formula(node, at).within(0, last).value
    return node.emit("clamp", at, min=0.0, max=float(last))


def axis_taps(node: Node, at: Value, extent: Dim, sampling: Sampling) -> list[Tap]:
    """Returns the elements to read along an axis of `extent` elements at the coordinates `at` (floats, in
    elements)."""
    if sampling.mode == "nearest":
        return [Tap(_inside(node, node.emit("round", at), extent, sampling), None)]
    if sampling.mode == "linear":
        at = _inside(node, at, extent, sampling)
    # Otherwise only the elements move inside, as in PyTorch and ONNX Runtime: a coordinate beyond the border
    # overshoots it. onnx's evaluator moves the coordinate too.
    left = node.emit("floor", at)
    right = node.emit("sub", at, left)
    weights = _WEIGHTS[sampling.mode](node, right)
    first = 1 - len(weights) // 2
    indices = [
        arithmetic(node, "add", left, first + tap) if first + tap else left for tap in range(len(weights))
    ]
    return [
        Tap(_inside(node, index, extent, sampling), weight)
        for index, weight in zip(indices, weights, strict=True)
    ]


def _inside(node: Node, at: Value, extent: Dim, sampling: Sampling) -> Value:
    """Moves coordinates outside the image inside according to the padding; with zeros they stay."""
    if sampling.padding == "zeros":
        return at
    size = dim_like(node, extent, at)
    low, high = (0.0, size - 1.0) if sampling.align_corners else (-0.5, size - 0.5)
    if sampling.padding == "reflection" and isinstance(size, Formula):
        # One element reflects itself.
        length = (high - low).max(1)
        moved = formula(node, _reflect(node, at, low, length)).within(low, high).value
    elif sampling.padding == "reflection" and high > low:
        moved = _reflect(node, at, low, high - low)
    else:
        return clamp(node, at, size - 1.0)
    outside = node.emit("or", arithmetic(node, "less", at, low), arithmetic(node, "greater", at, high))
    return node.emit("where", outside, moved, at)


def _reflect(node: Node, at: Value, low: float, length: Any) -> Value:
    """Reflects coordinates at the borders: a triangle wave."""
    along = node.emit("abs", arithmetic(node, "sub", at, low))
    along = node.emit("mod", along, scalar(node, 2 * length, along), fmod=True)
    # In the second half of a period the wave falls.
    back = node.emit("sub", scalar(node, 2 * length, along), along)
    return arithmetic(node, "add", node.emit("min", along, back), low)


def _linear_weights(node: Node, right: Value) -> list[Value]:
    return [node.emit("sub", node.scalar(1, right), right), right]


def _cubic_weights(node: Node, right: Value) -> list[Value]:
    """Returns Keys' filter at the distances of two elements on each side."""
    left = node.emit("sub", node.scalar(1, right), right)
    outer = [_far_weight(node, arithmetic(node, "add", distance, 1)) for distance in (right, left)]
    inner = [_near_weight(node, distance) for distance in (right, left)]
    return [outer[0], *inner, outer[1]]


def _far_weight(node: Node, t: Value) -> Value:
    """Returns `((a t - 5 a) t + 8 a) t - 4 a`."""
    return _polynomial(node, t, [CUBIC, -5 * CUBIC, 8 * CUBIC, -4 * CUBIC])


def _near_weight(node: Node, t: Value) -> Value:
    """Returns `((a + 2) t - (a + 3)) t t + 1`."""
    return _polynomial(node, t, [CUBIC + 2, -(CUBIC + 3), 0, 1])


def _polynomial(node: Node, t: Value, coefficients: list[float]) -> Value:
    """Evaluates a polynomial by Horner's rule, the highest power first."""
    result = arithmetic(node, "mul", t, coefficients[0])
    for coefficient in coefficients[1:-1]:
        result = arithmetic(node, "add", result, coefficient) if coefficient else result
        result = node.emit("mul", result, t)
    return arithmetic(node, "add", result, coefficients[-1])


_WEIGHTS: dict[str, Callable[[Node, Value], list[Value]]] = {
    "linear": _linear_weights,
    "cubic": _cubic_weights,
}


@dataclass(frozen=True)
class Point:
    """One element of an image: its row-major index (the image's size where it is outside) and its weight
    (None: 1)."""

    index: Value
    weight: Value | None


def points(
    node: Node, taps: list[list[Tap]], extents: list[Dim], onnx_type: int, outside: bool
) -> list[Point]:
    """Returns all combinations of the taps of the axes, which broadcast.

    `onnx_type` is the type of the indices; `outside`: whether coordinates may be outside the image.
    """
    return [
        _point(node, list(combination), extents, onnx_type, outside) for combination in combinations(*taps)
    ]


def _point(node: Node, taps: list[Tap], extents: list[Dim], onnx_type: int, outside: bool) -> Point:
    index, inside = None, None
    for axis, (tap, extent) in enumerate(zip(taps, extents, strict=True)):
        stride = product(extents[axis + 1 :])
        # Coordinates far outside would overflow an integer.
        near = clamp(node, tap.index, dim_like(node, extent, tap.index) - 1.0) if outside else tap.index
        part = node.cast(near, onnx_type)
        part = arithmetic(node, "mul", part, dim_like(node, stride, part)) if stride != 1 else part
        index = part if index is None else node.emit("add", index, part)
        if outside:
            within = node.emit("equal", near, tap.index)
            inside = within if inside is None else node.emit("and", inside, within)
    assert index is not None
    if inside is not None:
        size = dim_like(node, product(extents), index)
        index = node.emit("where", inside, index, scalar(node, size, index))
    return Point(index, _product(node, [tap.weight for tap in taps]))


def _product(node: Node, weights: list[Value | None]) -> Value | None:
    result: Value | None = None
    for weight in weights:
        if weight is not None:
            result = weight if result is None else node.emit("mul", result, weight)
    return result
