"""The folding functions by the name of the graph op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.sizes import Size

# The most bytes of a dense attribute in the IR.
LIMIT = 1024

Folder = Callable[[Sequence[np.ndarray], dict[str, Any]], np.ndarray]
"""A function of operands and attributes, among them `dtype`, that of a given result type. Raises
NotFoldable."""

FOLDERS: dict[str, Folder] = {}


class NotFoldable(Exception):
    """The value is dynamic."""


def folds(*names: str) -> Callable[[Folder], Folder]:
    """Registers the decorated function for graph ops."""

    def register_folder(function: Folder) -> Folder:
        FOLDERS.update(dict.fromkeys(names, function))
        return function

    return register_folder


def check_no_sizes(arrays: Sequence[np.ndarray]) -> None:
    """Raises NotFoldable where an element is a size."""
    if holds_sizes(*arrays):
        raise NotFoldable


def holds_sizes(*arrays: np.ndarray) -> bool:
    """Whether an element is a size of named dims."""
    return any(isinstance(element, Size) for a in arrays if a.dtype == object for element in a.flat)
