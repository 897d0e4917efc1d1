"""Descriptions of the inputs, outputs and weights of a compiled model."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from mlc.runtime.errors import ExecutableError

_NUMPY = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
NUMPY_DTYPES = frozenset(_NUMPY.split())
# Types of the package ml_dtypes, which is imported only where arrays of one of them are made.
_BYTES = (
    "int2 int4 uint2 uint4 float4_e2m1fn float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"
    " float8_e8m0fnu float6_e2m3fn float6_e3m2fn"
)
# In compiled code these are arrays of ids of strings and sequences (mlc.runtime.object_conversion).
_ELEMENT = "|".join(["string", *_NUMPY.split(), "bfloat16", *_BYTES.split()])
_MAP = rf"map\((?:int64|string),(?:{_ELEMENT})\)"
_OBJECT = re.compile(
    rf"string|(?:sequence|optional)\((?:{_ELEMENT})\)|optional\(sequence\((?:{_ELEMENT})\)\)"
    rf"|{_MAP}|sequence\({_MAP}\)"
)
_EXTENSION_SIZES = {"bfloat16": 2, **dict.fromkeys(_BYTES.split(), 1)}
EXTENSION_DTYPES = frozenset(_EXTENSION_SIZES)
# UNKNOWN_SIZE in csrc/python/native.h.
_UNKNOWN = -sys.maxsize - 1


def is_object(dtype: str) -> bool:
    """Whether `dtype` is "string" or a sequence, optional or map: "optional(sequence(float32))"."""
    return _OBJECT.fullmatch(dtype) is not None


@dataclass(frozen=True)
class TensorSpec:
    """One input, output or weight. `dtype` is a name of NumPy or ml_dtypes, "string", or that of a sequence,
    optional or map, such as "sequence(float32)"; `shape` counts elements.

    Dynamic sizes are texts: of an input the name of a dim, of an output an expression for people
    ("2*batch + 1"), or, if it depends on data, the model's name for it, or "?".
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{','.join(map(str, self.shape))}]"

    @cached_property
    def numpy_dtype(self) -> np.dtype:
        """The element type, object for strings. Raises ImportError if it needs ml_dtypes and that is not
        installed."""
        if self.is_object:
            return np.dtype(object)
        if self.dtype in NUMPY_DTYPES:
            return np.dtype(self.dtype)
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, self.dtype))

    @cached_property
    def buffer_dtype(self) -> np.dtype:
        """The type under which the buffer protocol shows the elements: it has none for ml_dtypes' types,
        so their bits travel as unsigned integers. Strings and sequences are ids in compiled code."""
        if self.is_object:
            return np.dtype(np.int64)
        if self.dtype in NUMPY_DTYPES:
            return self.numpy_dtype
        return np.dtype(f"u{_EXTENSION_SIZES[self.dtype]}")

    @property
    def is_object(self) -> bool:
        """Whether it consists of strings, or is a sequence, an optional or a map."""
        return is_object(self.dtype)

    @property
    def is_static(self) -> bool:
        """Whether all sizes are static."""
        return all(isinstance(size, int) for size in self.shape)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The static shape. Raises ValueError if a size is dynamic."""
        sizes = tuple(size for size in self.shape if isinstance(size, int))
        if len(sizes) != len(self.shape):
            raise ValueError(f"{self}: not all sizes are known before the model is called")
        return sizes

    @property
    def nbytes(self) -> int:
        """Size of the dense array in bytes. Raises ValueError if a size is dynamic."""
        return self.buffer_dtype.itemsize * prod(self.sizes)

    def native(self, dims: Sequence[str] = ()) -> tuple[str, str, str, int, tuple[int, ...], str, np.dtype]:
        """Returns the tuple that the native `Program` expects, whose named dims are `dims`."""
        view = self.buffer_dtype
        codes = {name: -1 - index for index, name in enumerate(dims)}
        shape = tuple(codes.get(size, _UNKNOWN) if isinstance(size, str) else size for size in self.shape)
        text = f"({', '.join(map(str, self.shape))}{',' if len(shape) == 1 else ''})"
        return (
            self.name,
            self.dtype,
            view.kind,
            view.itemsize,
            shape,
            text,
            view if self.is_object else self.numpy_dtype,
        )


def bfloat16_bits(x: np.ndarray) -> np.ndarray:
    """Returns the bits, as uint16, of an f32 array rounded to bfloat16, ties to even, as ml_dtypes does."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    rounded = bits + (0x7FFF + (bits >> 16 & 1))
    rounded >>= 16
    nan = np.isnan(x)
    if nan.any():
        rounded[nan] = 0x7FC0 | bits[nan] >> 16 & 0x8000
    return rounded.astype(np.uint16).reshape(np.shape(x))


def as_bytes(array: Any) -> np.ndarray:
    """Returns the bytes of an array or buffer as a flat uint8 array, without a copy if it is C-contiguous."""
    array = array if isinstance(array, np.ndarray) else np.frombuffer(array, np.uint8)
    return np.asarray(array, order="C").reshape(-1).view(np.uint8)


def weight_bytes(spec: TensorSpec, weights: Mapping[str, Any], where: str) -> np.ndarray:
    """Returns the bytes of one weight. Raises ExecutableError if it is missing or has another size."""
    if spec.name not in weights:
        raise ExecutableError(f"{where}: the weight '{spec.name}' is missing")
    data = as_bytes(weights[spec.name])
    if data.nbytes != spec.nbytes:
        raise ExecutableError(
            f"{where}: the weight '{spec.name}' of {spec.dtype} {list(spec.shape)} needs {spec.nbytes} bytes,"
            f" {data.nbytes} were given"
        )
    return data
