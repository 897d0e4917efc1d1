"""Places in an image that are computed when the model runs: which elements they lie between, with what
weights, and what stands for places outside."""

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
    """One element along an axis: its whole place and its weight, both floats (no weight: 1)."""

    place: Value
    weight: Value | None


@dataclass(frozen=True)
class Sampling:
    """How an image is read: `mode` nearest, linear or cubic; `padding` zeros, border or reflection. The
    corners of `align_corners` are the centres of the outermost elements, otherwise their outer edges."""

    mode: str
    padding: str
    align_corners: bool = True


def arithmetic(node: Node, op: str, x: Value, *numbers: Term) -> Value:
    """The elementwise op on x and numbers of its type."""
    return node.emit(op, x, *(scalar(node, number, x) for number in numbers))


def scalar(node: Node, number: Term, like: Value) -> Value:
    """The number in `like`'s type, if the model does not compute it."""
    return number.value if isinstance(number, Formula) else node.scalar(number, like)


def measured(node: Node, extent: Dim, like: Value) -> Any:
    """A dim to compute with: itself, or a scalar of `like`'s type that the model computes."""
    return extent if isinstance(extent, int) else dim(node, extent, like.number)


def bounded(node: Node, at: Value, last: Term) -> Value:
    """What is next to `at` from 0 to `last`."""
    if isinstance(last, Formula):
        return formula(node, at).within(0, last).value
    return node.emit("clamp", at, min=0.0, max=float(last))


def axis_taps(node: Node, at: Value, extent: Dim, sampling: Sampling) -> list[Tap]:
    """What to read along an axis of `extent` elements at the places `at` (floats, in elements)."""
    if sampling.mode == "nearest":
        at = node.emit("round", at)
    at = _inside(node, at, extent, sampling)
    if sampling.mode == "nearest":
        return [Tap(at, None)]
    left = node.emit("floor", at)
    right = node.emit("sub", at, left)
    weights = _WEIGHTS[sampling.mode](node, right)
    first = 1 - len(weights) // 2
    places = [
        arithmetic(node, "add", left, first + tap) if first + tap else left for tap in range(len(weights))
    ]
    return [
        Tap(_inside(node, place, extent, sampling), weight)
        for place, weight in zip(places, weights, strict=True)
    ]


def _inside(node: Node, at: Value, extent: Dim, sampling: Sampling) -> Value:
    """`at` where it is inside; what is outside as the padding says. Zeros leave it there."""
    if sampling.padding == "zeros":
        return at
    size = measured(node, extent, at)
    low, high = (0.0, size - 1.0) if sampling.align_corners else (-0.5, size - 0.5)
    if sampling.padding == "reflection" and isinstance(size, Formula):
        # One element reflects itself.
        length = (high - low).max(1)
        moved = formula(node, _reflected(node, at, low, length)).within(low, high).value
    elif sampling.padding == "reflection" and high > low:
        moved = _reflected(node, at, low, high - low)
    else:
        moved = bounded(node, at, size - 1.0)
        if sampling.mode != "cubic" or low == 0:
            return moved
    outside = node.emit("or", arithmetic(node, "less", at, low), arithmetic(node, "greater", at, high))
    return node.emit("where", outside, moved, at)


def _reflected(node: Node, at: Value, low: float, length: Any) -> Value:
    """Forth and back between the borders: a triangle wave."""
    along = node.emit("abs", arithmetic(node, "sub", at, low))
    along = node.emit("mod", along, scalar(node, 2 * length, along), fmod=True)
    # The distance from the far end of the wave is what is left of the way back.
    back = node.emit("sub", scalar(node, 2 * length, along), along)
    return arithmetic(node, "add", node.emit("min", along, back), low)


def _linear_weights(node: Node, right: Value) -> list[Value]:
    return [node.emit("sub", node.scalar(1, right), right), right]


def _cubic_weights(node: Node, right: Value) -> list[Value]:
    """Keys' filter at the distances of two elements on each side."""
    left = node.emit("sub", node.scalar(1, right), right)
    outer = [_far_weight(node, arithmetic(node, "add", each, 1)) for each in (right, left)]
    inner = [_near_weight(node, each) for each in (right, left)]
    return [outer[0], *inner, outer[1]]


def _far_weight(node: Node, t: Value) -> Value:
    """((a t - 5 a) t + 8 a) t - 4 a."""
    return _polynomial(node, t, [CUBIC, -5 * CUBIC, 8 * CUBIC, -4 * CUBIC])


def _near_weight(node: Node, t: Value) -> Value:
    """((a + 2) t - (a + 3)) t t + 1."""
    return _polynomial(node, t, [CUBIC + 2, -(CUBIC + 3), 0, 1])


def _polynomial(node: Node, t: Value, coefficients: list[float]) -> Value:
    """By Horner's rule, the highest power first."""
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
    """One element of an image: its row-major place in it (an integer; the image's size where it is outside)
    and its weight (None: 1)."""

    place: Value
    weight: Value | None


def points(node: Node, taps: list[list[Tap]], extents: list[Dim], number: int, outside: bool) -> list[Point]:
    """All combinations of the taps of the axes, which broadcast. `number`: the integers' type; `outside`:
    whether places may be outside."""
    return [_point(node, list(each), extents, number, outside) for each in combinations(*taps)]


def _point(node: Node, taps: list[Tap], extents: list[Dim], number: int, outside: bool) -> Point:
    place, inside = None, None
    for axis, (tap, extent) in enumerate(zip(taps, extents, strict=True)):
        stride = product(extents[axis + 1 :])
        # What is far outside would not fit into an integer.
        near = bounded(node, tap.place, measured(node, extent, tap.place) - 1.0) if outside else tap.place
        part = node.cast(near, number)
        part = arithmetic(node, "mul", part, measured(node, stride, part)) if stride != 1 else part
        place = part if place is None else node.emit("add", place, part)
        if outside:
            within = node.emit("equal", near, tap.place)
            inside = within if inside is None else node.emit("and", inside, within)
    assert place is not None
    if inside is not None:
        size = measured(node, product(extents), place)
        place = node.emit("where", inside, place, scalar(node, size, place))
    return Point(place, _product(node, [tap.weight for tap in taps]))


def _product(node: Node, weights: list[Value | None]) -> Value | None:
    result: Value | None = None
    for weight in weights:
        if weight is not None:
            result = weight if result is None else node.emit("mul", result, weight)
    return result
