"""Statistics of arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def statistics(array: np.ndarray) -> dict[str, Any]:
    """Returns dtype, shape, min, max, mean, standard deviation and whether all values are finite; for strings
    the number of different ones."""
    if is_text(array):
        different = len(set(array.reshape(-1).tolist()))
        return {"dtype": "string", "shape": list(array.shape), "different": different}
    values = wide(array)
    facts: dict[str, Any] = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if not array.size or values.dtype.kind == "c":
        return {**facts, "finite": bool(np.isfinite(values).all())}
    finite = bool(np.isfinite(values).all())
    with np.errstate(invalid="ignore", over="ignore"):
        moments = {"min": values.min(), "max": values.max(), "mean": values.mean(), "std": values.std()}
    return {**facts, "finite": finite, **{name: _json_value(value) for name, value in moments.items()}}


def is_text(array: np.ndarray) -> bool:
    """Whether the elements are strings."""
    return array.dtype.kind in "OUT"


def _json_value(value: Any) -> float | str:
    """Returns a float, but infinities and NaN, which JSON lacks, as text."""
    scalar = float(value)
    return scalar if math.isfinite(scalar) else str(scalar)


def wide(array: np.ndarray) -> np.ndarray:
    """Returns the elements in double precision; complex ones as they are."""
    return array if array.dtype.kind == "c" else array.astype(np.float64)
