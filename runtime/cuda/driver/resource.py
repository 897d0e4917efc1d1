"""What the driver holds for us is given back once: by `close`, garbage collection, or with the device."""

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
        """`release` gives the resource back; it must not refer to this object, or it would live for ever."""
        self.device = device
        token = device.new_token()
        self._finalizer = weakref.finalize(self, _quietly, device, token, release)
        device.open_resources[token] = self._finalizer

    def close(self) -> None:
        """Gives the resource back to the driver; nothing happens the second time. Raises CudaError."""
        close_now(self._finalizer)

    @property
    def closed(self) -> bool:
        """Whether it was given back."""
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
    """A resource that the driver knows by a number."""

    def __init__(self, device: Device, handle: int, release: Callable[[], object]) -> None:
        self._handle = handle
        super().__init__(device, release)

    @property
    def handle(self) -> int:
        """The driver's number (CUevent, CUstream). Raises CudaError if the resource was closed."""
        self.check_open()
        return self._handle


def close_now(finalizer: weakref.finalize) -> None:
    """Runs a finalizer of a resource, if nobody did, and lets its errors out."""
    detached = finalizer.detach()
    if detached is not None:
        device, token, release = detached[2]
        device.open_resources.pop(token, None)
        release()


def _quietly(device: Device, token: int, release: Callable[[], object]) -> None:
    """At garbage collection nobody can handle an error: say, the process ends and the driver is gone."""
    device.open_resources.pop(token, None)
    with suppress(CudaError):
        release()
