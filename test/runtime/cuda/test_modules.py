"""Images, kernels and launches."""

import ctypes
from typing import Any

import numpy as np
import pytest
from cuda_stub import PTX, PTX_90

from mlc.runtime.cuda import CudaError, Device, DeviceMemory, Launch, Module, Stream, pointer, scalar
from mlc.runtime.cuda.driver.image_info import inspect_image, runs_on


def elf(capability: int, abi: int, text: bytes = PTX) -> bytes:
    """A cubin, as far as the header goes; the stub reads the text after it."""
    flags = capability << 8 if abi >= 8 else capability
    header = bytearray(b"\x7fELF" + bytes(60))
    header[8], header[48:52] = abi, flags.to_bytes(4, "little")
    return bytes(header) + text


def test_a_kernel_runs(stub: Any, device: Device) -> None:
    x, y = np.arange(6, dtype=np.float32), np.full(6, 3, np.float32)
    with Module(device, PTX) as module, DeviceMemory(device, 256) as memory, Stream(device) as stream:
        memory.upload(np.concatenate([x, np.zeros(10, np.float32), y]))
        to = pointer(memory.address + 128)
        parameters = [pointer(memory.address), pointer(memory.address + 64), to, scalar("i32", 6)]
        launch = Launch(module.function("multiply"), (1, 1, 1), (32, 1, 1), parameters)
        launch.enqueue(stream)
        to.value += 64
        launch.enqueue(stream)
        stream.synchronize()
        for offset in (128, 192):
            result = np.empty(6, np.float32)
            memory.download(result, offset)
            np.testing.assert_array_equal(result, x * 3)
    assert stub.log() == "multiply grid 1,1,1 block 32,1,1 cluster 1 shared 0\n" * 2


def test_attributes(device: Device) -> None:
    with Module(device, PTX) as module:
        function = module.function("shift")
        assert function.attribute("max_threads") == 256
        assert function.attribute("static_shared_bytes") == 1024
        assert function.attribute("registers") == 40


def test_shared_memory(stub: Any, device: Device) -> None:
    with Module(device, PTX) as module, Stream(device) as stream, DeviceMemory(device, 64) as memory:
        function = module.function("shift")
        parameters = [pointer(memory.address), scalar("f32", 1), scalar("i32", 0)]
        Launch(function, (1, 1, 1), (1, 1, 1), parameters, shared_bytes=100 << 10).enqueue(stream)
        assert function.attribute("max_dynamic_shared_bytes") == 100 << 10
        stream.synchronize()
        with pytest.raises(
            CudaError, match=r"needs 232448 bytes of dynamic and 1024 of static .* has 232448"
        ):
            Launch(function, (1, 1, 1), (1, 1, 1), parameters, shared_bytes=232448)
    assert stub.log().endswith("shared 102400\n")


def test_clusters(stub: Any, device: Device) -> None:
    with Module(device, PTX) as module, Stream(device) as stream, DeviceMemory(device, 64) as memory:
        function = module.function("shift")
        parameters = [pointer(memory.address), scalar("f32", 1), scalar("i32", 0)]
        for cluster in ((2, 1, 1), (4, 4, 1)):
            launch = Launch(function, (8, 4, 1), (64, 1, 1), parameters, cluster=cluster, shared_bytes=512)
            launch.enqueue(stream)
        stream.synchronize()
    assert [line.split("cluster ")[1] for line in stub.log().splitlines()] == [
        "2 shared 512",
        "16 shared 512",
    ]


def test_clusters_need_a_device_that_has_them(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_CAPABILITY", "80")
    with (
        Device() as device,
        Module(device, PTX) as module,
        pytest.raises(CudaError, match=r"in clusters, which device 0 \(sm_80\) lacks"),
    ):
        Launch(module.function("shift"), (2, 1, 1), (1, 1, 1), [], cluster=(2, 1, 1))


@pytest.mark.parametrize(
    ("grid", "block", "cluster", "message"),
    [
        ((0, 1, 1), (1, 1, 1), (1, 1, 1), r"grid \[0, 1, 1\] is outside"),
        ((1, 65536, 1), (1, 1, 1), (1, 1, 1), "grid .* is outside 1 to"),
        ((1, 1, 1), (1, 1, 65), (1, 1, 1), "block .* is outside"),
        ((1, 1, 1), (1024, 2, 1), (1, 1, 1), "a block of 2048 threads is above 1024"),
        ((3, 1, 1), (1, 1, 1), (2, 1, 1), r"grid \[3, 1, 1\] is no multiple of cluster \[2, 1, 1\]"),
        ((32, 1, 1), (1, 1, 1), (32, 1, 1), "is not of 1 to 16 blocks"),
        ((1, 1, 1), (512, 1, 1), (1, 1, 1), "can run with 256 threads per block, not with 512"),
    ],
)
def test_geometry(device: Device, grid: Any, block: Any, cluster: Any, message: str) -> None:
    with Module(device, PTX) as module, pytest.raises(CudaError, match=f"the kernel 'shift'.*{message}"):
        Launch(module.function("shift"), grid, block, [], cluster=cluster)


def test_scalars() -> None:
    assert [scalar("i8", -1).value, scalar("i64", 1 << 63).value] == [255, 1 << 63]
    assert scalar("f32", 0.1).value == np.float32(0.1)
    assert scalar("f64", 0.1).value == 0.1
    assert scalar("f16", 1.5).value == np.float16(1.5).view(np.uint16)
    for dtype, value in (("i8", 256), ("i32", -(1 << 31) - 1), ("i32", 0.5), ("i128", 1)):
        with pytest.raises(ValueError, match=f"{value} is no {dtype}|'i128' is no type"):
            scalar(dtype, value)


def test_bfloat16_is_rounded_to_nearest_even() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.concatenate([np.random.default_rng(0).standard_normal(1000), [1e38, -0.0, 3.39e38, np.inf]])
    expected = values.astype(np.float32).astype(ml_dtypes.bfloat16).view(np.uint16)
    np.testing.assert_array_equal([scalar("bf16", float(value)).value for value in values], expected)
    assert int(scalar("bf16", float("nan")).value) & 0x7FFF > 0x7F80


def test_image_is_refused(device: Device, stub: Any) -> None:
    with pytest.raises(
        CudaError, match=r"cannot load image: 7 bytes are neither PTX .*, a cubin nor a fatbin"
    ):
        Module(device, b"garbage")
    with pytest.raises(CudaError, match=r"cannot load gemm on device 0.*\nptxas fatal : Parsing error near"):
        Module(device, PTX.replace(b"{ ret; }", b"syntax_error"), "gemm")
    with (
        Module(device, PTX, "gemm") as module,
        pytest.raises(CudaError, match="cannot find the kernel 'other' in gemm"),
    ):
        module.function("other")
    assert stub.live() == {"context": 1}


def test_ptx_that_is_newer_than_the_driver(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_VERSION", "12020")
    message = r"PTX 8\.7 needs a driver for CUDA 12\.8, this one supports CUDA 12\.2"
    with Device() as device, pytest.raises(CudaError, match=message) as caught:
        Module(device, PTX.replace(b".version 8.0", b".version 8.7"))
    assert caught.value.name == "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"


@pytest.mark.parametrize("image", [elf(90, 7, PTX_90), elf(90, 8, PTX_90), PTX_90])
def test_image_for_another_architecture(stub: Any, image: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_CAPABILITY", "80")
    message = "cannot load image on device 0: .* is for sm_90a?, the device is sm_80"
    with Device() as device, pytest.raises(CudaError, match=message):
        Module(device, image)


def test_cubins_are_loaded(device: Device) -> None:
    with Module(device, elf(90, 8, PTX_90)) as module:
        assert module.info.architecture == "sm_90" and module.log == ""
        module.function("copy_map")


@pytest.mark.parametrize(
    ("image", "device", "runs"),
    [
        (PTX, "sm_80", True),
        (PTX, "sm_90", True),
        (PTX, "sm_75", False),
        (PTX_90, "sm_90", True),
        (PTX_90, "sm_100", False),
        (elf(80, 7), "sm_86", True),
        (elf(86, 7), "sm_80", False),
        (elf(80, 8), "sm_90", False),
        (b"\x50\xed\x55\xba" + bytes(8), "sm_90", True),
        (b"\x7fELF", "sm_90", True),
    ],
)
def test_which_device_runs_what(image: bytes, device: str, runs: bool) -> None:
    assert runs_on(inspect_image(image), device) == runs


def test_a_kernel_that_fails(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver says so at a later call, and never works again."""
    with Device() as device, Module(device, PTX) as module, Stream(device) as stream:
        memory = DeviceMemory(device, 64)
        parameters = [pointer(memory.address), scalar("f32", 1), scalar("i32", 1)]
        memory.close()
        Launch(module.function("shift"), (1, 1, 1), (1, 1, 1), parameters).enqueue(stream)
        with pytest.raises(
            CudaError, match=r"wait for a stream .*; a kernel that ran before may have done this"
        ):
            stream.synchronize()


def test_launch_is_refused(device: Device) -> None:
    with Module(device, PTX) as module, Stream(device) as stream:
        launch = Launch(module.function("shift"), (1, 1, 1), (1, 1, 1), [])
        with pytest.raises(CudaError, match="cannot launch the kernel 'shift': invalid argument"):
            launch.enqueue(stream)


def test_parameters_are_where_ctypes_puts_them() -> None:
    value = scalar("i16", 7)
    assert ctypes.sizeof(value) == 2 and isinstance(value, ctypes.c_uint16)
