"""Tensors in .npz files, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np


def save_tensors(path: Path, tensors: Mapping[str, np.ndarray]) -> None:
    """Writes named tensors as an .npz file, strings with a fixed width: Python's objects would be pickled."""
    save: Callable[..., None] = np.savez
    save(path, **{name: _without_objects(tensor) for name, tensor in tensors.items()})


def load_tensors(path: Path | str) -> dict[str, np.ndarray]:
    """Returns the dense tensors of an .npz file by name, of the shapes that they have there."""
    with np.load(path) as file:
        return {name: _dense(file[name]) for name in file.files}


def _dense(tensor: np.ndarray) -> np.ndarray:
    # Not ascontiguousarray, which makes a vector of a scalar.
    return tensor.astype(object) if np.issubdtype(tensor.dtype, np.str_) else np.asarray(tensor, order="C")


def _without_objects(tensor: np.ndarray) -> np.ndarray:
    return tensor.astype(str) if tensor.dtype == object else tensor
