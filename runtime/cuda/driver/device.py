"""A GPU: its properties, and its primary context, which PyTorch and the CUDA runtime use too."""

from __future__ import annotations

import ctypes
import itertools
import threading
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

from mlc.runtime.cuda.driver.errors import CudaError, version_text
from mlc.runtime.cuda.driver.library import Driver, load_driver
from mlc.runtime.cuda.driver.resource import close_now
from mlc.runtime.cuda.driver.signatures import DEVICE_ATTRIBUTES

_current = threading.local()


@dataclass(frozen=True)
class Properties:
    """The properties of a device. Sizes are in bytes; `compute_capability` is (9, 0) for sm_90."""

    name: str
    compute_capability: tuple[int, int]
    multiprocessors: int
    memory_bytes: int
    max_shared_bytes: int
    max_threads_per_block: int
    l2_bytes: int
    clusters: bool
    tensor_maps: bool

    @property
    def architecture(self) -> str:
        """The name of the architecture in PTX: "sm_90"."""
        return "sm_{}{}".format(*self.compute_capability)


class Device:
    """A GPU by index. `close`, or the end of the last object that uses it, releases its primary context."""

    def __init__(self, index: int = 0, driver: Driver | None = None) -> None:
        """Makes the primary context. Raises CudaError if there is no driver or no such device."""
        self.driver = driver if driver is not None else load_driver()
        self.index = index
        self._tokens = itertools.count()
        self.open_resources: dict[int, weakref.finalize] = {}
        self.properties = device_properties(index, self.driver)
        context, handle = ctypes.c_void_p(), _handle(index, self.driver)
        doing = f"make the context of {self}"
        self.driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle, doing=doing)
        self._context = context
        release = partial(
            self.driver.call, "cuDevicePrimaryCtxRelease_v2", handle, doing=f"release the context of {self}"
        )
        self._finalizer = weakref.finalize(self, _quietly, release)

    def __str__(self) -> str:
        return f"device {self.index}"

    def call(self, name: str, *arguments: Any, doing: str, answers: Collection[int] = ()) -> int:
        """`Driver.call` in this device's context."""
        with self.current():
            return self.driver.call(name, *arguments, doing=doing, answers=answers)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Makes the device's context the calling thread's current one inside the block."""
        if not self._finalizer.alive:
            raise CudaError(f"{self} was closed")
        stack = _current.__dict__.setdefault("stack", [])
        pushed = not stack or stack[-1] is not self
        if pushed:
            self.driver.call("cuCtxPushCurrent_v2", self._context, doing=f"use {self}")
        stack.append(self)
        try:
            yield
        finally:
            stack.pop()
            if pushed:
                self.driver.function("cuCtxPopCurrent_v2")(ctypes.byref(ctypes.c_void_p()))

    def synchronize(self) -> None:
        """Waits for all work on the device. Raises CudaError if a kernel failed."""
        self.call("cuCtxSynchronize", doing=f"wait for {self}")

    def memory(self) -> tuple[int, int]:
        """Returns free and total bytes of the device's memory."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call(
            "cuMemGetInfo_v2",
            ctypes.byref(free),
            ctypes.byref(total),
            doing=f"ask {self} for its free memory",
        )
        return free.value, total.value

    def new_token(self) -> int:
        """Returns a unique id for a resource of this device."""
        return next(self._tokens)

    @cached_property
    def description(self) -> str:
        """A description of one line for people."""
        return describe(self.properties)

    def close(self) -> None:
        """Releases all open resources of this device, the latest first, then the context."""
        for token in sorted(self.open_resources, reverse=True):
            finalizer = self.open_resources.get(token)
            if finalizer is not None:
                with suppress(CudaError):
                    close_now(finalizer)
        detached = self._finalizer.detach()
        if detached is not None:
            [release] = detached[2]
            release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def device_count(driver: Driver) -> int:
    """Returns the number of GPUs that the driver shows to this process."""
    count = ctypes.c_int()
    driver.call("cuDeviceGetCount", ctypes.byref(count), doing="count the GPUs")
    return count.value


def device_properties(index: int, driver: Driver) -> Properties:
    """Returns the properties of a device, without a context. Raises CudaError if it does not exist."""
    handle = _handle(index, driver)
    doing = f"ask for the properties of device {index}"
    name, memory, value = ctypes.create_string_buffer(256), ctypes.c_size_t(), ctypes.c_int()
    driver.call("cuDeviceGetName", name, len(name), handle, doing=doing)
    driver.call("cuDeviceTotalMem_v2", ctypes.byref(memory), handle, doing=doing)
    found = {}
    for key, attribute in DEVICE_ATTRIBUTES.items():
        # Drivers that are older than an attribute do not know it: the device then lacks the feature.
        status = driver.call(
            "cuDeviceGetAttribute", ctypes.byref(value), attribute, handle, doing=doing, answers=(1,)
        )
        found[key] = 0 if status else value.value
    return Properties(
        name=name.value.decode(errors="replace"),
        compute_capability=(found.pop("major"), found.pop("minor")),
        memory_bytes=memory.value,
        clusters=bool(found.pop("clusters")),
        tensor_maps=bool(found.pop("tensor_maps")),
        **found,
    )


def describe(properties: Properties) -> str:
    """Returns a text such as "NVIDIA H100, compute capability 9.0, 132 multiprocessors, 79.1 GiB"."""
    major, minor = properties.compute_capability
    return (
        f"{properties.name}, compute capability {major}.{minor}, "
        f"{properties.multiprocessors} multiprocessors, {properties.memory_bytes / (1 << 30):.1f} GiB"
    )


def driver_description(driver: Driver) -> str:
    """Returns a text such as "CUDA 12.4, libcuda.so.1"."""
    return f"CUDA {version_text(driver.version)}, {driver.path}"


def _handle(index: int, driver: Driver) -> int:
    """Returns the driver's handle of a device. Raises CudaError if there is no such device."""
    count, handle = device_count(driver), ctypes.c_int()
    if not 0 <= index < count:
        raise CudaError(f"there is no device {index}: the driver shows {count}, counted from 0")
    driver.call("cuDeviceGet", ctypes.byref(handle), index, doing=f"find device {index}")
    return handle.value


def _quietly(release: Callable[[], object]) -> None:
    with suppress(CudaError):
        release()
