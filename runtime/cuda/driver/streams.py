"""Streams: work on one stream runs in the order in which it was enqueued.

Events: marks on streams, to wait for and to measure between.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import NOT_READY
from mlc.runtime.cuda.driver.resource import Handle

DISABLE_TIMING = 2


class Event(Handle):
    """A marker that `Stream.record` enqueues on a stream. One that was never recorded has happened."""

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

    def has_happened(self) -> bool:
        """Whether the event has happened; does not wait."""
        doing = f"ask for the state of an event of {self.device}"
        return not self.device.call("cuEventQuery", self.handle, doing=doing, answers=(NOT_READY,))


def elapsed_milliseconds(start: Event, end: Event) -> float:
    """Returns the time between two past events, both made with `timing`. Raises CudaError otherwise."""
    result = ctypes.c_float()
    start.device.call(
        "cuEventElapsedTime",
        ctypes.byref(result),
        start.handle,
        end.handle,
        doing="measure the time between two events (both recorded, made with timing=True, and past)",
    )
    return result.value


NON_BLOCKING = 1


class Stream(Handle):
    """A stream of a device, which does not wait for the default stream."""

    def __init__(self, device: Device, handle: int | None = None) -> None:
        """Creates a stream; or wraps a CUstream of another library, given as an integer, which `close` does
        not destroy (`torch.cuda.current_stream().cuda_stream`; 0 is the default stream)."""
        release: Callable[[], object]
        if handle is None:
            handle, release = _create(device)
        else:
            release = _leave
        super().__init__(device, handle, release)

    def synchronize(self) -> None:
        """Waits until everything enqueued so far is done. Raises CudaError if some of it failed."""
        self.device.call("cuStreamSynchronize", self.handle, doing=f"wait for a stream of {self.device}")

    def idle(self) -> bool:
        """Whether everything enqueued so far is done; does not wait."""
        doing = f"ask for the state of a stream of {self.device}"
        return not self.device.call("cuStreamQuery", self.handle, doing=doing, answers=(NOT_READY,))

    def record(self, event: Event) -> None:
        """Makes the event happen when everything enqueued so far is done."""
        self.device.call(
            "cuEventRecord", event.handle, self.handle, doing=f"record an event on {self.device}"
        )

    def wait(self, event: Event) -> None:
        """Makes work that is enqueued later begin after the event. Does not block the host."""
        doing = f"make a stream of {self.device} wait for an event"
        self.device.call("cuStreamWaitEvent", self.handle, event.handle, 0, doing=doing)

    def wait_for(self, other: Stream) -> None:
        """Makes work that is enqueued later begin after all work enqueued on `other` so far."""
        if other.handle == self.handle:
            return
        # The driver keeps an event that is destroyed until the work that it belongs to is done.
        with Event(self.device) as event:
            other.record(event)
            self.wait(event)


def _create(device: Device) -> tuple[int, partial[int]]:
    handle = ctypes.c_void_p()
    device.call("cuStreamCreate", ctypes.byref(handle), NON_BLOCKING, doing=f"create a stream on {device}")
    return handle.value or 0, partial(
        device.call, "cuStreamDestroy_v2", handle, doing=f"destroy a stream of {device}"
    )


def _leave() -> None:
    """Does nothing: streams of other libraries are not destroyed."""
