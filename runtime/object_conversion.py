"""Strings, sequences and optionals at the edges of a model: in compiled code they are numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime.arguments import converted
from mlc.runtime.tensors import TensorSpec

if TYPE_CHECKING:
    from mlc.runtime._native import Objects

# By ONNX's numbers of element types; strings are numbers.
_ELEMENTS = (
    "none float32 uint8 int8 uint16 int16 int32 int64 string bool float16 float64 uint32 uint64 complex64"
    " complex128 bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz uint4 int4 float4_e2m1fn"
    " float8_e8m0fnu uint2 int2 float6_e2m3fn float6_e3m2fn"
).split()
_NUMBER = _ELEMENTS.index("int64")


class ObjectEdges:
    """Calls a program whose inputs or outputs are partly strings, sequences or optionals.

    A tensor of strings is an array of `str` (dtype object for outputs), a sequence a list of arrays, an
    optional None or what it holds, a map a dict.
    """

    def __init__(
        self, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], strings: Sequence[str]
    ) -> None:
        from mlc.runtime._native import Objects

        self._inputs, self._outputs = inputs, outputs
        # The most memory that objects of a call have had at one time.
        self.peak_bytes = 0
        self._constants = Objects()
        # Number 0 is the empty string.
        self._constants.numbers(["", *strings[1:]])

    def call(self, program: Callable[..., list[Any]], arrays: Sequence[Any], *out: Any) -> list[Any]:
        """The outputs of the program, which takes and gives numbers, and may be given arrays for outputs that
        are none. Raises TypeError for what is no such object, and what the program raises."""
        from mlc.runtime._native import Objects

        objects = Objects(self._constants)
        given = [
            _to_numbers(objects, self._inputs, index, value) if index < len(self._inputs) else value
            for index, value in enumerate(arrays)
        ]
        try:
            results = objects.run(program, given, *out)
        finally:
            self.peak_bytes = max(self.peak_bytes, objects.peak_bytes)
        return [
            _from_numbers(objects, spec.dtype, array) if spec.is_object else array
            for spec, array in zip(self._outputs, results, strict=True)
        ]


class _WrongElement(TypeError):
    """The text begins with the element of a sequence that it is about."""


_WRONG = (TypeError, ValueError, OverflowError, UnicodeError)


def _to_numbers(objects: Objects, specs: Sequence[TensorSpec], index: int, value: Any) -> Any:
    spec = specs[index]
    if not spec.is_object:
        return value
    try:
        return _numbers(objects, spec.dtype, value)
    except _WrongElement as error:
        raise TypeError(f"input '{spec.name}', {error}") from error
    except MemoryError as error:
        raise MemoryError(f"input '{spec.name}': {error}") from error
    except _WRONG as error:
        kind = type(value).__name__
        raise TypeError(f"input '{spec.name}': cannot use a {kind} as {spec.dtype}: {error}") from error


def _numbers(objects: Objects, dtype: str, value: Any) -> np.ndarray:
    """The array of the numbers of an object, or of strings."""
    if dtype == "string":
        return _string_numbers(objects, value)
    kind, element = _parts(dtype)
    if kind == "map":
        return _map_numbers(objects, element, value)
    if kind == "optional":
        items = [] if value is None else [_element(objects, element, value)]
    elif isinstance(value, list | tuple):
        items = [_numbered(objects, element, *each) for each in enumerate(value)]
    else:
        raise TypeError("expected a list of arrays")
    return np.asarray(objects.sequence(items))


def _numbered(objects: Objects, dtype: str, index: int, value: Any) -> tuple[int, tuple[int, ...], Any]:
    """`_element`; errors say which one it is, and its rank if it is an array."""
    try:
        return _element(objects, dtype, value)
    except _WRONG as error:
        rank = f" of rank {value.ndim}" if isinstance(value, np.ndarray) else ""
        raise _WrongElement(f"element {index}{rank}: {error}") from error


def _map_numbers(objects: Objects, kinds: str, value: Any) -> np.ndarray:
    """A map's number: that of the sequence of its keys and values, whose types are `kinds`."""
    if not isinstance(value, Mapping):
        raise TypeError("expected a dict")
    sides = zip(kinds.split(","), (list(value), list(value.values())), strict=True)
    return np.asarray(objects.sequence([_vector(objects, *side) for side in sides]))


def _vector(objects: Objects, dtype: str, items: list[Any]) -> tuple[int, tuple[int, ...], Any]:
    if dtype == "string":
        return _element(objects, dtype, np.array(items, object))
    return _element(objects, dtype, np.array(items, TensorSpec("", dtype, ()).numpy_dtype))


def _string_numbers(objects: Objects, value: Any) -> np.ndarray:
    # Arrays of text leave out NULs at the end.
    array = value if isinstance(value, np.ndarray) else np.asarray(value, object)
    if array.dtype.kind not in "UOST":
        raise TypeError(f"expected strings, got {array.dtype}")
    return np.frombuffer(objects.numbers(array.reshape(-1).tolist()), np.int64).reshape(array.shape)


def _element(objects: Objects, dtype: str, value: Any) -> tuple[int, tuple[int, ...], Any]:
    """What the table takes of an element of a sequence."""
    if TensorSpec("", dtype, ()).is_object:
        array = _numbers(objects, dtype, value)
        return _NUMBER, array.shape, np.ascontiguousarray(array).reshape(-1)
    array = converted(TensorSpec("", dtype, ()), value)
    return _ELEMENTS.index(dtype), array.shape, array.reshape(-1).view(np.uint8)


def _from_numbers(objects: Objects, dtype: str, array: np.ndarray) -> Any:
    if dtype == "string":
        result = np.empty(array.size, object)
        result[:] = objects.texts(np.ascontiguousarray(array).data)
        return result.reshape(array.shape)
    kind, element = _parts(dtype)
    if kind == "map":
        sides = zip(element.split(","), objects.elements(int(array)), strict=True)
        keys, values = (_value(objects, side, *each).tolist() for side, each in sides)
        return dict(zip(keys, values, strict=True))
    items = [_value(objects, element, *each) for each in objects.elements(int(array))]
    if kind == "optional":
        return items[0] if items else None
    return items


def _value(objects: Objects, dtype: str, number: int, shape: tuple[int, ...], memory: Any) -> Any:
    """An element of a sequence."""
    spec = TensorSpec("", dtype, ())
    if spec.is_object:
        return _from_numbers(objects, dtype, np.frombuffer(memory, np.int64).reshape(shape))
    assert _ELEMENTS[number] == dtype, "compiled code makes sequences of their declared types"
    return np.frombuffer(memory, spec.numpy_dtype).reshape(shape)


@cache
def _parts(dtype: str) -> tuple[str, str]:
    """The kind of a sequence, optional or map, and the type of what it holds, or "key,value"."""
    found = re.fullmatch(r"(sequence|optional|map)\((.*)\)", dtype)
    assert found, "the manifest is checked"
    return found[1], found[2]
