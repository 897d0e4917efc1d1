"""Whether a mismatch is no more than what rounding the inputs would do: the case is ill-conditioned."""

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
_UNITS = 4.0  # units in the last place by which inputs are moved
_MARGIN = 4.0  # how much larger a difference may be than what moved inputs cause


def is_unstable(
    oracle: Oracle,
    model: ModelProto,
    inputs: Arrays,
    expected: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
) -> bool:
    """Whether every element that differs moves as far when the oracle's inputs move by some units in the last
    place, or is not finite where products of inputs overflow.

    Arrays of other shapes or types than expected are never explained by that.
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
            moved = oracle(model, {name: _moved(rng, array) for name, array in inputs.items()})
        except Exception:
            return False
        if any(e.shape != m.shape for e, m in zip(expected, moved, strict=True)):
            return True
        explained = [_explains(e, o, m) for e, o, m in zip(expected, outputs, moved, strict=True)]
        unexplained = [left & ~by for left, by in zip(unexplained, explained, strict=True)]
    return not any(left.any() for left in unexplained)


def _squares_overflow(inputs: Arrays) -> bool:
    """Whether some finite input has a square that its type does not hold."""
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
        e, o, m = (np.asarray(each).astype(wide) for each in (expected, output, moved))
        changed_kind = np.isfinite(e) != np.isfinite(m)
        return changed_kind | (np.abs(m - e) * _MARGIN >= np.abs(o - e))


def _moved(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    if not is_float(array.dtype) or not array.size:
        return array
    finfo: Any = ml_dtypes.finfo
    unit = float(finfo(array.dtype).eps) * _UNITS
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
        return np.asarray(wide * (1 + unit * rng.uniform(-1, 1, array.shape))).astype(array.dtype)
