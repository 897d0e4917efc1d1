"""Shape arithmetic: graph ops on values of at most 1 KiB, evaluated in NumPy.

Not a second implementation of the operators: only what exporters put between Shape and Reshape, on values
exact in any order of evaluation. Elements may be `Size`s (dtype object).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import Undecided

# Importing these registers what folds.
from . import arithmetic, movement  # noqa: F401
from .registry import FOLDERS, LIMIT, NotFoldable

__all__ = ["LIMIT", "fold"]


def fold(
    op: str, arrays: Sequence[np.ndarray], attributes: dict[str, Any], dtype: np.dtype | None
) -> np.ndarray | None:
    """The result of `graph.<op>` on known operands (`dtype`: the result's, for cast), or None."""
    folder = FOLDERS.get(op)
    if folder is None:
        return None
    if any(a.dtype == object for a in arrays):
        arrays = [a.astype(object) if a.dtype.kind in "iu" else a for a in arrays]
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(folder(arrays, {**attributes, "dtype": dtype}))
    except (NotFoldable, Undecided, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError):
        # What is wrong with the operands is for the op's verifier to say.
        return None
    size = result.size * 8 if result.dtype == object else result.nbytes
    return result if size <= LIMIT else None
