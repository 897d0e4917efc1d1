"""CUDA graphs."""

from typing import Any

import numpy as np
import pytest

from mlc.runtime.cuda import CudaError, Device, DeviceMemory, Graph, Stream


def content(memory: DeviceMemory) -> list[int]:
    result = np.empty(memory.nbytes, np.uint8)
    memory.download(result)
    return result.tolist()


def test_capture_runs_nothing(stub: Any, device: Device) -> None:
    with Stream(device) as stream, DeviceMemory(device, 2) as memory:
        memory.upload(np.zeros(2, np.uint8))
        with Graph(stream, lambda: memory.fill(1, 0, 1, stream=stream)) as graph:
            stream.synchronize()
            assert content(memory) == [0, 0]
            graph.launch(stream)
            assert graph.recapture(stream, lambda: memory.fill(2, 1, 1, stream=stream))
            stream.synchronize()
            # What was launched before the change stays as it was.
            assert content(memory) == [1, 0]
            graph.launch(stream)
            stream.synchronize()
            assert content(memory) == [1, 2]
    assert stub.calls("cuGraphInstantiateWithFlags") == 1


def test_another_topology_is_instantiated_again(device: Device) -> None:
    with Stream(device) as stream, DeviceMemory(device, 2) as memory:

        def both() -> None:
            memory.fill(3, 0, 1, stream=stream)
            memory.fill(4, 1, 1, stream=stream)

        with Graph(stream, lambda: memory.fill(1, 0, 1, stream=stream)) as graph:
            graph.launch(stream)
            assert not graph.recapture(stream, both)
            graph.launch(stream)
            stream.synchronize()
            assert content(memory) == [3, 4]


def test_drivers_that_cannot_update(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_VERSION", "11080")
    with Device() as device, Stream(device) as stream, DeviceMemory(device, 1) as memory:
        with Graph(stream, lambda: memory.fill(1, stream=stream)) as graph:
            assert not graph.recapture(stream, lambda: memory.fill(2, stream=stream))
            graph.launch(stream)
            stream.synchronize()
        assert content(memory) == [2]
    assert stub.calls("cuGraphExecUpdate_v2") == 0


def test_several_streams(device: Device) -> None:
    with Stream(device) as first, Stream(device) as second, DeviceMemory(device, 2) as memory:

        def body() -> None:
            memory.fill(1, stream=first)
            second.wait_for(first)
            memory.fill(2, 1, 1, stream=second)
            first.wait_for(second)

        with Graph(first, body) as graph:
            graph.launch(second)
            second.synchronize()
        assert content(memory) == [1, 2]


def test_streams_must_join(stub: Any, device: Device) -> None:
    with Stream(device) as first, Stream(device) as second, DeviceMemory(device, 2) as memory:

        def body() -> None:
            second.wait_for(first)
            memory.fill(2, stream=second)

        with pytest.raises(CudaError, match=r"cannot end a capture .*unjoined"):
            Graph(first, body)
        memory.fill(3, stream=second)
        second.synchronize()
        assert content(memory) == [3, 3]
    assert "graph" not in stub.live()


def test_the_body_fails(stub: Any, device: Device) -> None:
    def fail() -> None:
        raise KeyError("body")

    with Stream(device) as stream, DeviceMemory(device, 1) as memory:
        with pytest.raises(KeyError, match="body"):
            Graph(stream, fail)
        with Graph(stream, lambda: memory.fill(1, stream=stream)) as graph:
            with pytest.raises(KeyError, match="body"):
                graph.recapture(stream, fail)
            graph.launch(stream)
            stream.synchronize()
        assert content(memory) == [1]
        with pytest.raises(CudaError, match="this Graph of device 0 was closed"):
            graph.launch(stream)


@pytest.mark.parametrize("call", ["cuStreamBeginCapture_v2", "cuGraphInstantiateWithFlags"])
def test_failures(device: Device, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Stream(device) as stream, DeviceMemory(device, 1) as memory:
        monkeypatch.setenv("MLC_STUB_FAIL", f"{call}:1:2")
        with pytest.raises(CudaError, match="out of memory"):
            Graph(stream, lambda: memory.fill(1, stream=stream))
        stream.synchronize()
