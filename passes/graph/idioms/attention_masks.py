"""Classification of attention masks: none, causal, or any other. Weights are known by the hash of their
bytes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.rewriting import defining_op
from mlc.passes.graph.common.values import constant_array, dtype, is_static, splat

Dim = int | Size

# A score this low has no weight next to any score that a model computes.
_LOWEST = -1e30
# Larger masks take longer to hash than is worth it.
_HASHED = 1 << 22


@dataclass
class MaskChoice:
    """Scores become `fill` where `mask` is false, where it is true if `negative`."""

    mask: ir.Value
    fill: float
    negative: bool = False


@dataclass
class Masks:
    """The masks of scores: `added` values, and choices. `added_last`: also to scores that are chosen, so that
    `fill` of those becomes less."""

    added: list[ir.Value] = field(default_factory=list)
    chosen: list[MaskChoice] = field(default_factory=list)
    causal: bool = False
    added_last: bool = False


def _triangle(rows: int, keys: int) -> np.ndarray:
    """Returns the keys that a causal mask leaves: query s sees key t where `t - s <= keys - rows`."""
    return np.tri(rows, keys, keys - rows, dtype=bool)


@lru_cache(maxsize=64)
def _hashes(rows: int, keys: int, element: str) -> dict[str, str]:
    """The category of a mask of rows x keys by the hash of its bytes, as weights carry it."""
    triangle = _triangle(rows, keys)
    if element == "i1":
        arrays = {"all": [np.ones_like(triangle)], "causal": [triangle], "inverse": [~triangle]}
    else:
        element_dtype = dtype_of(element)
        fills = (-np.inf, np.finfo(element_dtype).min)
        masks = [np.where(triangle, 0, fill).astype(element_dtype) for fill in fills]
        arrays = {"all": [np.zeros(triangle.shape, element_dtype)], "causal": masks}
    return {
        hashlib.blake2b(array.tobytes(), digest_size=16).hexdigest(): category
        for category, variants in arrays.items()
        for array in variants
    }


def _size(value: ir.Value) -> tuple[int, int] | None:
    """Rows and keys of a static mask whose other dims are 1."""
    shape = list(graph.shape_of(value))
    alone = is_static(value) and len(shape) >= 2 and all(dim == 1 for dim in shape[:-2])
    return (shape[-2], shape[-1]) if alone else None


def _of_weight(op: ir.Operation) -> str:
    """The category of a mask that is a weight."""
    size, element = _size(op.results[0]), str(graph.element_type(op.results[0]))
    if size is None or element not in ("i1", "f32", "f16") or size[0] * size[1] > _HASHED:
        return ""
    return _hashes(*size, element).get(graph.attribute(op, "hash"), "")


def _of_array(value: ir.Value, array: np.ndarray) -> str:
    """The category of a mask that is a constant."""
    size = _size(value)
    keeps = array if array.dtype == bool else array == 0
    drops = ~array if array.dtype == bool else array <= lowest(value)
    if keeps.all():
        return "all"
    if size is None:
        return ""
    triangle = _triangle(*size)
    if np.where(triangle, keeps, drops).all():
        return "causal"
    return "inverse" if array.dtype == bool and np.where(triangle, drops, keeps).all() else ""


def category_of(value: ir.Value) -> str:
    """Classifies a mask, true where scores stay or with values added to them: "all" if it excludes nothing,
    "causal", "inverse" if it is true where a causal one is false, or "" for any other."""
    op = defining_op(value)
    if op is None:
        return ""
    if op.name == graph.Weight.NAME:
        return _of_weight(op)
    if op.name == graph.Constant.NAME:
        array = constant_array(value)
        return "" if array is None else _of_array(value, np.asarray(array))
    if op.name == graph.Where.NAME:
        return _of_choice(op)
    if op.name == graph.And.NAME:
        one, other = op.operands
        return _of_both(category_of(one), category_of(other), same=graph.same_type(one, other))
    return _of_triangle(op) if op.name == graph.Trilu.NAME else ""


def _of_choice(op: ir.Operation) -> str:
    """The category of `where(mask, 0, very low)`, or of the other way round."""
    mask, kept, dropped = op.operands
    low = splat(dropped)
    if splat(dropped) == 0:
        category, low = category_of(mask), splat(kept)
        category = "causal" if category == "inverse" else ""
    else:
        category = category_of(mask).replace("inverse", "") if splat(kept) == 0 else ""
    return category if low is not None and low <= lowest(op.results[0]) else ""


def _of_both(one: str, other: str, same: bool) -> str:
    """The category of the conjunction of two masks, which may broadcast where one excludes nothing."""
    if "all" in (one, other):
        return other if one == "all" else one
    return one if one == other and same else ""


def _of_triangle(op: ir.Operation) -> str:
    """The category of `trilu(full(very low))`, the upper triangle without what a causal mask leaves."""
    size, low = _size(op.results[0]), splat(op.operands[0])
    if size is None or low is None:
        return ""
    upper, k = graph.attribute(op, "upper"), graph.attribute(op, "k")
    rows, keys = size
    if str(graph.element_type(op.results[0])) == "i1":
        return "causal" if low == 1 and not upper and k == keys - rows else ""
    return "causal" if low <= lowest(op.results[0]) and upper and k == keys - rows + 1 else ""


def lowest(like: ir.Value) -> float:
    """The value below which a score counts as excluded, for a type of elements."""
    if not isinstance(graph.element_type(like), ir.F16Type):
        return _LOWEST
    return float(np.finfo(dtype(like)).min)


def simplify_masks(masks: Masks, like: ir.Value, rows: Dim, keys: Dim) -> Masks:
    """The same without masks that exclude nothing, and with causal ones told apart where they span all
    scores, which have the elements of `like`."""
    result = Masks(added_last=masks.added_last)
    for value in masks.added:
        category = _spanning(value, category_of(value), rows, keys)
        result.causal |= category == "causal"
        result.added += [value] if not category else []
    for choice in masks.chosen:
        category = _spanning(choice.mask, _category_of_choice(choice), rows, keys)
        causal = category == "causal" and choice.fill <= lowest(like)
        result.causal |= causal
        result.chosen += [] if causal or category == "all" else [choice]
    return result


def _category_of_choice(choice: MaskChoice) -> str:
    category = category_of(choice.mask)
    if choice.negative:
        return "causal" if category == "inverse" else ""
    return "" if category == "inverse" else category


def _spanning(value: ir.Value, category: str, rows: Dim, keys: Dim) -> str:
    """The category of a mask, "" if it is causal for other counts of rows and keys."""
    return category if category != "causal" or _size(value) == (rows, keys) else ""
