"""Imports tensors of other libraries without copies, through DLPack."""

from __future__ import annotations

import weakref
from math import prod
from typing import Any

import numpy as np

from mlc.runtime.cuda import dlpack
from mlc.runtime.cuda.device_tensors import LEGACY_DEFAULT_STREAM, dense_strides, host_dtype
from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.dtypes import BY_DLPACK
from mlc.runtime.cuda.driver.memory import host_bytes
from mlc.runtime.cuda.driver.streams import Stream


class Borrowed:
    """A dense tensor of another library, which keeps it until `release` or until this object is collected."""

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
    """Borrows the tensor of an object with `__dlpack__`, without a copy. Its library makes `stream` wait for
    it.

    `what` begins messages. Raises TypeError for an unknown element type, ValueError for another device than
    `device` (None: the host), for strides that are not dense, or if its library refuses.
    """
    actual = tuple(value.__dlpack_device__())
    if not _is_on(actual, device):
        here = f"on {device}" if device else "in host memory"
        raise ValueError(f"{what}: expected a tensor {here}, got one on {_device_name(*actual)}")
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
    """Returns a view of another library's host tensor, kept alive. Raises like `borrow` and `host_dtype`."""
    tensor = borrow(value, what, None)
    dtype = host_dtype(tensor.dtype, what)
    return (
        host_bytes(tensor.address, tensor.nbytes, tensor, not tensor.read_only)
        .view(dtype)
        .reshape(tensor.shape)
    )


def _capsule(value: Any, stream: Stream | None) -> Any:
    arguments: dict[str, Any] = {} if stream is None else {"stream": stream.handle or LEGACY_DEFAULT_STREAM}
    try:
        return value.__dlpack__(**arguments, max_version=dlpack.VERSION)
    except TypeError:
        # Libraries from before DLPack 1.0 do not know `max_version`.
        return value.__dlpack__(**arguments)


def _check(tensor: dlpack.DLTensor, what: str) -> None:
    if (tensor.code, tensor.bits) not in BY_DLPACK or tensor.lanes != 1:
        element = f"code {tensor.code}, {tensor.bits} bits, {tensor.lanes} lanes"
        raise TypeError(f"{what}: a tensor of an unknown element type ({element})")
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


def _is_on(actual: tuple[int, ...], device: Device | None) -> bool:
    if device is None:
        return actual[0] in (dlpack.CPU, dlpack.CUDA_HOST)
    return actual[0] == dlpack.CUDA_MANAGED or actual == (dlpack.CUDA, device.index)


def _device_name(device_type: int, index: int) -> str:
    names = {
        dlpack.CPU: "the host",
        dlpack.CUDA: f"CUDA device {index}",
        dlpack.CUDA_HOST: "the host (pinned)",
    }
    return names.get(device_type, f"a device of DLPack's type {device_type}")
