"""Values: per op result one NumPy array [lanes, *shape], or a tuple of such for aggregates.

A value that is the same in all lanes may have one lane only; NumPy broadcasts it. Integers are unsigned and
wrap; i1 is NumPy's bool; pointers are 64-bit integers.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from mlc.bindings import ir

from .errors import UnknownOp

Value = Any  # np.ndarray or a tuple of values
LANES = 32

_FLOATS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "tf32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
_INTEGERS = {1: np.bool_, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_SIGNED = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True)
class ValueType:
    """The representation of values of an MLIR type: an array of `dtype` and `shape` per lane, or `parts`."""

    dtype: np.dtype | None
    shape: tuple[int, ...] = ()
    parts: tuple[ValueType, ...] = ()
    space: int | None = None  # address space, of pointers

    @property
    def bytes(self) -> int:
        """Size in memory; aggregates are packed, as those of equal parts are."""
        if self.dtype is None:
            return sum(part.bytes for part in self.parts)
        return math.prod(self.shape) * self.dtype.itemsize


@functools.cache
def value_type(of: ir.Type) -> ValueType:
    """Raises `UnknownOp` for types that no value of a lowered kernel has."""
    if isinstance(of, ir.VectorType):
        return ValueType(value_type(of.element_type).dtype, tuple(of.shape))
    text = str(of)
    if isinstance(of, ir.IntegerType) and of.width in _INTEGERS:
        return ValueType(np.dtype(_INTEGERS[of.width]))
    if text == "index":
        return ValueType(np.dtype(np.uint64))
    if text in _FLOATS:
        return ValueType(np.dtype(_FLOATS[text]))
    if pointer := re.fullmatch(r"!llvm\.ptr(?:<(\d+)>)?", text):
        return ValueType(np.dtype(np.uint64), space=int(pointer[1] or 0))
    if array := re.fullmatch(r"!llvm\.array<(\d+) x (.*)>", text):
        return ValueType(None, parts=(value_type(_llvm_type(array[2], of.context)),) * int(array[1]))
    if struct := re.fullmatch(r"!llvm\.struct<(?:packed )?\((.*)\)>", text):
        return ValueType(
            None, parts=tuple(value_type(_llvm_type(t, of.context)) for t in split_list(struct[1]))
        )
    raise UnknownOp(f"values of type {text}")


def _llvm_type(text: str, context: ir.Context) -> ir.Type:
    """A type as it stands inside an LLVM type, where the prefix is left out."""
    return ir.Type.parse(f"!llvm.{text}" if text.startswith(("ptr", "array", "struct")) else text, context)


def split_list(text: str) -> list[str]:
    """The parts of `text` between commas that are outside of all brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<({[") - (character in ">)}]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def fill(of: ValueType, value: Any) -> Value:
    """`value` in every element, one lane."""
    if of.dtype is None:
        return tuple(fill(part, value) for part in of.parts)
    return np.full((1, *of.shape), value).astype(of.dtype)


def garbage(of: ValueType) -> Value:
    """The content of memory and registers that nobody wrote: NaN, or all bits one."""
    if of.dtype is None:
        return tuple(garbage(part) for part in of.parts)
    if of.dtype == np.bool_:
        return np.ones((1, *of.shape), np.bool_)
    return np.full((1, of.bytes), 0xFF, np.uint8).view(of.dtype).reshape(1, *of.shape)


def as_signed(value: np.ndarray) -> np.ndarray:
    """Integers of an array read as signed; of i1, 0 and -1."""
    if value.dtype == np.bool_:
        return -value.astype(np.int8)
    return value.view(_SIGNED[value.itemsize])


def bits(value: np.ndarray) -> np.ndarray:
    """The bits of an array's elements, as unsigned integers."""
    return value.astype(np.uint8) if value.dtype == np.bool_ else value.view(_UNSIGNED[value.itemsize])


def spread(value: np.ndarray, lanes: int) -> np.ndarray:
    """`value` with all its lanes written out."""
    return value if len(value) == lanes else np.broadcast_to(value, (lanes, *value.shape[1:]))


def merge(mask: np.ndarray, new: Value, old: Value) -> Value:
    """`new` in the lanes of `mask`, `old` in the others."""
    if new is old:
        return new
    if isinstance(new, tuple):
        return tuple(merge(mask, *pair) for pair in zip(new, old, strict=True))
    return np.where(mask.reshape(-1, *(1,) * (new.ndim - 1)), new, old)
