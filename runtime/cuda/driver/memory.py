"""Memory on the device, and pinned memory of the host, which copies reach without waiting."""

from __future__ import annotations

import ctypes
from functools import partial
from typing import Any

import numpy as np

from mlc.runtime.cuda import dlpack
from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import OUT_OF_MEMORY, CudaError
from mlc.runtime.cuda.driver.resource import Resource
from mlc.runtime.cuda.driver.streams import Stream

PORTABLE = 1


class DeviceMemory(Resource):
    """Bytes on a device, aligned to at least 256."""

    def __init__(self, device: Device, nbytes: int) -> None:
        """Raises CudaError, with the free memory, if there is not enough."""
        if nbytes < 0:
            raise ValueError(f"cannot allocate {nbytes} bytes")
        self.nbytes = nbytes
        address = ctypes.c_uint64()
        # Releases memory that other libraries have finished with.
        dlpack.sweep()
        doing = f"allocate {nbytes} bytes on {device}"
        # The driver refuses to allocate nothing.
        status = device.call(
            "cuMemAlloc_v2", ctypes.byref(address), max(nbytes, 1), doing=doing, answers=(OUT_OF_MEMORY,)
        )
        if status:
            free, total = device.memory()
            raise device.driver.error(status, doing, f"{free} of {total} bytes are free")
        self._address = address.value
        release = partial(device.call, "cuMemFree_v2", address, doing=f"free {nbytes} bytes on {device}")
        super().__init__(device, release)

    @property
    def address(self) -> int:
        """The address of the first byte. Raises CudaError if it was closed."""
        self.check_open()
        return self._address

    def upload(self, source: np.ndarray, offset: int = 0, stream: Stream | None = None) -> None:
        """Copies a C-contiguous array to `offset`. Without a stream the call returns when it is complete;
        with one, an array in pinned memory must not change until the stream has executed the copy."""
        self._check(offset, source.nbytes, "upload")
        copy_to_device(self.device, self.address + offset, source, stream)

    def download(self, target: np.ndarray, offset: int = 0, stream: Stream | None = None) -> None:
        """Copies bytes from `offset` into a C-contiguous, writable array. The copy is complete when the call
        returns, or with a stream when that has executed it."""
        self._check(offset, target.nbytes, "download")
        copy_to_host(self.device, target, self.address + offset, stream)

    def fill(self, byte: int, offset: int = 0, nbytes: int | None = None, *, stream: Stream) -> None:
        """Sets bytes from `offset` on to `byte`, all by default."""
        nbytes = self.nbytes - offset if nbytes is None else nbytes
        self._check(offset, nbytes, "fill")
        if nbytes:
            self.device.call(
                "cuMemsetD8Async",
                self.address + offset,
                byte,
                nbytes,
                stream.handle,
                doing=f"fill {nbytes} bytes on {self.device}",
            )

    def _check(self, offset: int, nbytes: int, what: str) -> None:
        if not 0 <= offset <= offset + nbytes <= self.nbytes:
            raise CudaError(f"cannot {what} {nbytes} bytes at {offset} of memory of {self.nbytes} bytes")


class PinnedMemory(Resource):
    """Page-locked memory of the host."""

    def __init__(self, device: Device, nbytes: int) -> None:
        """Raises CudaError if there is not enough."""
        self.nbytes = nbytes
        address = ctypes.c_void_p()
        doing = f"allocate {nbytes} bytes of pinned host memory"
        device.call("cuMemHostAlloc", ctypes.byref(address), max(nbytes, 1), PORTABLE, doing=doing)
        self._address = address.value or 0
        release = partial(
            device.call, "cuMemFreeHost", address, doing=f"free {nbytes} bytes of pinned host memory"
        )
        super().__init__(device, release)

    @property
    def address(self) -> int:
        """The address of the first byte. Raises CudaError if it was closed."""
        self.check_open()
        return self._address

    def array(self, dtype: Any = np.uint8, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """Returns the memory as an array (of all bytes by default), which must not be used after `close`."""
        whole = host_bytes(self.address, self.nbytes, self)
        if shape is None:
            return whole.view(dtype)
        count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        return whole[:count].view(dtype).reshape(shape)


class _Bytes:
    """The array interface of host memory; NumPy's array holds it, and it holds the owner."""

    def __init__(self, address: int, nbytes: int, owner: object, writable: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (address, not writable),
        }


def host_bytes(address: int, nbytes: int, owner: object, writable: bool = True) -> np.ndarray:
    """Returns host memory at an address as an array of uint8 that keeps `owner` alive."""
    if nbytes == 0:
        return np.empty(0, np.uint8)
    return np.asarray(_Bytes(address, nbytes, owner, writable))


def copy_to_device(device: Device, address: int, source: np.ndarray, stream: Stream | None = None) -> None:
    """Copies a C-contiguous array to the device; see `DeviceMemory.upload`."""
    if not source.flags.c_contiguous:
        raise ValueError("only C-contiguous arrays can be copied to a device")
    if not source.nbytes:
        return
    doing = f"copy {source.nbytes} bytes to {device}"
    arguments = (address, source.ctypes.data, source.nbytes)
    if stream is None:
        device.call("cuMemcpyHtoD_v2", *arguments, doing=doing)
    else:
        device.call("cuMemcpyHtoDAsync_v2", *arguments, stream.handle, doing=doing)


def copy_to_host(device: Device, target: np.ndarray, address: int, stream: Stream | None = None) -> None:
    """Copies from the device into a C-contiguous, writable array; see `DeviceMemory.download`."""
    if not target.flags.c_contiguous or not target.flags.writeable:
        raise ValueError("can only copy from a device to C-contiguous, writable arrays")
    if not target.nbytes:
        return
    doing = f"copy {target.nbytes} bytes from {device}"
    arguments = (target.ctypes.data, address, target.nbytes)
    if stream is None:
        device.call("cuMemcpyDtoH_v2", *arguments, doing=doing)
    else:
        device.call("cuMemcpyDtoHAsync_v2", *arguments, stream.handle, doing=doing)


def copy_on_device(device: Device, target: int, source: int, nbytes: int, stream: Stream) -> None:
    """Copies between two addresses on the device."""
    doing = f"copy {nbytes} bytes on {device}"
    if nbytes:
        device.call("cuMemcpyDtoDAsync_v2", target, source, nbytes, stream.handle, doing=doing)
