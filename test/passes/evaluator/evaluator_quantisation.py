"""Quantisation in NumPy, in double precision: what f32 rounds to a tie may be a step apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray


def _broadcast_parameter(parameter: Array, x: Array, axis: int, block_size: int) -> Array:
    """Returns a scale or zero point that broadcasts to x."""
    if parameter.ndim == 0:
        return parameter
    if block_size:
        taken = np.arange(x.shape[axis]) // block_size
        return np.take(parameter, taken, axis)
    return parameter.reshape([-1 if dim == axis else 1 for dim in range(x.ndim)])


def _dequantize(x: Array, scale: Array, zero: Array | None = None, *, axis: int, block_size: int) -> Array:
    wide = x.astype(np.float64)
    centred = (
        wide if zero is None else wide - _broadcast_parameter(zero, x, axis, block_size).astype(np.float64)
    )
    return centred * _broadcast_parameter(scale, x, axis, block_size)


def quantize(
    dtype: np.dtype, x: Array, scale: Array, zero: Array | None = None,
    *, axis: int, block_size: int, saturate: bool,
) -> Array:  # fmt: skip
    """Quantizes x to an integer type."""
    assert saturate and dtype.kind in "iu"
    steps = np.rint(x / _broadcast_parameter(scale, x, axis, block_size))
    if zero is not None:
        steps = steps + _broadcast_parameter(zero, x, axis, block_size).astype(np.float64)
    return np.clip(steps, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)


QUANTISATION_OPS: dict[str, Callable[..., Array]] = {"dequantize_linear": _dequantize}
