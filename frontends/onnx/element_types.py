"""Element types: ONNX's numbers, MLIR's types, NumPy's dtypes, and how many bits an element has in a file."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph.ops import objects

# ONNX data type -> (MLIR text, NumPy dtype, bits per element in a file)
_TYPES: dict[int, tuple[str, type, int]] = {
    TensorProto.FLOAT: ("f32", np.float32, 32),
    TensorProto.UINT8: ("ui8", np.uint8, 8),
    TensorProto.INT8: ("i8", np.int8, 8),
    TensorProto.UINT16: ("ui16", np.uint16, 16),
    TensorProto.INT16: ("i16", np.int16, 16),
    TensorProto.INT32: ("i32", np.int32, 32),
    TensorProto.INT64: ("i64", np.int64, 64),
    TensorProto.BOOL: ("i1", np.bool_, 8),
    TensorProto.FLOAT16: ("f16", np.float16, 16),
    TensorProto.DOUBLE: ("f64", np.float64, 64),
    TensorProto.UINT32: ("ui32", np.uint32, 32),
    TensorProto.UINT64: ("ui64", np.uint64, 64),
    TensorProto.COMPLEX64: ("complex<f32>", np.complex64, 64),
    TensorProto.COMPLEX128: ("complex<f64>", np.complex128, 128),
    TensorProto.BFLOAT16: ("bf16", ml_dtypes.bfloat16, 16),
    TensorProto.FLOAT8E4M3FN: ("f8E4M3FN", ml_dtypes.float8_e4m3fn, 8),
    TensorProto.FLOAT8E4M3FNUZ: ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, 8),
    TensorProto.FLOAT8E5M2: ("f8E5M2", ml_dtypes.float8_e5m2, 8),
    TensorProto.FLOAT8E5M2FNUZ: ("f8E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, 8),
    TensorProto.FLOAT8E8M0: ("f8E8M0FNU", ml_dtypes.float8_e8m0fnu, 8),
    TensorProto.UINT4: ("ui4", ml_dtypes.uint4, 4),
    TensorProto.INT4: ("i4", ml_dtypes.int4, 4),
    TensorProto.FLOAT4E2M1: ("f4E2M1FN", ml_dtypes.float4_e2m1fn, 4),
    TensorProto.FLOAT6E2M3: ("f6E2M3FN", ml_dtypes.float6_e2m3fn, 6),
    TensorProto.FLOAT6E3M2: ("f6E3M2FN", ml_dtypes.float6_e3m2fn, 6),
    TensorProto.UINT2: ("ui2", ml_dtypes.uint2, 2),
    TensorProto.INT2: ("i2", ml_dtypes.int2, 2),
}
_BY_DTYPE = {np.dtype(dtype): number for number, (_, dtype, _) in _TYPES.items()}
# A data type of our own, of rank 0: ONNX has no number for sequences.
SEQUENCE = 1000
# Objects of a call are numbers in memory.
_TYPES |= {TensorProto.STRING: (objects.STRING, np.int64, 64), SEQUENCE: (objects.SEQUENCE, np.int64, 64)}
_BY_TEXT = {text: number for number, (text, _, _) in _TYPES.items()}


def type_name(number: int) -> str:
    """ONNX's name of a data type, or its number if there is none."""
    if number == SEQUENCE:
        return "SEQUENCE"
    known = number in TensorProto.DataType.values()
    return TensorProto.DataType.Name(number) if known else f"data type {number}"


def is_supported(number: int) -> bool:
    """Whether tensors of this ONNX data type can be compiled."""
    return number in _TYPES


def is_integer(number: int) -> bool:
    """Whether elements are integers, of any width; truth values are none."""
    return number != TensorProto.BOOL and _TYPES[number][0].startswith(("i", "ui"))


def is_narrow_float(number: int) -> bool:
    """Whether elements are floats of less than 16 bits."""
    return _TYPES[number][0].startswith("f") and _TYPES[number][2] < 16


def bits_in_file(number: int) -> int:
    """Bits that one element takes in raw_data and external data."""
    return _TYPES[number][2]


def numpy_dtype(number: int) -> np.dtype:
    """The NumPy (or ml_dtypes) dtype of an ONNX data type."""
    return np.dtype(_TYPES[number][1])


def element_type(number: int) -> ir.Type:
    """The MLIR element type, in the current context. Unsigned integers keep their sign in the type."""
    return ir.Type.parse(_TYPES[number][0])


def onnx_number(kind: np.dtype | ir.Type) -> int:
    """The ONNX data type of a NumPy dtype or MLIR element type."""
    return _BY_DTYPE[kind] if isinstance(kind, np.dtype) else _BY_TEXT[str(kind)]


def tensor_type(shape: list[int | None], number: int) -> ir.RankedTensorType:
    """A tensor type; None is a dynamic dim."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return ir.RankedTensorType.get([dynamic if d is None else d for d in shape], element_type(number))
