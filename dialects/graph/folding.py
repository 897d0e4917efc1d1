"""Shape arithmetic: graph ops on values of at most 1 KiB, evaluated in NumPy.

Not a second implementation of the operators: only what exporters put between Shape and Reshape, on values
exact in any order of evaluation. Elements may be `Size`s (dtype object). A function that cannot fold raises
`NotFoldable`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from .sizes import Size, Undecided, differ, maximum, minimum

# What may stand in the IR as a dense attribute.
LIMIT = 1024

Folder = Callable[[Sequence[np.ndarray], dict[str, Any]], np.ndarray]
_FOLDERS: dict[str, Folder] = {}


class NotFoldable(Exception):
    """The value is only known when the model runs."""


def fold(
    op: str, arrays: Sequence[np.ndarray], attributes: dict[str, Any], dtype: np.dtype | None
) -> np.ndarray | None:
    """The result of `graph.<op>` on known operands (`dtype`: the result's, for cast), or None."""
    folder = _FOLDERS.get(op)
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


def folds(*names: str) -> Callable[[Folder], Folder]:
    """Registers the decorated function for graph ops."""

    def register(function: Folder) -> Folder:
        _FOLDERS.update(dict.fromkeys(names, function))
        return function

    return register


def _concrete(arrays: Sequence[np.ndarray]) -> None:
    if any(isinstance(e, Size) for a in arrays if a.dtype == object for e in a.flat):
        raise NotFoldable


def _elementwise(function: Callable[..., Any], symbols: bool = False) -> Folder:
    def folder(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
        if not symbols:
            _concrete(arrays)
        result = np.asarray(function(*arrays))
        keep = arrays[-1].dtype
        return result.astype(keep) if result.dtype.kind not in "bO" and keep != np.dtype(object) else result

    return folder


def _holds_sizes(*arrays: np.ndarray) -> bool:
    return any(isinstance(each, Size) for a in arrays if a.dtype == object for each in a.flat)


def _divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """ONNX's division: integers truncate towards zero."""
    if a.dtype.kind not in "iuO":
        return np.true_divide(a, b)
    if _holds_sizes(a, b):
        if not np.all(np.greater_equal(a, 0)) or not np.all(np.greater(b, 0)):
            raise NotFoldable
        return np.floor_divide(a, b)
    if np.any(b == 0):
        raise NotFoldable
    # From the floor, for the least number has no absolute value of its type.
    quotient = np.floor_divide(a, b)
    inexact = (np.remainder(a, b) != 0) & ((a < 0) ^ (b < 0))
    return np.where(inexact, quotient + inexact.astype(quotient.dtype), quotient)


def _on_sizes(function: Callable[..., Any], sizes: Callable[..., Any], dtype: Any = object) -> Any:
    """`function` for arrays of numbers, `sizes`, element by element, for those that hold sizes."""
    by_element = np.frompyfunc(sizes, 2, 1)

    def either(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.asarray(by_element(a, b)).astype(dtype) if _holds_sizes(a, b) else function(a, b)

    return either


def _same(a: int | Size, b: int | Size) -> bool:
    if a != b and not differ(a, b):
        raise Undecided(f"{a} == {b}")
    return bool(a == b)


_EXACT: dict[str, Callable[..., Any]] = {
    "neg": np.negative, "abs": np.abs,
    "floor": np.floor, "ceil": np.ceil, "round": np.rint, "sqrt": np.sqrt, "sign": np.sign,
    "and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor, "not": np.logical_not,
}  # fmt: skip
# What sizes can do, too.
_INTEGER: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": _divide,
    "min": _on_sizes(np.minimum, minimum), "max": _on_sizes(np.maximum, maximum),
    "equal": _on_sizes(np.equal, _same, bool),
    "less": _on_sizes(np.less, operator.lt, bool), "less_equal": _on_sizes(np.less_equal, operator.le, bool),
    "greater": _on_sizes(np.greater, operator.gt, bool),
    "greater_equal": _on_sizes(np.greater_equal, operator.ge, bool),
}  # fmt: skip
_FOLDERS.update({name: _elementwise(function) for name, function in _EXACT.items()})
_FOLDERS.update({name: _elementwise(function, symbols=True) for name, function in _INTEGER.items()})


@folds("reciprocal")
def _reciprocal(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
    return (np.ones_like(arrays[0]) / arrays[0]).astype(arrays[0].dtype)


@folds("pow")
def _pow(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
    # Small integer powers only: others differ between implementations of pow.
    _concrete(arrays)
    base, exponent = arrays
    if base.dtype.kind not in "iu" or np.any(exponent < 0):
        raise NotFoldable
    return np.power(base, exponent).astype(base.dtype)


@folds("mod")
def _mod(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    if _holds_sizes(*arrays):
        return arrays[0] - _divide(*arrays) * arrays[1]
    if arrays[0].dtype.kind not in "iu" or np.any(arrays[1] == 0):
        raise NotFoldable
    return (np.fmod if attributes.get("fmod") else np.mod)(*arrays)


@folds("cast")
def _cast(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    (array,), dtype = arrays, attributes["dtype"]
    if array.dtype == object and dtype.kind in "iu":
        return array
    _concrete(arrays)
    if dtype.itemsize == 1 and dtype.type.__module__ == ml_dtypes.__name__:
        # What does not fit follows rules of its own.
        raise NotFoldable
    if array.dtype.kind == "f" and dtype.kind in "iu" and not np.all(np.abs(array) < 2.0**31):
        raise NotFoldable
    return array.astype(dtype)


@folds("where")
def _where(arrays: Sequence[np.ndarray], _: dict[str, Any]) -> np.ndarray:
    condition, x, y = arrays
    if _holds_sizes(condition):
        raise NotFoldable
    return np.where(condition, x, y)


def _reduction(function: Any) -> Folder:
    def folder(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
        (array,) = arrays
        if array.dtype.kind not in "iuO":
            raise NotFoldable
        if function in (np.maximum, np.minimum):
            _concrete(arrays)
        result = function.reduce(array, axis=tuple(attributes["axes"]), keepdims=bool(attributes["keepdims"]))
        return np.asarray(result, array.dtype)

    return folder


for _name, _ufunc in {
    "reduce_sum": np.add, "reduce_prod": np.multiply, "reduce_max": np.maximum, "reduce_min": np.minimum
}.items():  # fmt: skip
    _FOLDERS[_name] = _reduction(_ufunc)


@folds("reshape")
def _reshape(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    return arrays[0].reshape(attributes["shape"])


@folds("transpose")
def _transpose(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    return np.ascontiguousarray(np.transpose(arrays[0], attributes["permutation"]))


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
    _concrete(arrays[1:])
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
    _concrete(arrays)
    start, limit, delta = (a.item() for a in arrays)
    if delta == 0 or abs((limit - start) / delta) > LIMIT:
        raise NotFoldable
    if arrays[0].dtype.kind not in "iuO":
        raise NotFoldable
    return np.arange(start, limit, delta).astype(arrays[0].dtype)


@folds("cumsum")
def _cumsum(arrays: Sequence[np.ndarray], attributes: dict[str, Any]) -> np.ndarray:
    if attributes["exclusive"] or attributes["reverse"] or arrays[0].dtype.kind not in "iu":
        raise NotFoldable
    return np.cumsum(arrays[0], attributes["axis"], dtype=arrays[0].dtype)
