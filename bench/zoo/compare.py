"""Compares the outputs of a call with ONNX Runtime's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bench.summary import relative_error


class DifferenceError(Exception):
    """Raised for outputs that differ in more than the values of floating-point elements."""


def largest_error(actual: Sequence[Any], expected: Sequence[Any], names: Sequence[str]) -> float:
    """Returns the largest `max|actual - expected| / max|expected|` of the outputs; 0 without floats.

    Sequences and maps are compared element by element.

    Raises:
        DifferenceError: The number of outputs, a type or a shape is another; integers, booleans or strings
            differ, or which elements are infinite or NaN. The message names the output.
    """
    if len(actual) != len(expected):
        raise DifferenceError(f"{len(actual)} outputs for {len(expected)}")
    return max((_error(name, a, b) for name, a, b in zip(names, actual, expected, strict=True)), default=0.0)


def _error(name: str, actual: Any, expected: Any) -> float:
    if isinstance(expected, Mapping):
        return _error(name, [*dict(actual).items()], [*expected.items()])
    if isinstance(expected, list | tuple):
        if len(actual) != len(expected):
            raise DifferenceError(f"{name}: {len(actual)} elements for {len(expected)}")
        return max((_error(name, a, b) for a, b in zip(actual, expected, strict=True)), default=0.0)
    return _error_of_arrays(name, np.asarray(actual), np.asarray(expected))


def _error_of_arrays(name: str, actual: np.ndarray, expected: np.ndarray) -> float:
    if actual.shape != expected.shape:
        raise DifferenceError(f"{name}: shape {actual.shape} for {expected.shape}")
    if expected.dtype.kind in "OUS":
        actual, expected = actual.astype(object), expected.astype(object)
    elif actual.dtype != expected.dtype:
        raise DifferenceError(f"{name}: type {actual.dtype} for {expected.dtype}")
    if expected.dtype.kind in "OUSbiu":
        if not np.array_equal(actual, expected):
            raise DifferenceError(f"{name}: {np.mean(actual != expected):.2%} of the elements differ")
        return 0.0
    finite = np.isfinite(expected)
    if not np.array_equal(actual[~finite], expected[~finite], equal_nan=True):
        raise DifferenceError(f"{name}: infinities or NaNs differ")
    try:
        return relative_error(actual[finite], expected[finite])
    except ValueError as error:
        raise DifferenceError(f"{name}: {error}") from error
