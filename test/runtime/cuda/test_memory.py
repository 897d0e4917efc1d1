"""Memory, copies, and that everything is given back."""

import gc
import threading
from typing import Any

import numpy as np
import pytest

from mlc.runtime.cuda import CudaError, Device, DeviceMemory, PinnedMemory, Stream


def test_copies(device: Device) -> None:
    data = np.arange(10, dtype=np.int16)
    with DeviceMemory(device, 64) as memory, Stream(device) as stream:
        memory.fill(0, stream=stream)
        memory.upload(data, 4, stream)
        back = np.empty(12, np.int16)
        memory.download(back, 0, stream)
        stream.synchronize()
        np.testing.assert_array_equal(back, [0, 0, *range(10)])
        memory.upload(data[::-1].copy(), 0)
        memory.download(back[:10])
        np.testing.assert_array_equal(back[:10], range(9, -1, -1))


@pytest.mark.parametrize(("offset", "count"), [(-1, 1), (0, 17), (16, 1), (9, 8)])
def test_nothing_outside_is_touched(device: Device, offset: int, count: int) -> None:
    with DeviceMemory(device, 16) as memory, pytest.raises(CudaError, match=f"{count} bytes at {offset}"):
        memory.upload(np.zeros(count, np.uint8), offset)


def test_arrays_must_be_dense(device: Device) -> None:
    with DeviceMemory(device, 64) as memory:
        with pytest.raises(ValueError, match="only C-contiguous"):
            memory.upload(np.zeros((4, 4), np.float32).T[1:])
        with pytest.raises(ValueError, match="writable"):
            memory.download(np.frombuffer(bytes(8), np.uint8))


def test_no_bytes(device: Device) -> None:
    with DeviceMemory(device, 0) as memory:
        memory.upload(np.empty(0))
        memory.download(np.empty(0))
    with pytest.raises(ValueError, match="-1 bytes"):
        DeviceMemory(device, -1)


def test_out_of_memory(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_MEMORY", "1000")
    with Device() as device, DeviceMemory(device, 600), pytest.raises(CudaError) as caught:
        DeviceMemory(device, 500)
    assert str(caught.value) == (
        "cannot allocate 500 bytes on device 0: out of memory (CUDA_ERROR_OUT_OF_MEMORY); "
        "400 of 1000 bytes are free"
    )


def test_pinned_memory(device: Device) -> None:
    with PinnedMemory(device, 32) as pinned, DeviceMemory(device, 32) as memory, Stream(device) as stream:
        view = pinned.array(np.float32, (2, 3))
        view[:] = 1
        memory.upload(view, stream=stream)
        # The copy has not begun: it takes what is there then.
        view[:] = 2
        stream.synchronize()
        back = np.empty(6, np.float32)
        memory.download(back)
        np.testing.assert_array_equal(back, 2)
        assert pinned.array().shape == (32,)


def test_pageable_memory_may_change_at_once(device: Device) -> None:
    data = np.ones(8, np.float32)
    with DeviceMemory(device, 32) as memory, Stream(device) as stream:
        memory.upload(data, stream=stream)
        data[:] = 2
        stream.synchronize()
        memory.download(data)
        np.testing.assert_array_equal(data, 1)


def test_closed(device: Device) -> None:
    memory, stream = DeviceMemory(device, 8), Stream(device)
    for resource in (memory, stream):
        resource.close()
        resource.close()
        assert resource.closed
    with pytest.raises(CudaError, match="this DeviceMemory of device 0 was closed"):
        memory.upload(np.zeros(1))
    with pytest.raises(CudaError, match="this Stream of device 0 was closed"):
        stream.synchronize()


def test_collected(stub: Any) -> None:
    device = Device()
    memory, pinned = DeviceMemory(device, 8), PinnedMemory(device, 8)
    view = pinned.array()
    assert stub.live() == {"memory": 1, "pinned": 1, "context": 1}
    del memory, pinned
    gc.collect()
    # The array keeps the pinned memory.
    assert stub.live() == {"pinned": 1, "context": 1} and view.shape == (8,)
    del view, device
    gc.collect()
    assert stub.live() == {}


def test_a_device_closes_what_is_open_on_it(stub: Any) -> None:
    device = Device()
    memory, _stream = DeviceMemory(device, 8), Stream(device)
    device.close()
    assert stub.live() == {}
    memory.close()
    assert memory.closed


def test_other_threads(stub: Any, device: Device) -> None:
    """A thread has no context at first, and has none afterwards."""
    sizes = []

    def work() -> None:
        with DeviceMemory(device, 8) as memory:
            sizes.append(memory.nbytes)
        sizes.append(stub.library.mlc_stub_depth())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert sizes == [8, 0]


def test_failures_of_the_driver(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_FAIL", "cuMemcpyHtoD_v2:1:700,cuMemFree_v2:1:400")
    memory = DeviceMemory(device, 8)
    with pytest.raises(CudaError, match=r"cannot copy 8 bytes to device 0: .*a kernel that ran before"):
        memory.upload(np.zeros(1))
    with pytest.raises(CudaError, match="cannot free 8 bytes on device 0: invalid resource handle"):
        memory.close()
    monkeypatch.delenv("MLC_STUB_FAIL")
    device.call("cuMemFree_v2", memory._address, doing="free it after all")
