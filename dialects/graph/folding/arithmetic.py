"""Folds arithmetic, comparisons, logic and reductions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from mlc.dialects.graph.sizes import Size, Undecided, differ, maximum, minimum

from .registry import FOLDERS, Folder, NotFoldable, check_no_sizes, folds, holds_sizes


def _elementwise(function: Callable[..., Any], symbols: bool = False) -> Folder:
    def fold_elementwise(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
        if not symbols:
            check_no_sizes(arrays)
        result = np.asarray(function(*arrays))
        keep = arrays[-1].dtype
        return result.astype(keep) if result.dtype.kind not in "bO" and keep != np.dtype(object) else result

    return fold_elementwise


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Divides as ONNX does: integers truncate towards zero."""
    if a.dtype.kind not in "iuO":
        return np.true_divide(a, b)
    if holds_sizes(a, b):
        if not np.all(np.greater_equal(a, 0)) or not np.all(np.greater(b, 0)):
            raise NotFoldable
        return np.floor_divide(a, b)
    if np.any(b == 0):
        raise NotFoldable
    # From the floor: the absolute value of the least integer overflows its type.
    quotient = np.floor_divide(a, b)
    inexact = (np.remainder(a, b) != 0) & ((a < 0) ^ (b < 0))
    return np.where(inexact, quotient + inexact.astype(quotient.dtype), quotient)


def _on_sizes(function: Callable[..., Any], sizes: Callable[..., Any], dtype: Any = object) -> Any:
    """Returns `function` for arrays of numeric dtype and `sizes`, element by element, for those of sizes."""
    by_element = np.frompyfunc(sizes, 2, 1)

    def apply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(by_element(a, b)).astype(dtype) if holds_sizes(a, b) else function(a, b)

    return apply


def _same(a: int | Size, b: int | Size) -> bool:
    if a != b and not differ(a, b):
        raise Undecided(f"{a} == {b}")
    return bool(a == b)


_EXACT: dict[str, Callable[..., Any]] = {
    "neg": np.negative, "abs": np.abs,
    "floor": np.floor, "ceil": np.ceil, "round": np.rint, "sqrt": np.sqrt, "sign": np.sign,
    "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor, "not": np.logical_not,
}  # fmt: skip
# Operations that sizes have, too.
_INTEGER: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": _divide,
    "min": _on_sizes(np.minimum, minimum), "max": _on_sizes(np.maximum, maximum),
    "equal": _on_sizes(np.equal, _same, bool),
    "less": _on_sizes(np.less, operator.lt, bool), "less_equal": _on_sizes(np.less_equal, operator.le, bool),
    "greater": _on_sizes(np.greater, operator.gt, bool),
    "greater_equal": _on_sizes(np.greater_equal, operator.ge, bool),
}  # fmt: skip
FOLDERS.update({name: _elementwise(function) for name, function in _EXACT.items()})
FOLDERS.update({name: _elementwise(function, symbols=True) for name, function in _INTEGER.items()})


@folds("reciprocal")
def _reciprocal(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
    return (np.ones_like(arrays[0]) / arrays[0]).astype(arrays[0].dtype)


@folds("pow")
def _pow(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
    # Small integer powers only: others differ between implementations of pow.
    check_no_sizes(arrays)
    base, exponent = arrays
    if base.dtype.kind not in "iu" or np.any(exponent < 0):
        raise NotFoldable
    return np.power(base, exponent).astype(base.dtype)


@folds("mod")
def _mod(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    if holds_sizes(*arrays):
        return arrays[0] - _divide(*arrays) * arrays[1]
    if arrays[0].dtype.kind not in "iu" or np.any(arrays[1] == 0):
        raise NotFoldable
    return (np.fmod if attributes.get("fmod") else np.mod)(*arrays)


@folds("cast")
def _cast(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    (array,), dtype = arrays, attributes["dtype"]
    # Narrower and unsigned integers wrap around.
    if array.dtype == object and dtype in (np.int32, np.int64):
        return array
    check_no_sizes(arrays)
    if dtype.itemsize == 1 and dtype.type.__module__ == ml_dtypes.__name__:
        # Conversions of out-of-range values differ between these types.
        raise NotFoldable
    if array.dtype.kind == "f" and dtype.kind in "iu" and not np.all(np.abs(array) < 2.0**31):
        raise NotFoldable
    return array.astype(dtype)


@folds("where")
def _where(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
    condition, x, y = arrays
    if holds_sizes(condition):
        raise NotFoldable
    return np.where(condition, x, y)


def _reduction(function: Any) -> Folder:
    def fold_reduction(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
        (array,) = arrays
        if array.dtype.kind not in "iuO":
            raise NotFoldable
        if function in (np.maximum, np.minimum):
            check_no_sizes(arrays)
        result = function.reduce(array, axis=tuple(attributes["axes"]), keepdims=bool(attributes["keepdims"]))
        return np.asarray(result, array.dtype)

    return fold_reduction


for _name, _ufunc in {
    "reduce_sum": np.add, "reduce_prod": np.multiply, "reduce_max": np.maximum, "reduce_min": np.minimum
}.items():  # fmt: skip
    FOLDERS[_name] = _reduction(_ufunc)


@folds("cumsum")
def _cumsum(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    if attributes["exclusive"] or attributes["reverse"] or arrays[0].dtype.kind not in "iu":
        raise NotFoldable
    return np.cumsum(arrays[0], attributes["axis"], dtype=arrays[0].dtype)
