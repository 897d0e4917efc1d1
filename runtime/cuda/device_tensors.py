"""Exports tensors to other libraries without copies, through DLPack."""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any

import numpy as np

from mlc.runtime.cuda import dlpack
from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.dtypes import DTYPES
from mlc.runtime.cuda.driver.errors import CudaError
from mlc.runtime.cuda.driver.memory import copy_to_host, host_bytes
from mlc.runtime.cuda.driver.streams import Stream
from mlc.runtime.tensors import TensorSpec

LEGACY_DEFAULT_STREAM, NO_SYNCHRONISATION = 1, -1


class Tensor:
    """A dense row-major tensor on a device or, if `device` is None, in host memory.

    Other libraries take it without a copy (`torch.from_dlpack(tensor)`). `owner` keeps the memory alive as
    long as this object or an import of it lives. If `stream` is given, the contents are complete when the
    work enqueued there so far is; consumers wait for that on their streams, not on the host.
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
        """Returns a copy on the host, or a view of host memory. Needs ml_dtypes for its types."""
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
        """Returns the capsule for the consumer's `stream`. Raises BufferError for copies, other devices."""
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError(f"{self!r} can be exported without a copy only")
        self._make_wait(stream)
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

    def _make_wait(self, consumer: int | None) -> None:
        if self.device is None or self._stream is None or consumer == NO_SYNCHRONISATION:
            return
        if consumer == 0:
            raise BufferError("stream 0 is ambiguous: give 1 for the legacy default stream")
        Stream(self.device, consumer or LEGACY_DEFAULT_STREAM).wait_for(self._stream)


def host_dtype(dtype: str, what: str) -> np.dtype:
    """Returns NumPy's type of that name. Raises CudaError if that needs ml_dtypes, which is not installed."""
    try:
        return TensorSpec(what, dtype, ()).numpy_dtype
    except ImportError as error:
        raise CudaError(
            f"{what}: NumPy needs the package ml_dtypes for {dtype}; install it, or use tensors on the device"
        ) from error


def dense_strides(shape: tuple[int, ...]) -> list[int]:
    """Returns row-major strides in elements."""
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]
