"""Conversion of TensorProtos to `Constant`s: small ones as arrays, large ones as references into the weight
store."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
from onnx import SparseTensorProto, TensorProto, numpy_helper

from mlc.frontends.errors import ModelError, UnsupportedModelError
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.wire_format import ByteRange
from mlc.frontends.weights.paths import check_relative
from mlc.frontends.weights.store import Reference, WeightStore

# A constant of at most this many bytes is a dense attribute in the IR.
SMALL = 1024
MAX_RANK = 64
MAX_ELEMENTS = 2**48


@dataclass(frozen=True)
class Constant:
    """A constant tensor: `shape` in elements, `onnx_type` the ONNX data type.

    One of `array`, `reference` and `texts` (of strings, in row-major order) is set.
    """

    shape: tuple[int, ...]
    onnx_type: int
    array: np.ndarray | None = None
    reference: Reference | None = None
    texts: tuple[str, ...] | None = None


@dataclass(frozen=True)
class TensorReader:
    """Turns TensorProtos of one model's skeleton into constants.

    `ranges` are the byte ranges cut out of the model, `model_source` is the store's source that holds them.
    """

    store: WeightStore
    ranges: list[ByteRange]
    marker: str
    model_source: str
    model_offset: int = 0

    def read(self, tensor: TensorProto | SparseTensorProto) -> Constant:
        """Returns the tensor as a dense constant. Raises `ModelError` naming the tensor and the cause."""
        sparse = isinstance(tensor, SparseTensorProto)
        try:
            return self._read_sparse(tensor) if sparse else self._read(tensor)
        except ModelError as error:
            name = tensor.values.name if sparse else tensor.name
            raise type(error)(f"tensor '{name}': {error}") from None

    def _read_sparse(self, tensor: SparseTensorProto) -> Constant:
        onnx_type = tensor.values.data_type
        shape = checked_dims(TensorProto(data_type=onnx_type, dims=tensor.dims))
        values, indices = self._elements(tensor.values), self._elements(tensor.indices)
        size = math.prod(shape)
        if indices.shape == (len(values), len(shape)) and np.all((indices >= 0) & (indices < shape)):
            indices = np.ravel_multi_index(tuple(indices.T), shape)
        if indices.shape != values.shape or np.any((indices < 0) | (indices >= size)):
            raise ModelError(f"its indices do not fit dims {list(shape)} and {len(values)} values")
        dense = np.zeros(size, values.dtype)
        dense[indices] = values
        return self._constant(dense, shape, onnx_type)

    def _elements(self, tensor: TensorProto) -> np.ndarray:
        """Returns the elements of a vector or matrix of a sparse tensor."""
        read = self._read(tensor)
        if read.array is not None:
            return read.array
        if read.reference is None:
            raise UnsupportedModelError("sparse tensors of strings are not supported")
        data = self.store.buffer(read.reference).view(element_types.numpy_dtype(read.onnx_type))
        return data.reshape(read.shape)

    def _read(self, tensor: TensorProto) -> Constant:
        shape = checked_dims(tensor)
        size = math.prod(shape)
        if tensor.data_type == TensorProto.STRING:
            return Constant(shape, tensor.data_type, texts=_texts(tensor, size))
        bits = element_types.bits_in_file(tensor.data_type)
        located = self._locate(tensor)
        if located is None:
            return self._from_skeleton(tensor, shape)
        source, offset, length = located
        expected = -(-size * bits // 8)
        if length is not None and length != expected:
            raise ModelError(_size_mismatch(tensor, shape, expected, length))
        if bits < 8:
            packed = self.store.reference(source, offset, expected)
            return self._constant(
                _unpack(self.store.buffer(packed), size, tensor.data_type), shape, tensor.data_type
            )
        reference = self.store.reference(source, offset, expected)
        if expected > SMALL:
            return Constant(shape, tensor.data_type, reference=reference)
        array = np.frombuffer(
            self.store.buffer(reference), element_types.numpy_dtype(tensor.data_type)
        ).reshape(shape)
        return Constant(shape, tensor.data_type, array=array)

    def _locate(self, tensor: TensorProto) -> tuple[str, int, int | None] | None:
        """Returns (source, offset, length) of data outside the skeleton; None if the skeleton holds it."""
        entries = {entry.key: entry.value for entry in tensor.external_data}
        if self.marker in entries:
            cut = self.ranges[int(entries[self.marker])]
            return self.model_source, self.model_offset + cut.offset, cut.size
        if tensor.data_location != TensorProto.EXTERNAL:
            return None
        if "location" not in entries:
            raise ModelError("its data is external but no location is given")
        name = check_relative(entries["location"])
        offset = _byte_count(entries, "offset") or 0
        length = _byte_count(entries, "length")
        return _source_name(name), offset, length

    def _from_skeleton(self, tensor: TensorProto, shape: tuple[int, ...]) -> Constant:
        expected = -(-math.prod(shape) * element_types.bits_in_file(tensor.data_type) // 8)
        if tensor.HasField("raw_data") and len(tensor.raw_data) != expected:
            raise ModelError(_size_mismatch(tensor, shape, expected, len(tensor.raw_data)))
        try:
            array = numpy_helper.to_array(tensor)
        except (ValueError, TypeError) as error:
            cause = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ModelError(f"its data does not fit dims {list(shape)}: {cause}") from None
        return self._constant(array, shape, tensor.data_type)

    def _constant(self, array: np.ndarray, shape: tuple[int, ...], onnx_type: int) -> Constant:
        array = np.ascontiguousarray(array, element_types.numpy_dtype(onnx_type)).reshape(shape)
        if array.nbytes <= SMALL:
            return Constant(shape, onnx_type, array=array)
        return Constant(
            shape, onnx_type, reference=self.store.add_blob(array.view(np.uint8).reshape(-1).data)
        )


def _texts(tensor: TensorProto, size: int) -> tuple[str, ...]:
    if len(tensor.string_data) != size:
        count = len(tensor.string_data)
        raise ModelError(f"dims {list(tensor.dims)} need {size} strings, but its data has {count}")
    try:
        return tuple(text.decode() for text in tensor.string_data)
    except UnicodeDecodeError as error:
        raise ModelError(f"a string is no UTF-8: {error}") from None


def checked_dims(tensor: TensorProto) -> tuple[int, ...]:
    """Returns the dims of a tensor of a supported type with sane dims. Raises `ModelError`."""
    if not element_types.is_supported(tensor.data_type):
        raise UnsupportedModelError(f"{element_types.type_name(tensor.data_type)} elements are not supported")
    dims = tuple(tensor.dims)
    if len(dims) > MAX_RANK:
        raise ModelError(f"rank {len(dims)} is over the limit of {MAX_RANK}")
    if any(d < 0 for d in dims):
        raise ModelError(f"dims {list(dims)} are negative")
    # NumPy has no arrays of larger dims, not even empty ones.
    size = math.prod(dim for dim in dims if dim)
    if size > MAX_ELEMENTS:
        zeros = " besides the dims of 0" if 0 in dims else ""
        raise ModelError(f"dims {list(dims)} make {size} elements{zeros}, over the limit of 2^48")
    return dims


def _source_name(name: str) -> str:
    # "inline" is the store's name for bytes in memory; a file of that name is spelled as a path.
    return f"./{name}" if PurePosixPath(name).name == name == "inline" else name


def _byte_count(entries: dict[str, str], key: str) -> int | None:
    if key not in entries:
        return None
    text = entries[key]
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise ModelError(f"the {key} of its external data, {text!r}, is not a number of bytes")
    return int(text)


def _unpack(packed: np.ndarray, count: int, onnx_type: int) -> np.ndarray:
    """Returns elements of less than a byte, stored low bits first, as one element per byte."""
    bits = element_types.bits_in_file(onnx_type)
    if 8 % bits:
        # Elements straddle bytes.
        digits = np.unpackbits(packed, bitorder="little")[: count * bits].reshape(count, bits)
        spread = np.packbits(digits, axis=1, bitorder="little").reshape(-1)
    else:
        shifts = np.arange(0, 8, bits, dtype=np.uint8)
        spread = ((packed[:, None] >> shifts) & np.uint8((1 << bits) - 1)).reshape(-1)[:count]
    dtype = element_types.numpy_dtype(onnx_type)
    if str(dtype).startswith("int"):
        sign = np.uint8(1 << (bits - 1))
        return ((spread ^ sign).astype(np.int8) - np.int8(sign)).astype(dtype)
    return spread.astype(dtype) if str(dtype).startswith("uint") else spread.view(dtype)


def _size_mismatch(tensor: TensorProto, shape: tuple[int, ...], expected: int, length: int) -> str:
    type_name = element_types.type_name(tensor.data_type)
    return f"dims {list(shape)} of {type_name} take {expected} bytes, but its data has {length}"
