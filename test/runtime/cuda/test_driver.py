"""Finding the driver, and the errors when there is none that can be used."""

import ctypes.util
import os
import subprocess
import sys
from typing import Any

import pytest

from mlc.runtime.cuda import CudaError, Device, DriverMissingError, load_driver
from mlc.runtime.cuda.driver import library as driver_module
from mlc.runtime.cuda.driver.library import VARIABLE


def test_driver(stub: Any) -> None:
    driver = load_driver()
    assert (driver.path, driver.version) == (str(stub.path), 12080)
    assert load_driver() is driver
    assert stub.calls("cuInit") == 1


def test_named_file_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/nowhere/libcuda.so")
    with pytest.raises(
        DriverMissingError, match=f"{VARIABLE}: cannot load the CUDA driver: /nowhere/libcuda.so"
    ):
        load_driver()


def test_no_driver_says_where_it_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(driver_module, "CANDIDATES", ("libnowhere.so.1", "/nowhere/libcuda.so.1"))
    monkeypatch.setattr(driver_module, "_loaded", {})
    with pytest.raises(DriverMissingError) as caught:
        load_driver()
    assert str(caught.value) == (
        "no CUDA driver: looked for libnowhere.so.1, /nowhere/libcuda.so.1; install NVIDIA's driver, "
        f"or name its file in {VARIABLE}"
    )


def test_a_file_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "libcuda.so.1").write_text("no library")
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(driver_module, "CANDIDATES", (str(tmp_path / "libcuda.so.1"),))
    monkeypatch.setattr(driver_module, "_loaded", {})
    with pytest.raises(DriverMissingError, match=r"\n  .*libcuda.so.1: (file too short|invalid ELF header)"):
        load_driver()


def test_another_library_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, ctypes.util.find_library("m") or "libm.so.6")
    with pytest.raises(CudaError, match="is no CUDA driver: it has no function cuDriverGetVersion"):
        load_driver()


def test_old_driver(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_VERSION", "10020")
    with pytest.raises(CudaError, match=r"supports CUDA 10\.2 only; CUDA 11\.4 is needed"):
        load_driver()


def test_no_device(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_DEVICES", "0")
    with pytest.raises(
        CudaError, match=r"no CUDA-capable device is detected .*CUDA_VISIBLE_DEVICES"
    ) as caught:
        load_driver()
    assert (caught.value.status, caught.value.name) == (100, "CUDA_ERROR_NO_DEVICE")


@pytest.mark.parametrize("index", [-1, 1])
def test_no_such_device(stub: Any, index: int) -> None:
    with pytest.raises(CudaError, match=f"there is no device {index}: the driver shows 1"):
        Device(index)


def test_statuses_without_a_name(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_FAIL", "cuInit:1:12345")
    with pytest.raises(CudaError, match=r"the driver gives no reason \(error 12345\)$"):
        load_driver()


def test_functions_that_a_driver_lacks(stub: Any) -> None:
    driver = load_driver()
    driver._library = ctypes.CDLL(None)
    with pytest.raises(
        CudaError, match=r"supports CUDA 12\.8 and lacks cuGraphExecUpdate_v2; .* CUDA 12\.0 or"
    ):
        driver.function("cuGraphExecUpdate_v2")


def test_properties(stub: Any) -> None:
    with Device() as device:
        properties = device.properties
        assert properties.architecture == "sm_90"
        assert (properties.multiprocessors, properties.max_shared_bytes) == (132, 232448)
        assert properties.clusters and properties.tensor_maps
        assert device.description == "Stub 0, compute capability 9.0, 132 multiprocessors, 1.0 GiB"
        assert device.memory() == (1 << 30, 1 << 30)
    with pytest.raises(CudaError, match="device 0 was closed"):
        device.memory()


def test_attributes_that_a_driver_does_not_know_are_zero(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_FAIL", "cuDeviceGetAttribute:8:1")
    with Device() as device:
        assert device.properties.clusters and not device.properties.tensor_maps


def test_the_runtime_alone_loads_none_of_this() -> None:
    code = (
        "import sys, mlc.runtime; assert not any(name.startswith('mlc.runtime.') for name in sys.modules);"
        "import mlc.runtime.cuda; assert 'mlc.runtime._native' not in sys.modules;"
        "assert not {'torch_mlir', 'ml_dtypes', 'onnx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True, env=os.environ)
