"""Statistics of arrays, and the difference between two arrays."""

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
    values = _wide(array)
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


def _wide(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.kind == "c" else array.astype(np.float64)


def difference(actual: np.ndarray, expected: np.ndarray) -> tuple[float, str]:
    """Returns `max|actual - expected| / max|expected|` in double precision (absolute if all expected are 0),
    and "".

    Returns infinity and the reason if shapes or dtypes differ, or values are not finite.
    """
    if actual.shape != expected.shape:
        return math.inf, f"shape {list(actual.shape)}, expected {list(expected.shape)}"
    if is_text(actual) and is_text(expected):
        wrong = int((actual != expected).sum())
        return (math.inf, f"{wrong} of {actual.size} strings differ") if wrong else (0.0, "")
    if actual.dtype != expected.dtype:
        return math.inf, f"dtype {actual.dtype}, expected {expected.dtype}"
    ours, theirs = _wide(actual), _wide(expected)
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return math.inf, f"of {ours.size} values {_not_finite(ours)}, expected {_not_finite(theirs)}"
    scale = float(np.abs(theirs).max(initial=0.0))
    return float(np.abs(ours - theirs).max(initial=0.0)) / (scale or 1.0), ""


def _not_finite(values: np.ndarray) -> str:
    """Returns the numbers of NaN and infinite elements as text."""
    nans, infinities = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    return f"{nans} NaN and {infinities} infinite"
