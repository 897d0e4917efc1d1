"""What graph ops mean that read or write at places which a tensor names, or order elements: in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray

_JOIN: dict[str, Callable[[Array, Array], Array]] = {
    "none": lambda _old, update: update,
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def _gather_nd(data: Array, indices: Array, batch_dims: int) -> Array:
    batch = np.indices(indices.shape[:-1], sparse=True)[:batch_dims]
    return data[(*batch, *np.moveaxis(indices, -1, 0))]


def _scatter_elements(data: Array, indices: Array, updates: Array, axis: int, reduction: str) -> Array:
    result = data.copy()
    for at in np.ndindex(indices.shape):
        place = (*at[:axis], indices[at], *at[axis + 1 :])
        result[place] = _JOIN[reduction](result[place], updates[at])
    return result


def _scatter_nd(data: Array, indices: Array, updates: Array, reduction: str) -> Array:
    result = data.copy()
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(indices[at])
        result[place] = _JOIN[reduction](result[place], updates[at])
    return result


def _top_k(x: Array, axis: int, k: int, largest: bool, sorted: bool) -> tuple[Array, Array]:
    """Sorted also where any order would do."""
    places = np.argsort(x, axis, kind="stable")
    if largest:
        # Of the elements in reverse, so that of equal ones the first is the last of them.
        back = np.argsort(np.flip(x, axis), axis, kind="stable")
        places = x.shape[axis] - 1 - np.flip(back, axis)
    indices = np.take(places, np.arange(k), axis)
    return np.take_along_axis(x, indices, axis), indices


INDEXED_OPS: dict[str, Callable[..., Array | tuple[Array, ...]]] = {
    "gather_nd": _gather_nd,
    "scatter_elements": _scatter_elements,
    "scatter_nd": _scatter_nd,
    "top_k": _top_k,
    "det": lambda x: np.asarray(np.linalg.det(x)),
}
