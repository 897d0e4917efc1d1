"""Graph ops that read or write at indices in a tensor, or that order elements, in NumPy."""

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
        position = (*at[:axis], indices[at], *at[axis + 1 :])
        result[position] = _JOIN[reduction](result[position], updates[at])
    return result


def _scatter_nd(data: Array, indices: Array, updates: Array, reduction: str) -> Array:
    result = data.copy()
    for at in np.ndindex(indices.shape[:-1]):
        position = tuple(indices[at])
        result[position] = _JOIN[reduction](result[position], updates[at])
    return result


def _top_k(x: Array, axis: int, k: int, largest: bool, sorted: bool) -> tuple[Array, Array]:
    """Returns the largest or smallest elements and their indices, always sorted."""
    order = np.argsort(x, axis, kind="stable")
    if largest:
        # Of the elements in reverse, so that of equal ones the first is the last of them.
        back = np.argsort(np.flip(x, axis), axis, kind="stable")
        order = x.shape[axis] - 1 - np.flip(back, axis)
    indices = np.take(order, np.arange(x.shape[axis] if k == -1 else k), axis)
    return np.take_along_axis(x, indices, axis), indices


def _pad_to_extent(values: Array, extent: int, axis: int) -> tuple[Array, Array]:
    """Returns the values padded with zeros to the largest size, and their count."""
    missing = [(0, extent - size if dim == axis else 0) for dim, size in enumerate(values.shape)]
    return np.pad(values, missing), np.array(values.shape[axis])


def _compress(x: Array, condition: Array, axis: int) -> tuple[Array, Array]:
    return _pad_to_extent(np.compress(condition, x, axis), len(condition), axis)


def _unique(x: Array, sorted: bool) -> tuple[Array, ...]:
    values, first, inverse, counts = np.unique(x, True, True, True)
    order = np.arange(len(first)) if sorted else np.argsort(first)
    inverse_indices = np.argsort(order)[inverse]
    found = [_pad_to_extent(array[order], x.size, 0)[0] for array in (values, first, counts)]
    return found[0], found[1], inverse_indices, found[2], np.array(len(first))


def _non_max_suppression(
    boxes: Array,
    scores: Array,
    limits: Array | None = None,
    *,
    most: int,
    iou_threshold: float,
    score_threshold: float | None,
    center_point_box: bool,
) -> tuple[Array, Array]:
    images, classes, count = scores.shape
    size = images * classes * min(most, count)
    if limits is not None:
        most, (iou_threshold, score_threshold) = min(most, int(limits[0])), limits[1:]
    rows: list[tuple[int, int, int]] = []
    for image, class_ in np.ndindex(images, classes):
        corners = _corners(boxes[image], center_point_box)
        chosen: list[int] = []
        for box in np.argsort(-scores[image, class_], kind="stable"):
            low = score_threshold is not None and not scores[image, class_, box] > score_threshold
            overlaps = [_overlap(corners[box], corners[other]) > iou_threshold for other in chosen]
            if len(chosen) < most and not low and not any(overlaps):
                chosen.append(int(box))
        rows += [(image, class_, box) for box in chosen]
    found = np.array(rows, np.int64).reshape(-1, 3)
    return _pad_to_extent(found, size, 0)


def _corners(boxes: Array, center: bool) -> Array:
    """Low and high points `[B, 2, 2]`."""
    one, other = boxes[:, :2], boxes[:, 2:]
    pair = (one - other / 2, one + other / 2) if center else (np.minimum(one, other), np.maximum(one, other))
    return np.stack(pair, 1)


def _overlap(a: Array, b: Array) -> float:
    common = np.prod(np.maximum(0, np.minimum(a[1], b[1]) - np.maximum(a[0], b[0])))
    union = np.prod(a[1] - a[0]) + np.prod(b[1] - b[0]) - common
    return float(common / union) if union > 0 else 0.0


INDEXED_OPS: dict[str, Callable[..., Array | tuple[Array, ...]]] = {
    "gather_nd": _gather_nd,
    "scatter_elements": _scatter_elements,
    "scatter_nd": _scatter_nd,
    "top_k": _top_k,
    "compress": _compress,
    "non_zero": lambda x: _pad_to_extent(np.stack(np.nonzero(x)), x.size, 1),
    "unique": _unique,
    "non_max_suppression": _non_max_suppression,
    "det": lambda x: np.asarray(np.linalg.det(x)),
}
