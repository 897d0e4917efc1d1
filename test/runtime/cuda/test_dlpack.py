"""Tensors in and out without copies."""

import ctypes
import gc
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from foreign_tensors import Foreign, Old

from mlc.runtime.cuda import CudaError, Device, DeviceMemory, Stream, Tensor, borrow, borrow_array, dlpack
from mlc.runtime.cuda.driver.dtypes import DTYPES


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    collect()
    before = len(dlpack._given)
    yield
    collect()
    assert len(dlpack._given) == before


def collect() -> None:
    gc.collect()
    dlpack.sweep()


def test_numpy_in() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    alive = weakref.ref(array)
    view = borrow_array(array, "x")
    view[1, 1] = 9
    assert array[1, 1] == 9 and view.dtype == np.float32
    del array
    assert alive() is not None
    del view
    collect()
    assert alive() is None


def test_numpy_of_old_libraries() -> None:
    array = np.arange(3)
    np.testing.assert_array_equal(borrow_array(Old(array), "x"), array)


def test_read_only_arrays_stay_so() -> None:
    array = np.arange(3)
    array.flags.writeable = False
    assert borrow(array, "x", None).read_only
    assert not borrow_array(array, "x").flags.writeable


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "complex64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (1, 2, 3)])
def test_out_to_numpy(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.ones(shape, dtype)
    tensor = Tensor(array.ctypes.data, dtype, shape, array, None)
    result = np.from_dlpack(tensor)
    assert result.shape == shape and result.dtype == dtype
    np.testing.assert_array_equal(result, array)
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_the_owner_lives_as_long_as_the_consumer() -> None:
    array = np.arange(4)
    alive = weakref.ref(array)
    result = np.from_dlpack(Tensor(array.ctypes.data, "int64", (4,), array, None))
    del array
    collect()
    assert alive() is not None
    np.testing.assert_array_equal(result, range(4))
    del result
    collect()
    assert alive() is None


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_unused_capsules_give_back(max_version: Any) -> None:
    array = np.arange(4)
    tensor = Tensor(array.ctypes.data, "int64", (4,), array, None)
    capsule = tensor.__dlpack__(max_version=max_version)
    assert len(dlpack._given) == 1
    assert ("versioned" in repr(capsule)) == (max_version is not None)
    dlpack.sweep()
    assert len(dlpack._given) == 1
    del capsule
    dlpack.sweep()
    assert len(dlpack._given) == 0


def test_deletion_while_an_exception_is_on_its_way() -> None:
    """The frames of functions that raise are cleared with the exception pending."""
    array = np.arange(4)

    def fail(used: bool) -> None:
        tensor = Tensor(array.ctypes.data, "int64", (4,), array, None)
        _held = np.from_dlpack(tensor) if used else tensor.__dlpack__()
        raise KeyError("mine")

    for used in (False, True):
        with pytest.raises(KeyError, match="mine"):
            fail(used)
    collect()
    assert len(dlpack._given) == 0


def test_consumers_that_refuse() -> None:
    array = np.zeros(4, np.uint16)
    with pytest.raises(Exception, match=r"(?i)dtype"):
        np.from_dlpack(Tensor(array.ctypes.data, "bfloat16", (4,), array, None))
    collect()
    assert len(dlpack._given) == 0


def test_a_capsule_is_taken_once() -> None:
    array = np.arange(4)
    capsule = Tensor(array.ctypes.data, "int64", (4,), array, None).__dlpack__()
    managed = dlpack.take(capsule)
    assert managed is not None and dlpack.take(capsule) is None and dlpack.take("no capsule") is None
    dlpack.delete(managed)


def test_what_cannot_be_given() -> None:
    tensor = Tensor(64, "int64", (4,), None, None)
    for asked in ({"copy": True}, {"dl_device": (2, 0)}):
        with pytest.raises(BufferError, match="without a copy only"):
            tensor.__dlpack__(**asked)


def test_device_tensors(device: Device) -> None:
    with DeviceMemory(device, 64) as memory, Stream(device) as stream:
        data = np.arange(8, dtype=np.float32)
        memory.upload(data)
        tensor = Tensor(memory.address, "float32", (2, 4), memory, device)
        taken = borrow(tensor, "x", device, stream)
        assert (taken.address, taken.dtype, taken.shape) == (memory.address, "float32", (2, 4))
        assert tensor.__dlpack_device__() == (2, 0)
        np.testing.assert_array_equal(tensor.numpy(), data.reshape(2, 4))


def test_consumers_wait_on_their_stream(stub: Any, device: Device) -> None:
    with DeviceMemory(device, 8) as memory, Stream(device) as ours, Stream(device) as theirs:
        memory.fill(1, stream=ours)
        tensor = Tensor(memory.address, "uint8", (8,), memory, device, ours)
        borrow(tensor, "x", device, theirs)
        assert not ours.idle()
        theirs.synchronize()
        assert ours.idle()
        waits = stub.calls("cuStreamWaitEvent")
        tensor.__dlpack__(stream=-1)
        assert stub.calls("cuStreamWaitEvent") == waits
        with pytest.raises(BufferError, match="stream 0 is ambiguous"):
            tensor.__dlpack__(stream=0)
        memory.fill(2, stream=ours)
        np.testing.assert_array_equal(tensor.numpy(), 2)


def test_foreign_tensors(device: Device) -> None:
    with DeviceMemory(device, 64) as memory, Stream(device) as stream:
        foreign = Foreign(memory.address, (1, 3), strides=(77, 1), byte_offset=16)
        taken = borrow(foreign, "x", device, stream)
        assert taken.address == memory.address + 16 and foreign.deleted == 0
        assert foreign.streams == [stream.handle]
        taken.release()
        taken.release()
        collect()
        assert foreign.deleted == 1
        taken = borrow(foreign, "x", device, Stream(device, 0))
        assert foreign.streams[-1] == 1
        del taken
        collect()
        assert foreign.deleted == 2


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"bits": 24}, TypeError, r"x: a tensor of an unknown element type \(code 2, 24 bits, 1 lanes\)"),
        ({"lanes": 4}, TypeError, "4 lanes"),
        ({"strides": (1, 2)}, ValueError, r"shape \[2, 3\] with strides \[1, 2\] is not dense"),
        ({"strides": (-3, 1)}, ValueError, "is not dense"),
        ({"ndim": -1}, ValueError, "rank -1"),
        ({"ndim": 1000}, ValueError, "rank 1000"),
        ({"version": (2, 0)}, ValueError, r"a tensor of DLPack 2\.1; this runtime reads 1\.x"),
    ],
)
def test_what_is_refused_is_given_back(
    device: Device, changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    foreign = Foreign(4096, (2, 3), **changes)
    with pytest.raises(error, match=message):
        borrow(foreign, "x", device)
    collect()
    assert foreign.deleted == 1


@pytest.mark.parametrize(("address", "shape"), [(0, (2,)), (4096, (-1,))])
def test_addresses_and_shapes(device: Device, address: int, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="x: a tensor of shape"):
        borrow(Foreign(address, shape), "x", device)


@pytest.mark.parametrize(
    ("location", "name"),
    [((2, 1), "CUDA device 1"), ((1, 0), "the host"), ((10, 0), "a device of DLPack's type 10")],
)
def test_wrong_device(device: Device, location: tuple[int, int], name: str) -> None:
    with pytest.raises(ValueError, match=f"x: expected a tensor on device 0, got one on {name}"):
        borrow(Foreign(4096, (2,), device=location), "x", device)
    if location[0] != 1:
        with pytest.raises(ValueError, match=f"x: expected a tensor in host memory, got one on {name}"):
            borrow(Foreign(4096, (2,), device=location), "x", None)


def test_managed_memory_is_everywhere(device: Device) -> None:
    assert borrow(Foreign(4096, (2,), device=(13, 0)), "x", device).shape == (2,)


def test_what_a_library_refuses() -> None:
    swapped = np.arange(3, dtype=np.float32).astype(">f4")
    with pytest.raises(ValueError, match=r"x: a ndarray cannot be taken by DLPack: .*native byte order"):
        borrow(swapped, "x", None)
    with pytest.raises(ValueError, match=r"strides \[1, 2\] is not dense"):
        borrow_array(np.zeros((3, 2)).T[:, :2].T.T, "x")


def test_no_capsule() -> None:
    class Liar:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **unused: Any) -> str:
            return "capsule"

    with pytest.raises(TypeError, match=r"x: Liar.__dlpack__ gave no capsule"):
        borrow(Liar(), "x", None)


def test_bfloat16() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    tensor = Tensor(array.ctypes.data, "bfloat16", (2,), array, None)
    np.testing.assert_array_equal(borrow_array(tensor, "x"), array)


def test_torch_on_the_host() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for dtype in ("float32", "bfloat16", "int64", "bool", "float8_e4m3fn"):
        given = torch.ones(2, 3).to(getattr(torch, dtype))
        taken = borrow(given, "x", None)
        assert (taken.dtype, taken.address, taken.shape) == (dtype, given.data_ptr(), (2, 3))
        back = torch.from_dlpack(Tensor(taken.address, dtype, (2, 3), taken, None))
        assert back.dtype == given.dtype and back.data_ptr() == given.data_ptr()
    with pytest.raises(ValueError, match="is not dense"):
        borrow(torch.ones(2, 3).T, "x", None)
    with pytest.raises(ValueError, match=r"a Tensor cannot be taken by DLPack: .*requires"):
        borrow(torch.ones(2, requires_grad=True), "x", None)


def test_sizes_of_structures() -> None:
    """The sizes are those of dlpack.h on 64-bit machines."""
    sizes = [ctypes.sizeof(struct) for struct in (dlpack.DLTensor, dlpack.Managed, dlpack.ManagedVersioned)]
    assert sizes == [48, 64, 80]
    assert all(value.bits % 8 == 0 for value in DTYPES.values())


def test_types_that_need_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    tensor = Tensor(64, "bfloat16", (0,), None, None)
    with pytest.raises(CudaError, match="x: NumPy needs the package ml_dtypes for bfloat16; install it"):
        borrow_array(tensor, "x")
    with pytest.raises(CudaError, match="a copy on the host: NumPy needs"):
        tensor.numpy()
