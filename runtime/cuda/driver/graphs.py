"""CUDA graphs: captured work that one call launches again."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from mlc.runtime.cuda.driver.device import Device
from mlc.runtime.cuda.driver.errors import GRAPH_EXEC_UPDATE_FAILURE
from mlc.runtime.cuda.driver.resource import Resource
from mlc.runtime.cuda.driver.signatures import SINCE, GraphUpdateResult
from mlc.runtime.cuda.driver.streams import Stream

# Other code on this thread, such as Python's collector, may call what other modes forbid during a capture.
RELAXED = 2


class Graph(Resource):
    """The executable graph of what a function enqueues."""

    def __init__(self, stream: Stream, body: Callable[[], None]) -> None:
        """Captures what `body` enqueues on `stream`, and on streams that wait for it and for which it waits
        in the end. Nothing runs yet. Raises CudaError, or what `body` raises, and has ended the capture."""
        device = stream.device
        captured = _capture(stream, body)
        try:
            self._holder = [_instantiate(device, captured)]
        finally:
            _destroy(device, captured)
        super().__init__(device, _Release(device, self._holder))

    def launch(self, stream: Stream) -> None:
        """Enqueues the whole graph on a stream; does not wait."""
        self.check_open()
        doing = f"launch a graph on {self.device}"
        self.device.call("cuGraphLaunch", self._holder[0], stream.handle, doing=doing)

    def recapture(self, stream: Stream, body: Callable[[], None]) -> bool:
        """Replaces the graph by what `body` enqueues now. True if only parameters had to change, which is
        cheap; otherwise it is instantiated again. Raises like the constructor; the graph is then
        unchanged."""
        self.check_open()
        captured = _capture(stream, body)
        try:
            if self._update(captured):
                return True
            old, self._holder[0] = self._holder[0], _instantiate(self.device, captured)
            # The old one may still run.
            self.device.synchronize()
            _destroy_executable(self.device, old)
            return False
        finally:
            _destroy(self.device, captured)

    def _update(self, captured: int) -> bool:
        if self.device.driver.version < SINCE["cuGraphExecUpdate_v2"]:
            return False
        status = self.device.call(
            "cuGraphExecUpdate_v2",
            self._holder[0],
            captured,
            ctypes.byref(GraphUpdateResult()),
            doing=f"update a graph on {self.device}",
            answers=(GRAPH_EXEC_UPDATE_FAILURE,),
        )
        return status == 0


class _Release:
    """Destroys the executable graph that the holder has at the time."""

    def __init__(self, device: Device, holder: list[int]) -> None:
        self._device, self._holder = device, holder

    def __call__(self) -> None:
        _destroy_executable(self._device, self._holder[0])


def _capture(stream: Stream, body: Callable[[], None]) -> int:
    device, handle = stream.device, ctypes.c_void_p()
    device.call(
        "cuStreamBeginCapture_v2", stream.handle, RELAXED, doing=f"begin a capture on a stream of {device}"
    )
    try:
        body()
    except BaseException:
        with device.current():
            device.driver.function("cuStreamEndCapture")(stream.handle, ctypes.byref(handle))
        if handle.value:
            _destroy(device, handle.value)
        raise
    device.call(
        "cuStreamEndCapture",
        stream.handle,
        ctypes.byref(handle),
        doing=f"end a capture on a stream of {device}",
    )
    return handle.value or 0


def _instantiate(device: Device, graph: int) -> int:
    handle = ctypes.c_void_p()
    doing = f"instantiate a graph on {device}"
    device.call("cuGraphInstantiateWithFlags", ctypes.byref(handle), graph, 0, doing=doing)
    return handle.value or 0


def _destroy(device: Device, graph: int) -> None:
    device.call("cuGraphDestroy", graph, doing=f"destroy a captured graph of {device}")


def _destroy_executable(device: Device, graph: int) -> None:
    device.call("cuGraphExecDestroy", graph, doing=f"destroy a graph of {device}")
