"""Events: marks on streams, to wait for and to measure between."""

from __future__ import annotations

import ctypes
from functools import partial

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import NOT_READY
from mlc.runtime.cuda.driver.resource import Handle

DISABLE_TIMING = 2


class Event(Handle):
    """A mark that `Stream.record` puts on a stream. One that was never recorded has happened."""

    def __init__(self, device: Device, *, timing: bool = False) -> None:
        """`timing` is needed for `elapsed_milliseconds`; events without it are cheaper."""
        handle = ctypes.c_void_p()
        flags = 0 if timing else DISABLE_TIMING
        device.call("cuEventCreate", ctypes.byref(handle), flags, doing=f"create an event on {device}")
        release = partial(device.call, "cuEventDestroy_v2", handle, doing=f"destroy an event of {device}")
        super().__init__(device, handle.value or 0, release)

    def synchronize(self) -> None:
        """Waits until the event has happened. Raises CudaError if work before it failed."""
        self.device.call("cuEventSynchronize", self.handle, doing=f"wait for an event of {self.device}")

    def happened(self) -> bool:
        """Whether the event has happened; does not wait."""
        doing = f"ask for the state of an event of {self.device}"
        return not self.device.call("cuEventQuery", self.handle, doing=doing, answers=(NOT_READY,))


def elapsed_milliseconds(start: Event, end: Event) -> float:
    """The time between two events that have happened, both made with `timing`. Raises CudaError otherwise."""
    result = ctypes.c_float()
    start.device.call(
        "cuEventElapsedTime",
        ctypes.byref(result),
        start.handle,
        end.handle,
        doing="measure the time between two events (both recorded, made with timing=True, and past)",
    )
    return result.value
