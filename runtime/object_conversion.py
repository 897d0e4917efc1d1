"""Converts strings, sequences, optionals and maps to and from the ids that compiled code has for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from mlc.runtime._native import Objects
from mlc.runtime.arguments import convert_value
from mlc.runtime.tensors import TensorSpec

# Indexed by ONNX's element types.
_ELEMENTS = (
    "none float32 uint8 int8 uint16 int16 int32 int64 string bool float16 float64 uint32 uint64 complex64"
    " complex128 bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz uint4 int4 float4_e2m1fn"
    " float8_e8m0fnu uint2 int2 float6_e2m3fn float6_e3m2fn"
).split()
_ID = _ELEMENTS.index("int64")
# An element of a sequence as the table takes it: its ONNX element type, shape and data.
Element = tuple[int, tuple[int, ...], Any]


class ObjectEdges:
    """Calls a program whose inputs or outputs are partly strings, sequences, optionals or maps.

    A tensor of strings is an array of `str` (dtype object for outputs), a sequence a list of arrays, an
    optional None or its value, a map a dict.
    """

    def __init__(
        self, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], strings: Sequence[str]
    ) -> None:
        self._inputs = inputs
        self._given = [index for index, spec in enumerate(inputs) if spec.is_object]
        self._returned = [(i, _form(spec.dtype)) for i, spec in enumerate(outputs) if spec.is_object]
        # Peak bytes of the objects of a call.
        self.peak_bytes = 0
        self._constants = Objects()
        # Id 0 is the empty string.
        self._constants.ids(np.array(["", *strings[1:]], object))

    def call(self, program: Callable[..., list[Any]], arrays: Sequence[Any], *out: Any) -> list[Any]:
        """Calls the program, which takes and returns ids, and returns its outputs. `out` may be a list of
        arrays for outputs that are not objects. Raises TypeError for other values, and what the program
        raises."""
        objects, given = Objects(self._constants), list(arrays)
        for index in self._given:
            if index < len(given):
                given[index] = _to_ids(objects, self._inputs[index], given[index])
        try:
            results = objects.run(program, given, *out)
        finally:
            self.peak_bytes = max(self.peak_bytes, objects.peak_bytes)
        for index, form in self._returned:
            results[index] = objects.value(form, results[index])
        return results


class _WrongElement(TypeError):
    """An invalid element of a sequence, which the message begins with."""


_WRONG = (TypeError, ValueError, OverflowError, UnicodeError)


def _to_ids(objects: Objects, spec: TensorSpec, value: Any) -> np.ndarray:
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
    if constructor == "optional":
        items = [] if value is None else _elements(objects, element, value)
    elif constructor == "map":
        items = _elements(objects, dtype, value)
    elif isinstance(value, list | tuple):
        items = [part for item in enumerate(value) for part in _indexed_elements(objects, element, *item)]
    else:
        raise TypeError("expected a list of arrays")
    return np.asarray(objects.sequence(items))


def _indexed_elements(objects: Objects, dtype: str, index: int, value: Any) -> list[Element]:
    """Like `_elements`; errors name the index, and the rank of an array."""
    try:
        return _elements(objects, dtype, value)
    except _WRONG as error:
        rank = f" of rank {value.ndim}" if isinstance(value, np.ndarray) else ""
        raise _WrongElement(f"element {index}{rank}: {error}") from error


def _elements(objects: Objects, dtype: str, value: Any) -> list[Element]:
    """Returns what a value is in a sequence: one element, or two vectors for a map, its keys and values."""
    if not dtype.startswith("map("):
        return [_element(objects, dtype, value)]
    if not isinstance(value, Mapping):
        raise TypeError("expected a dict")
    types = _parts(dtype)[1].split(",")
    vectors = zip(types, (list(value), list(value.values())), strict=True)
    return [_vector(objects, *vector) for vector in vectors]


def _vector(objects: Objects, dtype: str, items: list[Any]) -> Element:
    if dtype == "string":
        return _element(objects, dtype, np.array(items, object))
    return _element(objects, dtype, np.array(items, TensorSpec("", dtype, ()).numpy_dtype))


def _string_ids(objects: Objects, value: Any) -> np.ndarray:
    # Arrays of text leave out NULs at the end.
    array = value if isinstance(value, np.ndarray) else np.asarray(value, object)
    if array.dtype.kind not in "UOST":
        raise TypeError(f"expected strings, got {array.dtype}")
    ids = objects.ids(np.asarray(array, object, order="C"))
    return np.ndarray(array.shape, np.int64, ids)


def _element(objects: Objects, dtype: str, value: Any) -> Element:
    if TensorSpec("", dtype, ()).is_object:
        array = _ids(objects, dtype, value)
        return _ID, array.shape, np.ascontiguousarray(array).reshape(-1)
    array = convert_value(TensorSpec("", dtype, ()), value)
    return _ELEMENTS.index(dtype), array.shape, array.reshape(-1).view(np.uint8)


def _form(dtype: str) -> tuple[Any, ...]:
    """Returns the type of an output as `Objects.value` takes it."""
    if dtype in _ELEMENTS:
        spec = TensorSpec("", dtype, ())
        return "tensor", _ELEMENTS.index(dtype), np.ndarray, spec.numpy_dtype
    constructor, element = _parts(dtype)
    parts = element.split(",") if constructor == "map" else [element]
    return constructor, *map(_form, parts)


@cache
def _parts(dtype: str) -> tuple[str, str]:
    """Splits the type of a sequence, optional or map into constructor and element type, or "key,value"."""
    found = re.fullmatch(r"(sequence|optional|map)\((.*)\)", dtype)
    assert found, "the manifest is checked"
    return found[1], found[2]
