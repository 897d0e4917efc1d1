"""Compares the results of two engines with tolerances by element type."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.tools.fuzz.random_draws import is_float

# Relative tolerances. The absolute one is this times a hundredth of the largest finite expected value: sums
# in another order cancel differently. Integers and booleans must be equal.
_RELATIVE = {"float64": 1e-7, "float32": 1e-3, "float16": 1e-2, "bfloat16": 4e-2}
_OF_FLOAT8 = 0.13  # the last of two or three bits
_SMALLEST = 1e-7  # times the relative tolerance: negligible compared with one
_SHARE_OF_LARGEST = 1e-2


def difference(expected: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> str:
    """Describes the first difference in a line; "" if there is none."""
    if len(expected) != len(outputs):
        return f"count: {len(outputs)} outputs, expected {len(expected)}"
    for index, (reference, output) in enumerate(zip(expected, outputs, strict=True)):
        found = _difference(reference, output)
        if found:
            return f"{found[0]}: output {index}{found[1]}"
    return ""


def _difference(expected: np.ndarray, output: np.ndarray) -> tuple[str, str] | None:
    if expected.shape != output.shape:
        return "shape", f" is {list(output.shape)}, expected {list(expected.shape)}"
    if expected.dtype != output.dtype:
        return "type", f" is {output.dtype}, expected {expected.dtype}"
    wrong = wrong_elements(expected, output)
    if not wrong.any():
        return None
    at = tuple(int(index) for index in np.argwhere(wrong)[0])
    index = f"[{', '.join(map(str, at))}]" if at else ""
    return "values", f"{index} is {output[at]}, expected {expected[at]}; {wrong.sum()} of {wrong.size} differ"


def wrong_elements(expected: np.ndarray, output: np.ndarray) -> np.ndarray:
    """Returns a mask of the elements that differ by more than the tolerance of the type."""
    if not is_float(expected.dtype) and expected.dtype.kind != "c":
        return np.asarray(expected != output)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        return ~_close(expected.astype(wide), output.astype(wide), expected.dtype.name)


def _close(expected: np.ndarray, output: np.ndarray, name: str) -> np.ndarray:
    relative = _RELATIVE.get(
        name.replace("complex128", "float64").replace("complex64", "float32"), _OF_FLOAT8
    )
    sizes = np.abs(expected[np.isfinite(expected)])
    absolute = relative * (_SMALLEST + _SHARE_OF_LARGEST * (sizes.max() if sizes.size else 0.0))
    # Infinities are equal to themselves only, NaN to any NaN.
    close = np.abs(output - expected) <= absolute + relative * np.abs(expected)
    finite = np.isfinite(expected) & np.isfinite(output)
    both_nan = np.isnan(expected) & np.isnan(output)
    return np.where(finite, close, (expected == output) | both_nan)
