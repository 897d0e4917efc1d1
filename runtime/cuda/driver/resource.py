"""Resources of the driver, which are released once: by `close`, garbage collection, or with the device."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from mlc.runtime.cuda.driver.errors import CudaError

if TYPE_CHECKING:
    from mlc.runtime.cuda.driver.device import Device


class Resource:
    """Base of memory, streams, events, modules and graphs. A closed one raises CudaError when it is used."""

    def __init__(self, device: Device, release: Callable[[], object]) -> None:
        """`release` releases the resource; it must not refer to this object, or it would live for ever."""
        self.device = device
        token = device.new_token()
        self._finalizer = weakref.finalize(self, _quietly, device, token, release)
        device.open_resources[token] = self._finalizer

    def close(self) -> None:
        """Releases the resource; later calls do nothing. Raises CudaError."""
        close_now(self._finalizer)

    @property
    def closed(self) -> bool:
        """Whether the resource was released."""
        return not self._finalizer.alive

    def check_open(self) -> None:
        """Raises CudaError after `close`."""
        if not self._finalizer.alive:
            raise CudaError(f"this {type(self).__name__} of {self.device} was closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


class Handle(Resource):
    """A resource with a handle of the driver."""

    def __init__(self, device: Device, handle: int, release: Callable[[], object]) -> None:
        self._handle = handle
        super().__init__(device, release)

    @property
    def handle(self) -> int:
        """The driver's handle (CUevent, CUstream). Raises CudaError if the resource was closed."""
        self.check_open()
        return self._handle


def close_now(finalizer: weakref.finalize) -> None:
    """Runs a finalizer of a resource, unless it has run, and propagates its errors."""
    detached = finalizer.detach()
    if detached is not None:
        device, token, release = detached[2]
        device.open_resources.pop(token, None)
        release()


def _quietly(device: Device, token: int, release: Callable[[], object]) -> None:
    """Releases a resource at garbage collection, where nobody can handle an error: the driver may be gone."""
    device.open_resources.pop(token, None)
    with suppress(CudaError):
        release()
