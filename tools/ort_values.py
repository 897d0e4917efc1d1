"""Conversion of arrays to and from the values of ONNX Runtime, of types that NumPy lacks too."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from onnx import TensorProto, helper


class Refused(Exception):
    """Raised for a model or a value that an engine cannot handle."""


# Types of which a byte contains several elements in ONNX Runtime.
PACKED = ("int4", "uint4", "int2", "uint2", "float4_e2m1fn")


def to_ort_value(array: np.ndarray) -> Any:
    """Returns the array as an OrtValue. Raises Refused."""
    import onnxruntime as engine

    if array.dtype.name in PACKED:
        raise Refused(f"arrays of {array.dtype} cannot be passed")
    whole = np.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.kind != "V":
        return engine.OrtValue.ortvalue_from_numpy(whole)
    element_type = helper.np_dtype_to_tensor_dtype(array.dtype)
    return engine.OrtValue.ortvalue_from_numpy_with_onnx_type(whole, element_type)


def from_ort_value(value: Any) -> np.ndarray:
    """Returns a copy of an OrtValue. NumPy's own types are converted by ONNX Runtime, others are read from
    memory. Raises Refused for sequences and the like, and for packed types."""
    if not value.is_tensor():
        raise Refused(f"a result is {value.data_type()}")
    element_type = value.element_type()
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(element_type))
    if dtype.kind != "V":
        return np.array(value.numpy())
    if dtype.name in PACKED or element_type == TensorProto.UNDEFINED:
        raise Refused(f"arrays of {dtype} cannot be read")
    shape = tuple(value.shape())
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0:
        return np.zeros(shape, dtype)
    memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(value.data_ptr())
    return np.frombuffer(bytes(memory), dtype).reshape(shape).copy()
