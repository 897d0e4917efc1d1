"""Tensors that enter and leave without copies: DLPack in (`borrow`) and out (`Tensor`)."""

from __future__ import annotations

import ctypes
import weakref
from math import prod
from typing import Any

import numpy as np
from mlc.runtime.cuda import dlpack
from mlc.runtime.cuda.device import Device
from mlc.runtime.cuda.dtypes import BY_DLPACK, DTYPES
from mlc.runtime.cuda.errors import CudaError
from mlc.runtime.cuda.memory import copy_to_host, host_bytes
from mlc.runtime.cuda.streams import Stream
from mlc.runtime.tensors import TensorSpec

LEGACY_DEFAULT_STREAM, NO_SYNCHRONISATION = 1, -1


class Tensor:
    """A dense row-major tensor of ours, on a device or, if `device` is None, in host memory.

    Other libraries take it without a copy (`torch.from_dlpack(tensor)`). `owner` keeps the memory alive, as
    long as this or what was made of it lives. If `stream` is given, the contents are there when it has come
    past everything enqueued by now; consumers wait for it on their own stream, not on the host.
    """

    def __init__(
        self,
        address: int,
        dtype: str,
        shape: tuple[int, ...],
        owner: object,
        device: Device | None,
        stream: Stream | None = None,
    ) -> None:
        """Raises KeyError for a dtype that is not in `DTYPES`."""
        self.address, self.dtype, self.shape = address, dtype, tuple(shape)
        self.nbytes = prod(self.shape) * DTYPES[dtype].nbytes
        self.device, self._owner, self._stream = device, owner, stream

    def __repr__(self) -> str:
        return f"Tensor({self.dtype} {list(self.shape)} on {self.device or 'the host'})"

    def numpy(self) -> np.ndarray:
        """A copy on the host, or a view of host memory. Needs ml_dtypes for types that NumPy lacks."""
        dtype = host_dtype(self.dtype, "a copy on the host")
        if self.device is None:
            return host_bytes(self.address, self.nbytes, self).view(dtype).reshape(self.shape)
        result = np.empty(self.shape, dtype)
        if self._stream is not None:
            self._stream.synchronize()
        copy_to_host(self.device, result.reshape(-1).view(np.uint8), self.address)
        return result

    def __dlpack_device__(self) -> tuple[int, int]:
        return (dlpack.CPU, 0) if self.device is None else (dlpack.CUDA, self.device.index)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The capsule; `stream` is the consumer's. Raises BufferError for another device, or a copy."""
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError(f"{self!r} is given as it is and where it is, not as a copy")
        self._let_wait(stream)
        element, rank = DTYPES[self.dtype], len(self.shape)
        sizes = (ctypes.c_int64 * max(rank, 1))(*self.shape)
        strides = (ctypes.c_int64 * max(rank, 1))(*dense_strides(self.shape))
        description = dlpack.DLTensor(
            self.address if self.nbytes else None,
            *self.__dlpack_device__(),
            rank,
            element.code,
            element.bits,
            1,
            sizes,
            strides,
            0,
        )
        versioned = max_version is not None and max_version[0] >= dlpack.VERSION[0]
        return dlpack.give(description, (sizes, strides, self), versioned=versioned)

    def _let_wait(self, consumer: int | None) -> None:
        if self.device is None or self._stream is None or consumer == NO_SYNCHRONISATION:
            return
        if consumer == 0:
            raise BufferError("stream 0 is ambiguous: give 1 for the legacy default stream")
        Stream(self.device, consumer or LEGACY_DEFAULT_STREAM).wait_for(self._stream)


class Borrowed:
    """A dense tensor of another library, which keeps it until `release` or until nobody has this any more."""

    def __init__(self, managed: dlpack.Managed | dlpack.ManagedVersioned) -> None:
        tensor = managed.tensor
        element = BY_DLPACK[tensor.code, tensor.bits]
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.dtype = element.name
        self.shape = tuple(tensor.shape[: tensor.ndim])
        self.nbytes = prod(self.shape) * element.nbytes
        self.read_only = isinstance(managed, dlpack.ManagedVersioned) and bool(
            managed.flags & dlpack.READ_ONLY
        )
        self.release = weakref.finalize(self, dlpack.delete, managed)


def borrow(value: Any, what: str, device: Device | None, stream: Stream | None = None) -> Borrowed:
    """The tensor behind an object with `__dlpack__`, where it lies. Its library makes `stream` wait for it.

    `what` begins messages. Raises TypeError for an element type that we lack, ValueError for the wrong device
    (`device`, None for the host), non-dense strides or what its library refuses to give.
    """
    place = tuple(value.__dlpack_device__())
    if not _is_there(place, device):
        here = f"on {device}" if device else "in host memory"
        raise ValueError(f"{what}: expected a tensor {here}, got one on {_device_name(*place)}")
    try:
        managed = dlpack.take(_capsule(value, stream))
    except (BufferError, RuntimeError, ValueError) as error:
        raise ValueError(f"{what}: a {type(value).__name__} cannot be taken by DLPack: {error}") from error
    if managed is None:
        raise TypeError(f"{what}: {type(value).__name__}.__dlpack__ gave no capsule of DLPack")
    try:
        _check(managed.tensor, what)
    except BaseException:
        dlpack.delete(managed)
        raise
    return Borrowed(managed)


def borrow_array(value: Any, what: str) -> np.ndarray:
    """A view of a host tensor of another library, kept alive. Raises like `borrow` and `host_dtype`."""
    tensor = borrow(value, what, None)
    dtype = host_dtype(tensor.dtype, what)
    return (
        host_bytes(tensor.address, tensor.nbytes, tensor, not tensor.read_only)
        .view(dtype)
        .reshape(tensor.shape)
    )


def host_dtype(dtype: str, what: str) -> np.dtype:
    """NumPy's type of that name. Raises CudaError if it needs ml_dtypes, and that is not installed."""
    try:
        return TensorSpec(what, dtype, ()).numpy_dtype
    except ImportError as error:
        raise CudaError(
            f"{what}: NumPy needs the package ml_dtypes for {dtype}; install it, or use tensors on the device"
        ) from error


def dense_strides(shape: tuple[int, ...]) -> list[int]:
    """Row-major strides in elements."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _capsule(value: Any, stream: Stream | None) -> Any:
    arguments: dict[str, Any] = {} if stream is None else {"stream": stream.handle or LEGACY_DEFAULT_STREAM}
    try:
        return value.__dlpack__(**arguments, max_version=dlpack.VERSION)
    except TypeError:
        # Libraries from before DLPack 1.0 do not know `max_version`.
        return value.__dlpack__(**arguments)


def _check(tensor: dlpack.DLTensor, what: str) -> None:
    if (tensor.code, tensor.bits) not in BY_DLPACK or tensor.lanes != 1:
        kind = f"code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes"
        raise TypeError(f"{what}: a tensor of an unknown element type ({kind})")
    if not 0 <= tensor.ndim <= dlpack.MAX_RANK:
        raise ValueError(f"{what}: a tensor of rank {tensor.ndim}")
    shape = tuple(tensor.shape[: tensor.ndim])
    if any(size < 0 for size in shape) or (prod(shape) and not tensor.data):
        raise ValueError(f"{what}: a tensor of shape {list(shape)} at address {tensor.data or 0:#x}")
    if not prod(shape) or not tensor.strides:
        return
    given = zip(shape, tensor.strides[: tensor.ndim], dense_strides(shape), strict=True)
    if any(size > 1 and stride != dense for size, stride, dense in given):
        strides = tensor.strides[: tensor.ndim]
        raise ValueError(
            f"{what}: a tensor of shape {list(shape)} with strides {strides} is not dense and row-major; "
            "make it contiguous"
        )


def _is_there(place: tuple[int, ...], device: Device | None) -> bool:
    if device is None:
        return place[0] in (dlpack.CPU, dlpack.CUDA_HOST)
    return place[0] == dlpack.CUDA_MANAGED or place == (dlpack.CUDA, device.index)


def _device_name(kind: int, index: int) -> str:
    names = {
        dlpack.CPU: "the host",
        dlpack.CUDA: f"CUDA device {index}",
        dlpack.CUDA_HOST: "the host (pinned)",
    }
    return names.get(kind, f"a device of DLPack's type {kind}")
