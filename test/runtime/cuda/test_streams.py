"""Streams and events."""

import numpy as np
import pytest

from mlc.runtime.cuda import (
    CudaError,
    Device,
    DeviceMemory,
    Event,
    PinnedMemory,
    Stream,
    elapsed_milliseconds,
)


def test_order_between_streams(device: Device) -> None:
    """Work runs when it must: without a wait, the second stream reads what the first has not yet written."""
    with (
        Stream(device) as first,
        Stream(device) as second,
        DeviceMemory(device, 8) as memory,
        PinnedMemory(device, 8) as pinned,
    ):
        memory.fill(1, stream=second)
        second.synchronize()
        memory.fill(2, stream=first)
        assert not first.idle()
        memory.download(pinned.array(), stream=second)
        second.synchronize()
        np.testing.assert_array_equal(pinned.array(), 1)
        second.wait_for(first)
        memory.download(pinned.array(), stream=second)
        second.synchronize()
        assert first.idle()
        np.testing.assert_array_equal(pinned.array(), 2)
        first.wait_for(first)


def test_events(device: Device) -> None:
    with Stream(device) as stream, DeviceMemory(device, 8) as memory, Event(device) as event:
        assert event.has_happened()
        memory.fill(1, stream=stream)
        stream.record(event)
        assert not event.has_happened()
        event.synchronize()
        assert event.has_happened() and stream.idle()


def test_elapsed_time(device: Device) -> None:
    with (
        Stream(device) as stream,
        DeviceMemory(device, 8) as memory,
        Event(device, timing=True) as start,
        Event(device, timing=True) as end,
        Event(device) as other,
    ):
        stream.record(start)
        memory.fill(1, stream=stream)
        stream.record(end)
        stream.synchronize()
        assert elapsed_milliseconds(start, end) == 1
        with pytest.raises(CudaError, match="made with timing=True"):
            elapsed_milliseconds(start, other)


def test_streams_of_others_are_left_alone(device: Device) -> None:
    with Stream(device) as own, DeviceMemory(device, 8) as memory:
        borrowed = Stream(device, own.handle)
        memory.fill(3, stream=borrowed)
        borrowed.close()
        assert not own.idle()
        Stream(device, 0).wait_for(own)
        device.synchronize()
        assert own.idle()


def test_failures(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_FAIL", "cuStreamCreate:1:2,cuEventCreate:1:2,cuStreamWaitEvent:1:400")
    with pytest.raises(CudaError, match="cannot create a stream on device 0: out of memory"):
        Stream(device)
    with pytest.raises(CudaError, match="cannot create an event on device 0: out of memory"):
        Event(device)
    with (
        Stream(device) as first,
        Stream(device) as second,
        pytest.raises(CudaError, match="wait for an event"),
    ):
        first.wait_for(second)
