"""Where Resize reads an axis, and with what weights: ONNX's formulas in NumPy, when the model is compiled."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from mlc.frontends.onnx.node import NodeFailure


@dataclass(frozen=True)
class AxisResize:
    """One axis of a Resize: its lengths in elements before and after. `target` is the length that `scale`
    gives, of which `after` may be the whole part; `start` and `end` bound the region of interest, in parts of
    the input."""

    before: int
    after: int
    scale: float
    target: float
    start: float = 0.0
    end: float = 1.0

    @property
    def changes(self) -> bool:
        """Whether the result differs from the input."""
        same = self.before == self.after and math.isclose(self.scale, 1.0)
        return not same or (self.start, self.end) != (0.0, 1.0)


@dataclass(frozen=True)
class Method:
    """The attributes of Resize, under their names there but for `mode` of coordinates."""

    mode: str
    coordinates: str
    nearest_mode: str = "round_prefer_floor"
    cubic_coeff_a: float = -0.75
    antialias: bool = False
    exclude_outside: bool = False


@dataclass(frozen=True)
class Taps:
    """Element i of the result is the sum over t of `weights[i, t] * x[indices[i, t]]`, both `[length, taps]`;
    without weights there is one tap. `outside`: `[length]`, the elements that the extrapolation value
    replaces."""

    indices: np.ndarray
    weights: np.ndarray | None
    outside: np.ndarray


def taps(axis: AxisResize, method: Method) -> Taps:
    """What a Resize reads along one axis. Raises `NodeFailure` for attributes that ONNX does not know."""
    # Where a place decides between two elements it is computed in f32, as ONNX Runtime does: the f32 next to
    # 1/3 means 1/3.
    x = _coordinates(axis, method.coordinates, np.float32 if method.mode == "nearest" else np.float64)
    outside = np.zeros(axis.after, bool)
    if method.coordinates == "tf_crop_and_resize":
        outside = (x < 0) | (x > axis.before - 1)
    if method.mode == "nearest":
        indices = np.clip(_nearest(x, axis, method.nearest_mode), 0, axis.before - 1)
        return Taps(indices.astype(np.int64)[:, None], None, outside)
    return Taps(*_weighted(x, axis, method), outside)


def _coordinates(axis: AxisResize, mode: str, dtype: type) -> np.ndarray:
    """The place in the input of every element of the result, computed in `dtype`."""
    found = _COORDINATES.get(mode)
    if found is None:
        raise NodeFailure(f"coordinate_transformation_mode {mode!r} is none of {', '.join(_COORDINATES)}")
    return found(axis, np.arange(axis.after, dtype=dtype)).astype(np.float64)


def _half_pixel(axis: AxisResize, y: np.ndarray) -> np.ndarray:
    return (y + 0.5) / axis.scale - 0.5


def _half_pixel_symmetric(axis: AxisResize, y: np.ndarray) -> np.ndarray:
    """The centre stays the centre where the target is no whole number."""
    return axis.before / 2 * (1 - axis.after / axis.target) + _half_pixel(axis, y)


def _stretched(axis: AxisResize, y: np.ndarray, length: float, single: float) -> np.ndarray:
    """From 0 to `length`; `single` where there is one element."""
    return np.full_like(y, single) if axis.target == 1 else y * length / (axis.target - 1)


def _cropped(axis: AxisResize, y: np.ndarray) -> np.ndarray:
    last = axis.before - 1
    length = (axis.end - axis.start) * last
    return axis.start * last + _stretched(axis, y, length, length / 2)


_COORDINATES: dict[str, Callable[[AxisResize, np.ndarray], np.ndarray]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": lambda axis, y: y * 0 if axis.target == 1 else _half_pixel(axis, y),
    "align_corners": lambda axis, y: _stretched(axis, y, axis.before - 1, 0.0),
    "asymmetric": lambda axis, y: y / axis.scale,
    "tf_half_pixel_for_nn": lambda axis, y: (y + 0.5) / axis.scale,
    "tf_crop_and_resize": _cropped,
}
_NEAREST: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _nearest(x: np.ndarray, axis: AxisResize, mode: str) -> np.ndarray:
    if mode == "opset 10":
        mode = "floor" if axis.scale >= 1 else "ceil"
    if mode not in _NEAREST:
        raise NodeFailure(f"nearest_mode {mode!r} is none of {', '.join(_NEAREST)}")
    return _NEAREST[mode](x)


def _weighted(x: np.ndarray, axis: AxisResize, method: Method) -> tuple[np.ndarray, np.ndarray]:
    """Indices and weights. Antialiasing stretches the filter where the axis shrinks."""
    support, kernel = _kernel(method)
    stretch = min(axis.scale, 1.0) if method.antialias else 1.0
    first = int(np.floor(-support / stretch)) + 1
    offsets = np.arange(first, 2 - first)
    # The element to the left; for a place on an element, the one before that.
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
    """How far the filter reaches, and its value at a distance."""
    if method.mode == "linear":
        return 1, lambda t: np.clip(1 - np.abs(t), 0, 1)
    return 2, lambda t: _cubic(np.abs(t), method.cubic_coeff_a)


def _cubic(t: np.ndarray, a: float) -> np.ndarray:
    """Keys, Cubic Convolution Interpolation for Digital Image Processing (1981), equation 4 of ONNX's
    source."""
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0.0))
