"""Element types: ONNX's data types, MLIR's types, NumPy's dtypes, and the bits of an element in a file."""

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
_BY_DTYPE = {np.dtype(dtype): onnx_type for onnx_type, (_, dtype, _) in _TYPES.items()}
# The data type of a sequence, a tensor of rank 0; ONNX does not define one.
SEQUENCE = 1000
# Runtime objects are 64-bit ids in memory.
_TYPES |= {TensorProto.STRING: (objects.STRING, np.int64, 64), SEQUENCE: (objects.SEQUENCE, np.int64, 64)}
_BY_TEXT = {text: onnx_type for onnx_type, (text, _, _) in _TYPES.items()}


def type_name(onnx_type: int) -> str:
    """Returns ONNX's name of a data type, or "data type <value>" if it has none."""
    if onnx_type == SEQUENCE:
        return "SEQUENCE"
    known = onnx_type in TensorProto.DataType.values()
    return TensorProto.DataType.Name(onnx_type) if known else f"data type {onnx_type}"


def is_supported(onnx_type: int) -> bool:
    """Whether tensors of this ONNX data type can be compiled."""
    return onnx_type in _TYPES


def is_integer(onnx_type: int) -> bool:
    """Whether elements are integers, of any width; booleans are not."""
    return onnx_type != TensorProto.BOOL and _TYPES[onnx_type][0].startswith(("i", "ui"))


def is_narrow_float(onnx_type: int) -> bool:
    """Whether elements are floats of less than 16 bits."""
    return _TYPES[onnx_type][0].startswith("f") and _TYPES[onnx_type][2] < 16


def bits_in_file(onnx_type: int) -> int:
    """Returns the bits that one element takes in raw_data and external data."""
    return _TYPES[onnx_type][2]


def numpy_dtype(onnx_type: int) -> np.dtype:
    """Returns the NumPy (or ml_dtypes) dtype of an ONNX data type."""
    return np.dtype(_TYPES[onnx_type][1])


def element_type(onnx_type: int) -> ir.Type:
    """Returns the MLIR element type, in the current context. Unsigned integers keep their sign in the
    type."""
    return ir.Type.parse(_TYPES[onnx_type][0])


def onnx_data_type(element_type: np.dtype | ir.Type) -> int:
    """Returns the ONNX data type of a NumPy dtype or MLIR element type."""
    return _BY_DTYPE[element_type] if isinstance(element_type, np.dtype) else _BY_TEXT[str(element_type)]


def tensor_type(shape: list[int | None], onnx_type: int) -> ir.RankedTensorType:
    """Returns a tensor type; None in `shape` is a dynamic dim."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return ir.RankedTensorType.get([dynamic if d is None else d for d in shape], element_type(onnx_type))
