"""Draws from lists, and arrays of any element type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import ml_dtypes
import numpy as np

T = TypeVar("T")
# Extents: zero, one, below, at and above the widths of vectors, and primes.
EXTENTS = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65)


def pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    """Draws one of the items."""
    return items[int(rng.integers(len(items)))]


def is_float(dtype: np.dtype) -> bool:
    """Whether a type is floating-point, including types that NumPy lacks."""
    return dtype.kind == "f" or (dtype.kind == "V" and "int" not in dtype.name)


def limits(dtype: np.dtype) -> tuple[float, float]:
    """Returns the least and the greatest finite value."""
    if dtype == np.bool_:
        return 0, 1
    info: Any = ml_dtypes.finfo if is_float(dtype) else ml_dtypes.iinfo
    low, high = info(dtype).min, info(dtype).max
    return (float(low), float(high)) if is_float(dtype) else (int(low), int(high))


def draw(rng: np.random.Generator, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
    """Draws an array of moderate values: floats around zero, small integers, complex numbers, booleans."""
    shape = tuple(shape)
    if dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    if is_float(dtype):
        return np.asarray(rng.standard_normal(shape)).astype(dtype)
    low, high = limits(dtype)
    return np.asarray(rng.integers(int(max(low, -9)), int(min(high, 9)), shape, endpoint=True)).astype(dtype)


def resize(rng: np.random.Generator, array: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Returns an array of another shape with the old one's values in any order, so that indices stay in
    range."""
    count = int(np.prod(shape, dtype=np.int64))
    if array.size == 0:
        return draw(rng, array.dtype, shape)
    return array.reshape(-1)[rng.integers(array.size, size=count)].reshape(tuple(shape))
