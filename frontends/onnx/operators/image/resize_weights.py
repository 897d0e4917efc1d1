"""The elements that Resize reads along an axis, and their weights.

ONNX's formulas are evaluated by NumPy when the model is compiled, or built as values (`Formula`) that the
model computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.frontends.onnx.node import NodeError
from mlc.frontends.onnx.operators.common.expressions import Formula


@dataclass(frozen=True)
class AxisResize:
    """One axis of a Resize: its lengths in elements before and after.

    `target` is the length that `scale` gives, of which `after` may be the integral part; `start` and `end`
    bound the region of interest, as fractions of the input. All are Python scalars, or values that the model
    computes (`Formula`).
    """

    before: Any
    after: Any
    scale: Any
    target: Any
    start: Any = 0.0
    end: Any = 1.0

    @property
    def changes(self) -> bool:
        """Whether the result differs from the input."""
        same = self.before == self.after and math.isclose(self.scale, 1.0)
        return not same or (self.start, self.end) != (0.0, 1.0)


@dataclass(frozen=True)
class Method:
    """The attributes of Resize, named as in ONNX except `coordinates` and `outside`."""

    mode: str
    coordinates: str
    nearest_mode: str = "round_prefer_floor"
    cubic_coeff_a: float = -0.75
    antialias: bool = False
    exclude_outside: bool = False
    # The value of elements outside the image.
    outside: float = 0.0


@dataclass(frozen=True)
class Taps:
    """The elements that are read: element i of the result is the sum over t of `weights[i, t] * x[indices[i,
    t]]`.

    Both are `[length, taps]`; without weights there is one tap. `outside`: `[length]`, the elements that the
    extrapolation value replaces.
    """

    indices: np.ndarray
    weights: np.ndarray | None
    outside: np.ndarray


def taps(axis: AxisResize, method: Method) -> Taps:
    """Returns the elements that a Resize reads along one axis. Raises `NodeError` for attributes that ONNX
    does not define."""
    # Mode nearest rounds coordinates, which are computed in f32 as in ONNX Runtime: the f32 next to 1/3 means
    # 1/3.
    dtype = np.float32 if method.mode == "nearest" else np.float64
    x = coordinates(axis, method.coordinates, np.arange(axis.after, dtype=dtype)).astype(np.float64)
    outside = np.zeros(axis.after, bool)
    if method.coordinates == "tf_crop_and_resize":
        outside = (x < 0) | (x > axis.before - 1)
    if method.mode == "nearest":
        indices = np.clip(nearest(x, axis, method.nearest_mode), 0, axis.before - 1)
        return Taps(indices.astype(np.int64)[:, None], None, outside)
    return Taps(*_indices_and_weights(x, axis, method), outside)


def coordinates(axis: AxisResize, mode: str, y: Any) -> Any:
    """Returns the coordinate in the input of each element of the result, in the type of their indices `y`.

    Raises NodeError for a mode that ONNX does not define.
    """
    found = _COORDINATES.get(mode)
    if found is None:
        raise NodeError(f"coordinate_transformation_mode {mode!r} is none of {', '.join(_COORDINATES)}")
    return found(axis, y)


def _half_pixel(axis: AxisResize, y: Any) -> Any:
    return (y + 0.5) / axis.scale - 0.5


def _half_pixel_symmetric(axis: AxisResize, y: Any) -> Any:
    """Returns coordinates that keep the centre where the target is not integral."""
    return axis.before / 2 * (1 - axis.after / axis.target) + _half_pixel(axis, y)


def _unless_single(axis: AxisResize, y: Any, single: Any, several: Callable[[], Any]) -> Any:
    """Returns `single` where the axis has one element, else the result of `several`."""
    if isinstance(axis.target, Formula):
        return axis.target.equals(1).select(single, several())
    return np.full_like(y, single) if axis.target == 1 else several()


def _stretch(axis: AxisResize, y: Any, length: Any, single: Any) -> Any:
    """Returns coordinates from 0 to `length`; `single` where there is one element."""
    return _unless_single(axis, y, single, lambda: y * length / (axis.target - 1))


def _crop(axis: AxisResize, y: Any) -> Any:
    last = axis.before - 1
    length = (axis.end - axis.start) * last
    return axis.start * last + _stretch(axis, y, length, length / 2)


_COORDINATES: dict[str, Callable[[AxisResize, Any], Any]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": lambda axis, y: _unless_single(axis, y, 0, lambda: _half_pixel(axis, y)),
    "align_corners": lambda axis, y: _stretch(axis, y, axis.before - 1, 0.0),
    "asymmetric": lambda axis, y: y / axis.scale,
    "tf_half_pixel_for_nn": lambda axis, y: (y + 0.5) / axis.scale,
    "tf_crop_and_resize": _crop,
}
_NEAREST: dict[str, Callable[[Any], Any]] = {
    "round_prefer_floor": lambda x: round_to_integer("ceil", x - 0.5),
    "round_prefer_ceil": lambda x: round_to_integer("floor", x + 0.5),
    "floor": lambda x: round_to_integer("floor", x),
    "ceil": lambda x: round_to_integer("ceil", x),
}


def round_to_integer(op: str, x: Any) -> Any:
    """Applies "floor" or "ceil" to `x`."""
    return x.apply(op) if isinstance(x, Formula) else getattr(np, op)(x)


def nearest(x: Any, axis: AxisResize, mode: str) -> Any:
    """Returns the integers that coordinates are rounded to. Raises NodeError for a mode that ONNX does not
    define."""
    if mode == "opset 10":
        if isinstance(axis.scale, Formula):
            return (axis.scale >= 1).select(round_to_integer("floor", x), round_to_integer("ceil", x))
        mode = "floor" if axis.scale >= 1 else "ceil"
    if mode not in _NEAREST:
        raise NodeError(f"nearest_mode {mode!r} is none of {', '.join(_NEAREST)}")
    return _NEAREST[mode](x)


def _indices_and_weights(x: np.ndarray, axis: AxisResize, method: Method) -> tuple[np.ndarray, np.ndarray]:
    """Returns indices and weights, `[length, taps]`. Antialiasing stretches the filter where the axis
    shrinks."""
    support, kernel = _kernel(method)
    stretch = min(axis.scale, 1.0) if method.antialias else 1.0
    first = int(np.floor(-support / stretch)) + 1
    offsets = np.arange(first, 2 - first)
    # The element to the left; for a coordinate on an element, the one before it.
    base = np.ceil(x) - 1
    indices = (base[:, None] + offsets).astype(np.int64)
    weights = kernel((offsets - (x - base)[:, None]) * stretch)
    if method.exclude_outside:
        weights = np.where((indices < 0) | (indices >= axis.before), 0.0, weights)
    total = weights.sum(axis=1, keepdims=True)
    weights = weights / np.where(total == 0, 1.0, total)
    used = weights.any(axis=0)
    return np.clip(indices, 0, axis.before - 1)[:, used], weights[:, used]


def _kernel(method: Method) -> tuple[int, Callable[[np.ndarray], np.ndarray]]:
    """Returns the filter's support and its value as a function of the distance."""
    if method.mode == "linear":
        return 1, lambda t: np.clip(1 - np.abs(t), 0, 1)
    return 2, lambda t: _cubic(np.abs(t), method.cubic_coeff_a)


def _cubic(t: np.ndarray, a: float) -> np.ndarray:
    near, far = cubic_parts(t, a)
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))


def cubic_parts(t: Any, a: float) -> tuple[Any, Any]:
    """Returns the cubic filter for distances up to 1, and for those in (1, 2].

    Source: Keys, Cubic Convolution Interpolation for Digital Image Processing (1981), equation 4.
    """
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return near, far
