"""Folds ops that move elements, and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .registry import LIMIT, NotFoldable, check_no_sizes, folds


@folds("reshape")
def _reshape(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    return arrays[0].reshape(attributes["shape"])


@folds("transpose")
def _transpose(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    return np.asarray(np.transpose(arrays[0], attributes["permutation"]), order="C")


@folds("concat")
def _concat(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    return np.concatenate(arrays, attributes["axis"])


@folds("slice")
def _slice(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    (array,) = arrays
    for axis, (start, size, step) in enumerate(
        zip(attributes["starts"], attributes["sizes"], attributes["steps"], strict=True)
    ):
        array = np.take(array, start + step * np.arange(size), axis)
    return array


@folds("expand")
def _expand(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    shape = np.broadcast_shapes(arrays[0].shape, tuple(attributes["shape"]))
    if np.prod(shape, dtype=float) > LIMIT:
        raise NotFoldable
    return np.broadcast_to(arrays[0], shape).copy()


@folds("gather")
def _gather(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    check_no_sizes(arrays[1:])
    return np.take(arrays[0], arrays[1].astype(np.int64), attributes["axis"])


@folds("squeeze")
def _squeeze(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    return np.squeeze(arrays[0], tuple(attributes["axes"]))


@folds("unsqueeze")
def _unsqueeze(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    return np.expand_dims(arrays[0], tuple(attributes["axes"]))


@folds("tile")
def _tile(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    if arrays[0].size * np.prod(attributes["repeats"], dtype=float) > LIMIT:
        raise NotFoldable
    return np.tile(arrays[0], attributes["repeats"])


@folds("range")
def _range(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
    check_no_sizes(arrays)
    start, limit, delta = (a.item() for a in arrays)
    if delta == 0 or abs((limit - start) / delta) > LIMIT:
        raise NotFoldable
    if arrays[0].dtype.kind not in "iuO":
        raise NotFoldable
    return np.arange(start, limit, delta).astype(arrays[0].dtype)
