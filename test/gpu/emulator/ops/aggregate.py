"""Vectors, structs and arrays: taking apart and putting together."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ..decode import Op
from ..registry import op
from ..unit import Unit
from ..values import Value

_DYNAMIC = -(1 << 63)
_COMBINE = {
    "add": np.add, "mul": np.multiply, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "minui": np.minimum, "maxui": np.maximum, "minnumf": np.fmin, "maxnumf": np.fmax, "minimumf": np.minimum,
    "maximumf": np.maximum,
}  # fmt: skip


@op("llvm.extractvalue")
def _extractvalue(unit: Unit, op: Op, aggregate: Value) -> Value:
    return reduce(lambda value, index: value[index], op.attributes["position"], aggregate)


@op("llvm.insertvalue")
def _insertvalue(unit: Unit, op: Op, aggregate: Value, value: Value) -> Value:
    return _replace(aggregate, op.attributes["position"], value)


def _replace(aggregate: Value, position: list[int], value: Value) -> Value:
    if not position:
        return value
    first, *rest = position
    return (*aggregate[:first], _replace(aggregate[first], rest, value), *aggregate[first + 1 :])


@op("llvm.extractelement")
def _extractelement(unit: Unit, op: Op, vector: np.ndarray, position: np.ndarray) -> np.ndarray:
    return _take(vector, [position])


@op("llvm.insertelement")
def _insertelement(
    unit: Unit, op: Op, vector: np.ndarray, value: np.ndarray, position: np.ndarray
) -> np.ndarray:
    return _put(vector, value, [position])


def _positions(op: Op, dynamic: tuple[np.ndarray, ...]) -> list[Any]:
    """The static and dynamic positions of vector.extract and vector.insert."""
    rest = iter(dynamic)
    return [next(rest) if index == _DYNAMIC else index for index in op.attributes["static_position"]]


def _index(positions: list[Any], lanes: int) -> tuple[Any, ...]:
    """An index of [lanes, ...]; positions per lane are kept inside the vector, for inactive lanes."""
    return (np.arange(lanes), *(p.astype(np.int64) if isinstance(p, np.ndarray) else p for p in positions))


def _lanes(*values: Any) -> int:
    return max(len(value) for value in values if isinstance(value, np.ndarray))


def _take(vector: np.ndarray, positions: list[Any]) -> np.ndarray:
    if not any(isinstance(position, np.ndarray) for position in positions):
        return vector[(slice(None), *positions)]
    lanes = _lanes(vector, *positions)
    return np.broadcast_to(vector, (lanes, *vector.shape[1:]))[_index(positions, lanes)]


def _put(vector: np.ndarray, value: np.ndarray, positions: list[Any]) -> np.ndarray:
    lanes = _lanes(vector, value, *positions)
    result = np.array(np.broadcast_to(vector, (lanes, *vector.shape[1:])))
    result[_index(positions, lanes)] = value
    return result


@op("vector.extract")
def _extract(unit: Unit, op: Op, vector: np.ndarray, *dynamic: np.ndarray) -> np.ndarray:
    return _take(vector, _positions(op, dynamic))


@op("vector.insert")
def _insert(unit: Unit, op: Op, value: np.ndarray, vector: np.ndarray, *dynamic: np.ndarray) -> np.ndarray:
    return _put(vector, value, _positions(op, dynamic))


@op("vector.from_elements")
def _from_elements(unit: Unit, op: Op, *elements: np.ndarray) -> np.ndarray:
    stacked = np.stack(np.broadcast_arrays(*elements), 1)
    return stacked.reshape(len(stacked), *op.result_types[0].shape)


@op("vector.to_elements")
def _to_elements(unit: Unit, op: Op, vector: np.ndarray) -> Any:
    elements = list(np.moveaxis(vector.reshape(len(vector), -1), 1, 0))
    return elements if len(elements) > 1 else elements[0]


@op("vector.broadcast", "vector.splat")
def _broadcast(unit: Unit, op: Op, value: np.ndarray) -> np.ndarray:
    shape = op.result_types[0].shape
    missing = len(shape) - (value.ndim - 1)
    return np.broadcast_to(value.reshape(len(value), *(1,) * missing, *value.shape[1:]), (len(value), *shape))


@op("vector.shape_cast")
def _shape_cast(unit: Unit, op: Op, vector: np.ndarray) -> np.ndarray:
    return vector.reshape(len(vector), *op.result_types[0].shape)


@op("vector.transpose")
def _transpose(unit: Unit, op: Op, vector: np.ndarray) -> np.ndarray:
    return vector.transpose(0, *(1 + dim for dim in op.attributes["permutation"]))


@op("vector.step")
def _step(unit: Unit, op: Op) -> np.ndarray:
    return np.arange(op.result_types[0].shape[0], dtype=np.uint64)[None]


def _strided_slices(op: Op, sizes: list[int]) -> tuple[slice, ...]:
    offsets = op.attributes["offsets"]
    return (slice(None), *(slice(start, start + size) for start, size in zip(offsets, sizes, strict=False)))


@op("vector.extract_strided_slice")
def _extract_strided_slice(unit: Unit, op: Op, vector: np.ndarray) -> np.ndarray:
    return vector[_strided_slices(op, op.attributes["sizes"])]


@op("vector.insert_strided_slice")
def _insert_strided_slice(unit: Unit, op: Op, value: np.ndarray, vector: np.ndarray) -> np.ndarray:
    result = np.array(np.broadcast_to(vector, (_lanes(value, vector), *vector.shape[1:])))
    leading = [1] * (vector.ndim - value.ndim)
    result[_strided_slices(op, [*leading, *value.shape[1:]])] = value.reshape(
        len(value), *leading, *value.shape[1:]
    )
    return result


@op("vector.shuffle", "llvm.shufflevector")
def _shuffle(unit: Unit, op: Op, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    lanes, mask = _lanes(first, second), op.attributes["mask"]
    pair = [np.broadcast_to(vector, (lanes, *vector.shape[1:])) for vector in (first, second)]
    return np.concatenate(pair, 1)[:, mask]


@op("vector.reduction")
def _reduction(unit: Unit, op: Op, vector: np.ndarray, *initial: np.ndarray) -> np.ndarray:
    combiner = op.variant
    return reduce(_COMBINE[combiner], [*np.moveaxis(vector, 1, 0), *initial])


@op("builtin.unrealized_conversion_cast")
def _cast(unit: Unit, op: Op, value: Value) -> Value:
    """Casts between types of equal representation (index and i64)."""
    if op.operand_types != op.result_types:
        unit.fail("casts between values that are held differently")
    return value
