"""Tensors of made-up other libraries."""

import ctypes
import weakref
from typing import Any

import numpy as np

from mlc.runtime.cuda import dlpack


class Foreign:
    """Another library's tensor, described freely. `deleted` counts what was given back."""

    def __init__(self, address: int, shape: tuple[int, ...], **changes: Any) -> None:
        self.fields = {"code": 2, "bits": 32, "lanes": 1, "strides": None, "byte_offset": 0, **changes}
        self.address, self.shape = address, shape
        self.device = self.fields.pop("device", (2, 0))
        self.version = self.fields.pop("version", (1, 0))
        self.deleted = 0
        self.streams: list[int] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None) -> Any:
        assert max_version == (1, 1)
        self.streams.append(stream or 0)
        rank, fields = len(self.shape), self.fields
        sizes = (ctypes.c_int64 * rank)(*self.shape)
        strides = None if fields["strides"] is None else (ctypes.c_int64 * rank)(*fields["strides"])
        element = (fields["code"], fields["bits"], fields["lanes"])
        ndim = fields.get("ndim", rank)
        tensor = dlpack.DLTensor(
            self.address, *self.device, ndim, *element, sizes, strides, fields["byte_offset"]
        )
        keep = Kept(self)
        capsule = dlpack.give(
            tensor, (sizes, strides, keep), versioned=True, read_only=fields.get("ro", False)
        )
        address = dlpack._get_pointer(id(capsule), dlpack.VERSIONED_NAME)
        dlpack.ManagedVersioned.from_address(address).major = self.version[0]
        return capsule


class Kept:
    """Counts the deletions of the tensor by its consumer."""

    def __init__(self, tensor: Foreign) -> None:
        weakref.finalize(self, lambda: setattr(tensor, "deleted", tensor.deleted + 1))


class Old:
    """A library from before DLPack 1.0."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream: Any = None) -> Any:
        return self.array.__dlpack__(stream=stream)
