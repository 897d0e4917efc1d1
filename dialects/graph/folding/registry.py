"""The functions that fold, by the name of the graph op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import Size

# What may stand in the IR as a dense attribute.
LIMIT = 1024

Folder = Callable[[Sequence[np.ndarray], dict[str, Any]], np.ndarray]
"""The result for operands and attributes; `dtype` among these is the result's, where it is given. Raises
NotFoldable."""

FOLDERS: dict[str, Folder] = {}


class NotFoldable(Exception):
    """The value is only known when the model runs."""


def folds(*names: str) -> Callable[[Folder], Folder]:
    """Registers the decorated function for graph ops."""

    def register(function: Folder) -> Folder:
        FOLDERS.update(dict.fromkeys(names, function))
        return function

    return register


def check_numbers(arrays: Sequence[np.ndarray]) -> None:
    """Raises NotFoldable where an element is a size."""
    if holds_sizes(*arrays):
        raise NotFoldable


def holds_sizes(*arrays: np.ndarray) -> bool:
    """Whether an element is a size of named dims."""
    return any(isinstance(each, Size) for a in arrays if a.dtype == object for each in a.flat)
