"""Recognises ill-conditioned cases: rounding the inputs changes results as much as the mismatch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from onnx import ModelProto

from mlc.tools.fuzz.case import Arrays
from mlc.tools.fuzz.comparison import wrong_elements
from mlc.tools.fuzz.oracles import Oracle
from mlc.tools.fuzz.random_draws import is_float, limits

_ROUNDS = 4
_ULPS = 4.0  # ulps by which inputs are perturbed
_MARGIN = 4.0  # ratio of a difference to the one that perturbed inputs cause


def is_unstable(
    oracle: Oracle,
    model: ModelProto,
    inputs: Arrays,
    expected: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
) -> bool:
    """Whether every element that differs changes as much when the oracle's inputs change by some ulps, or is
    not finite where products of inputs overflow.

    Differences in shape or type are never explained by that.
    """
    if any(e.shape != o.shape or e.dtype != o.dtype for e, o in zip(expected, outputs, strict=True)):
        return False
    unexplained = [wrong_elements(e, o) for e, o in zip(expected, outputs, strict=True)]
    if _squares_overflow(inputs):
        # Then the order of operations decides which results are finite.
        unexplained = [
            left & _finite(e) & _finite(o) for left, e, o in zip(unexplained, expected, outputs, strict=True)
        ]
    rng = np.random.default_rng(0)
    for _ in range(_ROUNDS):
        try:
            moved = oracle(model, {name: _perturb(rng, array) for name, array in inputs.items()})
        except Exception:
            return False
        if any(e.shape != m.shape for e, m in zip(expected, moved, strict=True)):
            return True
        explained = [_explains(e, o, m) for e, o, m in zip(expected, outputs, moved, strict=True)]
        unexplained = [left & ~by for left, by in zip(unexplained, explained, strict=True)]
    return not any(left.any() for left in unexplained)


def _squares_overflow(inputs: Arrays) -> bool:
    """Whether the square of a finite input overflows its type."""
    for array in inputs.values():
        if is_float(array.dtype):
            wide = np.abs(array.astype(np.float64))
            if (wide[np.isfinite(wide)] > limits(array.dtype)[1] ** 0.5).any():
                return True
    return False


def _finite(array: np.ndarray) -> np.ndarray:
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    return np.asarray(np.isfinite(array.astype(wide)))


def _explains(expected: np.ndarray, output: np.ndarray, moved: np.ndarray) -> np.ndarray:
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        e, o, m = (np.asarray(array).astype(wide) for array in (expected, output, moved))
        changed_finiteness = np.isfinite(e) != np.isfinite(m)
        return changed_finiteness | (np.abs(m - e) * _MARGIN >= np.abs(o - e))


def _perturb(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    if not is_float(array.dtype) or not array.size:
        return array
    finfo: Any = ml_dtypes.finfo
    unit = float(finfo(array.dtype).eps) * _ULPS
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
        return np.asarray(wide * (1 + unit * rng.uniform(-1, 1, array.shape))).astype(array.dtype)
