"""Converts strings, sequences, optionals and maps to and from the ids that compiled code has for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime.arguments import convert_value
from mlc.runtime.tensors import TensorSpec

if TYPE_CHECKING:
    from mlc.runtime._native import Objects

# Indexed by ONNX's element types.
_ELEMENTS = (
    "none float32 uint8 int8 uint16 int16 int32 int64 string bool float16 float64 uint32 uint64 complex64"
    " complex128 bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz uint4 int4 float4_e2m1fn"
    " float8_e8m0fnu uint2 int2 float6_e2m3fn float6_e3m2fn"
).split()
_ID = _ELEMENTS.index("int64")


class ObjectEdges:
    """Calls a program whose inputs or outputs are partly strings, sequences, optionals or maps.

    A tensor of strings is an array of `str` (dtype object for outputs), a sequence a list of arrays, an
    optional None or its value, a map a dict.
    """

    def __init__(
        self, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], strings: Sequence[str]
    ) -> None:
        from mlc.runtime._native import Objects

        self._inputs, self._outputs = inputs, outputs
        # Peak bytes of the objects of a call.
        self.peak_bytes = 0
        self._constants = Objects()
        # Id 0 is the empty string.
        self._constants.ids(["", *strings[1:]])

    def call(self, program: Callable[..., list[Any]], arrays: Sequence[Any], *out: Any) -> list[Any]:
        """Calls the program, which takes and returns ids, and returns its outputs. `out` may be a list of
        arrays for outputs that are not objects. Raises TypeError for other values, and what the program
        raises."""
        from mlc.runtime._native import Objects

        objects = Objects(self._constants)
        given = [
            _to_ids(objects, self._inputs, index, value) if index < len(self._inputs) else value
            for index, value in enumerate(arrays)
        ]
        try:
            results = objects.run(program, given, *out)
        finally:
            self.peak_bytes = max(self.peak_bytes, objects.peak_bytes)
        return [
            _from_ids(objects, spec.dtype, array) if spec.is_object else array
            for spec, array in zip(self._outputs, results, strict=True)
        ]


class _WrongElement(TypeError):
    """An invalid element of a sequence, which the message begins with."""


_WRONG = (TypeError, ValueError, OverflowError, UnicodeError)


def _to_ids(objects: Objects, specs: Sequence[TensorSpec], index: int, value: Any) -> Any:
    spec = specs[index]
    if not spec.is_object:
        return value
    try:
        return _ids(objects, spec.dtype, value)
    except _WrongElement as error:
        raise TypeError(f"input '{spec.name}', {error}") from error
    except MemoryError as error:
        raise MemoryError(f"input '{spec.name}': {error}") from error
    except _WRONG as error:
        name = type(value).__name__
        raise TypeError(f"input '{spec.name}': cannot use a {name} as {spec.dtype}: {error}") from error


def _ids(objects: Objects, dtype: str, value: Any) -> np.ndarray:
    """Returns an array of the ids of strings, or of the id of another object."""
    if dtype == "string":
        return _string_ids(objects, value)
    constructor, element = _parts(dtype)
    if constructor == "map":
        return _map_id(objects, element, value)
    if constructor == "optional":
        items = [] if value is None else [_element(objects, element, value)]
    elif isinstance(value, list | tuple):
        items = [_indexed_element(objects, element, *item) for item in enumerate(value)]
    else:
        raise TypeError("expected a list of arrays")
    return np.asarray(objects.sequence(items))


def _indexed_element(
    objects: Objects, dtype: str, index: int, value: Any
) -> tuple[int, tuple[int, ...], Any]:
    """Like `_element`; errors name the index, and the rank of an array."""
    try:
        return _element(objects, dtype, value)
    except _WRONG as error:
        rank = f" of rank {value.ndim}" if isinstance(value, np.ndarray) else ""
        raise _WrongElement(f"element {index}{rank}: {error}") from error


def _map_id(objects: Objects, types: str, value: Any) -> np.ndarray:
    """Returns a map's id: that of the sequence of its keys and values, which have `types`."""
    if not isinstance(value, Mapping):
        raise TypeError("expected a dict")
    vectors = zip(types.split(","), (list(value), list(value.values())), strict=True)
    return np.asarray(objects.sequence([_vector(objects, *vector) for vector in vectors]))


def _vector(objects: Objects, dtype: str, items: list[Any]) -> tuple[int, tuple[int, ...], Any]:
    if dtype == "string":
        return _element(objects, dtype, np.array(items, object))
    return _element(objects, dtype, np.array(items, TensorSpec("", dtype, ()).numpy_dtype))


def _string_ids(objects: Objects, value: Any) -> np.ndarray:
    # Arrays of text leave out NULs at the end.
    array = value if isinstance(value, np.ndarray) else np.asarray(value, object)
    if array.dtype.kind not in "UOST":
        raise TypeError(f"expected strings, got {array.dtype}")
    return np.frombuffer(objects.ids(array.reshape(-1).tolist()), np.int64).reshape(array.shape)


def _element(objects: Objects, dtype: str, value: Any) -> tuple[int, tuple[int, ...], Any]:
    """Returns an element of a sequence as the table takes it: its ONNX element type, shape and data."""
    if TensorSpec("", dtype, ()).is_object:
        array = _ids(objects, dtype, value)
        return _ID, array.shape, np.ascontiguousarray(array).reshape(-1)
    array = convert_value(TensorSpec("", dtype, ()), value)
    return _ELEMENTS.index(dtype), array.shape, array.reshape(-1).view(np.uint8)


def _from_ids(objects: Objects, dtype: str, array: np.ndarray) -> Any:
    if dtype == "string":
        result = np.empty(array.size, object)
        result[:] = objects.texts(np.ascontiguousarray(array).data)
        return result.reshape(array.shape)
    constructor, element = _parts(dtype)
    if constructor == "map":
        vectors = zip(element.split(","), objects.elements(int(array)), strict=True)
        keys, values = (_value(objects, item, *vector).tolist() for item, vector in vectors)
        return dict(zip(keys, values, strict=True))
    items = [_value(objects, element, *item) for item in objects.elements(int(array))]
    if constructor == "optional":
        return items[0] if items else None
    return items


def _value(objects: Objects, dtype: str, element_type: int, shape: tuple[int, ...], memory: Any) -> Any:
    """Returns the value of an element of a sequence."""
    spec = TensorSpec("", dtype, ())
    if spec.is_object:
        return _from_ids(objects, dtype, np.frombuffer(memory, np.int64).reshape(shape))
    assert _ELEMENTS[element_type] == dtype, "compiled code makes sequences of their declared types"
    return np.frombuffer(memory, spec.numpy_dtype).reshape(shape)


@cache
def _parts(dtype: str) -> tuple[str, str]:
    """Splits the type of a sequence, optional or map into constructor and element type, or "key,value"."""
    found = re.fullmatch(r"(sequence|optional|map)\((.*)\)", dtype)
    assert found, "the manifest is checked"
    return found[1], found[2]
