"""The largest difference between the values of two engines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.tools.mlc.array_statistics import is_text, wide
from mlc.tools.mlc.object_values import flat


@dataclass(frozen=True)
class Deviation:
    """The largest difference of two values: `relative` is `max|a-b| / max|b|`, `index` that of the element
    with the largest difference, `actual` and `expected` its values. Both differences are infinite where
    values cannot be subtracted, for the `reason` that is given."""

    absolute: float = 0.0
    relative: float = 0.0
    index: tuple[int, ...] | None = None
    actual: str = ""
    expected: str = ""
    reason: str = ""
    # The element of a sequence or the side of a map: "[2]", ".keys".
    element: str = ""

    @property
    def data(self) -> dict[str, Any]:
        """The fields for JSON, which has no infinity."""
        finite = math.isfinite(self.relative)
        facts: dict[str, Any] = {
            "max_absolute": self.absolute if finite else None,
            "max_relative": self.relative if finite else None,
            "index": None if self.index is None else list(self.index),
            "actual": self.actual,
            "expected": self.expected,
        }
        return facts | {name: text for name in ("reason", "element") if (text := getattr(self, name))}


def deviation(actual: Any, expected: Any) -> Deviation:
    """Compares arrays, sequences, maps and optionals as `compare_arrays` does."""
    ours, theirs = flat({"": actual}), flat({"": expected})
    if missing := sorted(ours.keys() ^ theirs.keys()):
        count = f"{len(ours)} arrays, expected {len(theirs)}"
        return _different("a value is missing" if missing == [""] else count)
    worst = Deviation()
    for element, array in ours.items():
        found = compare_arrays(array, theirs[element], element)
        worst = max(worst, found, key=lambda item: item.relative)
    return worst


def _different(reason: str, element: str = "") -> Deviation:
    return Deviation(math.inf, math.inf, reason=reason, element=element)


def compare_arrays(actual: np.ndarray, expected: np.ndarray, element: str = "") -> Deviation:
    """Compares arrays; `element` is that of the result. Equal infinities and two NaN are no difference."""
    if actual.shape != expected.shape:
        return _different(f"shape {list(actual.shape)}, expected {list(expected.shape)}", element)
    if is_text(actual) and is_text(expected):
        return _at(actual, expected, np.where(actual != expected, math.inf, 0.0), 1.0, element)
    if actual.dtype != expected.dtype:
        return _different(f"dtype {actual.dtype}, expected {expected.dtype}", element)
    ours, theirs = wide(actual), wide(expected)
    with np.errstate(invalid="ignore", over="ignore"):
        differences = np.abs(ours - theirs)
        equal = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        scale = float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0)) or 1.0
    differences = np.where(equal, 0.0, np.where(np.isnan(differences), math.inf, differences))
    return _at(actual, expected, differences, scale, element)


def _at(
    actual: np.ndarray, expected: np.ndarray, differences: np.ndarray, scale: float, element: str
) -> Deviation:
    """Returns the deviation at the largest of `differences`, of arrays whose largest value is `scale`."""
    if not differences.any():
        return Deviation()
    index = tuple(map(int, np.unravel_index(np.argmax(differences), differences.shape)))
    largest = float(differences[index])
    return Deviation(
        largest, largest / scale, index, str(actual[index]), str(expected[index]), element=element
    )


def difference(actual: np.ndarray, expected: np.ndarray) -> tuple[float, str]:
    """Returns `max|actual - expected| / max|expected|` in double precision (absolute if all expected are 0),
    and "".

    Returns infinity and the reason if shapes or dtypes differ, or values are not finite.
    """
    found = compare_arrays(actual, expected)
    if found.reason:
        return found.relative, found.reason
    if is_text(actual):
        wrong = int((actual != expected).sum())
        return found.relative, f"{wrong} of {actual.size} strings differ" if wrong else ""
    ours, theirs = wide(actual), wide(expected)
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        return math.inf, f"of {ours.size} values {_not_finite(ours)}, expected {_not_finite(theirs)}"
    return found.relative, ""


def _not_finite(values: np.ndarray) -> str:
    """Returns the numbers of NaN and infinite elements as text."""
    nans, infinities = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    return f"{nans} NaN and {infinities} infinite"
