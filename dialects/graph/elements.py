"""Element types of graph tensors by their MLIR name ("f32", "ui8", "i1"), and their NumPy counterparts.

Signless integers are signed, `ui*` are unsigned and `i1` is a boolean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import ml_dtypes
import numpy as np

_NUMPY = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "i4": ml_dtypes.int4,
    "i2": ml_dtypes.int2,
    "ui64": np.uint64,
    "ui32": np.uint32,
    "ui16": np.uint16,
    "ui8": np.uint8,
    "ui4": ml_dtypes.uint4,
    "ui2": ml_dtypes.uint2,
    "i1": np.bool_,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}
# Objects of a running call are i64 ids in memory.
_OBJECTS = {"!graph.string": np.int64, "!graph.sequence": np.int64}
# In the order of ONNX's TensorProto.DataType.
_ONNX = (
    "none f32 ui8 i8 ui16 i16 i32 i64 !graph.string i1 f16 f64 ui32 ui64 complex<f32> complex<f64> bf16"
    " f8E4M3FN f8E4M3FNUZ f8E5M2 f8E5M2FNUZ ui4 i4 f4E2M1FN f8E8M0FNU ui2 i2 f6E2M3FN f6E3M2FN"
).split()
_DTYPES = {name: np.dtype(scalar) for name, scalar in {**_NUMPY, **_OBJECTS}.items()}
_NAMES = {np.dtype(scalar): name for name, scalar in _NUMPY.items()}


def dtype_of(element: str) -> np.dtype:
    """Returns the NumPy dtype that holds one element; raises KeyError for an element type without one."""
    return _DTYPES[element]


def element_of(dtype: np.dtype | type) -> str:
    """Returns the element type's name for a NumPy dtype; raises KeyError when there is none."""
    return _NAMES[np.dtype(dtype)]


def element_bytes(element: str) -> int:
    """Returns the bytes of one stored element: `i1` and the types below eight bits take one byte each."""
    return _DTYPES[element].itemsize


def part_of(element: str) -> str:
    """Returns the type of a complex number's parts: "f32" of "complex<f32>"."""
    return element.removeprefix("complex<").removesuffix(">")


def onnx_element_type(element: str) -> int:
    """Returns an element type as ONNX's TensorProto.DataType; raises KeyError when there is none."""
    return _ONNX.index(element)


def holds(element: str, value: int | float) -> bool:
    """Whether an element can be `value`: for integers and i1 an integer within their range, for floats one
    that rounds to a finite value, infinity or NaN. True for complex elements and types without a dtype."""
    dtype = _DTYPES.get(element)
    if dtype is None or dtype.kind == "c":
        return True
    if not math.isfinite(value):
        return _is_float(element)
    if _is_float(element):
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.asarray(value, np.float64).astype(dtype).astype(np.float64)))
    least, largest = _range(element)
    return value == int(value) and least <= value <= largest


def _is_float(element: str) -> bool:
    return element.startswith(("f", "bf"))


def _range(element: str) -> tuple[int, int]:
    """Returns the least and largest value of an integer type."""
    bits = int(element.lstrip("ui"))
    if element.startswith("u") or bits == 1:
        return 0, (1 << bits) - 1
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


@dataclass(frozen=True)
class ElementClass:
    """A named set of element types that an operand may have; empty `members` admit every type."""

    name: str
    members: frozenset[str] = frozenset()

    def admits(self, element: str) -> bool:
        """Whether an operand may have elements of this type."""
        return not self.members or element in self.members


_FLOAT = frozenset({"f64", "f32", "f16", "bf16"})
_SIGNED = frozenset({"i64", "i32", "i16", "i8"})
_UNSIGNED = frozenset({"ui64", "ui32", "ui16", "ui8"})
_NARROW = frozenset(
    name for name in _DTYPES if name[:2] in ("f8", "f6", "f4") or (name[-1] in "24" and "i" in name[:2])
)

FLOAT = ElementClass("float", _FLOAT)
INTEGER = ElementClass("integer", _SIGNED | _UNSIGNED)
NUMERIC = ElementClass("numeric", _FLOAT | _SIGNED | _UNSIGNED)
INDEX = ElementClass("index (i32 or i64)", frozenset({"i32", "i64"}))
BOOL = ElementClass("bool (i1)", frozenset({"i1"}))
# Complex numbers, and what their parts are.
COMPLEX = ElementClass("complex", frozenset({"complex<f32>", "complex<f64>"}))
PART = ElementClass("f32 or f64", frozenset({"f32", "f64"}))
ORDERED = ElementClass("numeric or bool", NUMERIC.members | BOOL.members)
COMPARED = ElementClass("numeric, bool or string", ORDERED.members | {"!graph.string"})
BITS = ElementClass(
    "of 8 to 64 bits", NUMERIC.members | frozenset(name for name in _NARROW if name.startswith("f8"))
)
QUANTISED = ElementClass("quantised", _NARROW | {"i8", "i16", "ui8", "ui16", "i32"})
ANY = ElementClass("any")
