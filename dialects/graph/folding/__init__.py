"""Shape arithmetic: graph ops on values of at most 1 KiB, evaluated in NumPy.

It covers only the ops that exporters put between Shape and Reshape, on elements whose results are exact in
any order of evaluation. Elements may be `Size`s (dtype object).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import Undecided

# Importing these registers the folders.
from . import arithmetic, movement  # noqa: F401
from .registry import FOLDERS, LIMIT, NotFoldable

__all__ = ["LIMIT", "fold"]


def fold(
    op: str, arrays: Sequence[np.ndarray], attributes: dict[str, Any], dtype: np.dtype | None
) -> np.ndarray | None:
    """Returns the result of `graph.<op>` on known operands (`dtype`: the result's, for cast), or None."""
    folder = FOLDERS.get(op)
    if folder is None:
        return None
    if any(a.dtype == object for a in arrays):
        arrays = [a.astype(object) if a.dtype.kind in "iu" else a for a in arrays]
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(folder(arrays, {**attributes, "dtype": dtype}))
    except (NotFoldable, Undecided, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError):
        # Faults of the operands are reported by the op's verifier.
        return None
    size = result.size * 8 if result.dtype == object else result.nbytes
    return result if size <= LIMIT else None
