"""Convolution and pooling in NumPy, in both layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from evaluator_ops import pack, unpack
from numpy.lib.stride_tricks import sliding_window_view

Array = np.ndarray
Ints = Sequence[int]


def _windows(x: Array, kernel: Ints, strides: Ints, dilations: Ints) -> Array:
    """`[N, C, positions..., kernel...]` of a padded `[N, C, spatial...]`."""
    spatial = len(kernel)
    extents = [dilation * (size - 1) + 1 for size, dilation in zip(kernel, dilations, strict=True)]
    found = sliding_window_view(x, extents, axis=tuple(range(2, 2 + spatial)))
    steps = [slice(None, None, step) for step in (*strides, *dilations)]
    return found[(slice(None), slice(None), *steps)]


def _pad(x: Array, pads: Ints, value: float) -> Array:
    spatial = len(pads) // 2
    width = [(0, 0), (0, 0), *zip(pads[:spatial], pads[spatial:], strict=True)]
    return np.pad(x, width, constant_values=value)


def _on_blocks(rule: Callable[..., Array]) -> Callable[..., Array]:
    """Returns the pooling rule on NCHWc, through NCHW."""

    def pooling(x: Array, layout: str, **attributes: Any) -> Array:
        if layout == "NCHW":
            return rule(x, **attributes)
        tile = x.shape[-1]
        return pack(rule(unpack(x, [1], [tile]), **attributes), [1], [tile])

    return pooling


def _positions(x: Array, kernel: Ints, strides: Ints, dilations: Ints, pads: Ints, ceil_mode: bool) -> Ints:
    """Returns the elements that windows may reach past the end, per spatial dim, because of `ceil_mode`."""
    spatial = len(kernel)
    beyond = []
    for axis in range(spatial):
        size = x.shape[2 + axis] + pads[axis] + pads[spatial + axis]
        rest = (size - dilations[axis] * (kernel[axis] - 1) - 1) % strides[axis]
        starts = size - dilations[axis] * (kernel[axis] - 1) - 1 - rest + strides[axis]
        # A window that starts in the padding at the end does not count.
        inside = starts < x.shape[2 + axis] + pads[axis]
        beyond.append(strides[axis] - rest if ceil_mode and rest and inside else 0)
    return beyond


def _max_pool(x: Array, kernel: Ints, strides: Ints, dilations: Ints, pads: Ints, ceil_mode: bool) -> Array:
    more = _positions(x, kernel, strides, dilations, pads, ceil_mode)
    full = _pad(_pad(x, pads, -np.inf), [*[0] * len(more), *more], -np.inf)
    return _windows(full, kernel, strides, dilations).max(axis=tuple(range(-len(kernel), 0)))


def _average_pool(
    x: Array,
    kernel: Ints,
    strides: Ints,
    dilations: Ints,
    pads: Ints,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Array:
    more = [*[0] * len(kernel), *_positions(x, kernel, strides, dilations, pads, ceil_mode)]
    counted = _pad(_pad(np.ones_like(x), pads, float(count_include_pad)), more, 0)
    sums, counts = (
        _windows(padded, kernel, strides, dilations).sum(axis=tuple(range(-len(kernel), 0)))
        for padded in (_pad(_pad(x, pads, 0), more, 0), counted)
    )
    return sums / counts


def _conv(x: Array, w: Array, strides: Ints, dilations: Ints, pads: Ints, group: int, layout: str) -> Array:
    if layout == "NCHW":
        return _plain_conv(x, w, strides, dilations, pads, group)
    tile = x.shape[-1]
    plain = unpack(x, [1], [tile])
    if w.ndim == x.ndim - 1:  # depthwise: [C/c, kernel..., c]
        weights, last = unpack(w, [0], [tile])[:, np.newaxis], tile
    else:
        weights, last = unpack(w, [1, 0], list(w.shape[-2:])), w.shape[-1]
    return pack(_plain_conv(plain, weights, strides, dilations, pads, group), [1], [last])


def _plain_conv(x: Array, w: Array, strides: Ints, dilations: Ints, pads: Ints, group: int) -> Array:
    kernel = w.shape[2:]
    windows = _windows(_pad(x, pads, 0), kernel, strides, dilations)
    spatial = len(kernel)
    inputs, outputs = x.shape[1] // group, w.shape[0] // group
    parts = []
    for index in range(group):
        mine = windows[:, index * inputs : (index + 1) * inputs]
        weights = w[index * outputs : (index + 1) * outputs]
        taken = [1, *range(2 + spatial, 2 + 2 * spatial)]
        parts.append(np.tensordot(mine, weights, (taken, [1, *range(2, 2 + spatial)])))
    # tensordot leaves the channels last.
    return np.moveaxis(np.concatenate(parts, -1), -1, 1)


def _lrn(x: Array, size: int, alpha: float, beta: float, bias: float) -> Array:
    before, after = (size - 1) // 2, size // 2
    squares = np.pad(x * x, [(0, 0), (before, after), *[(0, 0)] * (x.ndim - 2)])
    sums = sliding_window_view(squares, size, axis=1).sum(-1)
    return x / (bias + alpha / size * sums) ** beta


WINDOW_OPS: dict[str, Callable[..., Array]] = {
    "conv": _conv,
    "max_pool": _on_blocks(_max_pool),
    "average_pool": _on_blocks(_average_pool),
    "lrn": _on_blocks(_lrn),
}
