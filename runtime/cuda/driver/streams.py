"""Streams: work on one stream runs in the order in which it was enqueued."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import NOT_READY
from mlc.runtime.cuda.driver.events import Event
from mlc.runtime.cuda.driver.resource import Handle

NON_BLOCKING = 1


class Stream(Handle):
    """A stream of a device, which does not wait for the default stream."""

    def __init__(self, device: Device, handle: int | None = None) -> None:
        """A new stream; or, with `handle`, somebody else's CUstream as a number, which `close` leaves alone
        (`torch.cuda.current_stream().cuda_stream`; 0 is the default stream)."""
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
        """The event happens when everything enqueued so far is done."""
        self.device.call(
            "cuEventRecord", event.handle, self.handle, doing=f"record an event on {self.device}"
        )

    def wait(self, event: Event) -> None:
        """What is enqueued from now on begins after the event. Does not stop the host."""
        doing = f"make a stream of {self.device} wait for an event"
        self.device.call("cuStreamWaitEvent", self.handle, event.handle, 0, doing=doing)

    def wait_for(self, other: Stream) -> None:
        """What is enqueued from now on begins after what `other` has to do so far."""
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
    """Somebody else's stream is not ours to destroy."""
