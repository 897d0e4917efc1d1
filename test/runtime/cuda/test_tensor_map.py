"""Tensor maps: encoded by the driver, refused by us with the rule."""

import ctypes
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cuda_stub import PTX_90

from mlc.runtime.cuda import (
    CudaError,
    Device,
    DeviceMemory,
    Launch,
    Module,
    Stream,
    TensorMap,
    TensorMapSpec,
    pointer,
    scalar,
)

GOOD = TensorMapSpec("bfloat16", (96, 40), (192,), (64, 16), swizzle=128, l2_promotion=256)


def test_sizes() -> None:
    assert GOOD.nbytes == 39 * 192 + 192


@pytest.mark.parametrize(
    "dtype", ["uint8", "int16", "int32", "float16", "float32", "tfloat32", "float8_e4m3fn"]
)
def test_the_driver_takes_what_passes(device: Device, dtype: str) -> None:
    size = TensorMapSpec(dtype, (16,), (), (16,)).element.nbytes
    spec = TensorMapSpec(dtype, (64, 9, 7), (64 * size, 576 * size), (16, 3, 2), (1, 2, 1), 0, 128)
    with DeviceMemory(device, spec.nbytes) as memory:
        made = TensorMap(device, spec, memory.address)
        assert made.encoded_address % 64 == 0
        assert len(made.bytes()) == 128 and made.bytes()[:4] == b"PAMT"


def test_one_dimension_and_nan(device: Device) -> None:
    spec = TensorMapSpec("float32", (8,), (), (8,), fill="nan", swizzle=32)
    with DeviceMemory(device, 64) as memory:
        TensorMap(device, spec, memory.address)
        with pytest.raises(CudaError, match=r"the address 0x.* is not aligned to 16 bytes"):
            TensorMap(device, spec, memory.address + 8)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"dtype": "complex64"}, "no element type 'complex64'"),
        ({"dtype": "float7"}, "no element type 'float7'"),
        ({"dims": (1,) * 6, "strides": (16,) * 5, "box": (8,) * 6}, "rank 6 is not 1 to 5"),
        ({"dims": (), "strides": (), "box": ()}, "rank 0 is not 1 to 5"),
        ({"strides": ()}, "2 dims need 1 strides, 2 box sizes and 2 steps"),
        ({"box": (64,)}, "2 dims need 1 strides"),
        ({"dims": (96, 0)}, "dims are not 1 to 4294967296"),
        ({"box": (8, 257)}, "box sizes are not 1 to 256"),
        ({"steps": (1, 9)}, r"steps \[1, 9\] are not 1 to 8"),
        ({"strides": (200,)}, "a stride is no multiple of 16 bytes"),
        ({"strides": (1 << 40,)}, "strides are not 1 to"),
        ({"box": (12, 16)}, "innermost 24 bytes are no multiple of 16"),
        ({"swizzle": 16}, "swizzle 16 is none of"),
        ({"swizzle": 64}, "the box's innermost 128 bytes are more than the swizzle's 64"),
        ({"l2_promotion": 32}, "l2_promotion is none of"),
        ({"fill": "one"}, "fill 'one' is none of"),
        ({"fill": "nan", "dtype": "uint16"}, "only floats can be filled with nan"),
    ],
)
def test_rules(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(CudaError, match=rule):
        replace(GOOD, **changes)


def test_devices_without_tensor_maps(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_CAPABILITY", "80")
    with Device() as device, pytest.raises(CudaError, match="need sm_90 or later, device 0 is sm_80"):
        TensorMap(device, GOOD, 256)


def test_as_a_parameter(device: Device) -> None:
    data = np.arange(16, dtype=np.float32)
    spec = TensorMapSpec("float32", (16,), (), (16,))
    with Module(device, PTX_90) as module, DeviceMemory(device, 192) as memory, Stream(device) as stream:
        memory.upload(np.concatenate([data, data + 100]))
        source = TensorMap(device, spec, memory.address)
        to = memory.address + 128
        launch = Launch(
            module.function("copy_map"), (1, 1, 1), (1, 1, 1), [source, pointer(to), scalar("i32", 16)]
        )
        for offset in (0, 64):
            source.encode(memory.address + offset)
            launch.enqueue(stream)
            stream.synchronize()
            result = np.empty(16, np.float32)
            memory.download(result, 128)
            np.testing.assert_array_equal(result, data + 100 * (offset // 64))


def test_a_map_without_an_address_is_not_encoded(stub: Any, device: Device) -> None:
    made = TensorMap(device, GOOD, None)
    assert stub.calls("cuTensorMapEncodeTiled") == 0
    assert made.bytes() == bytes(128) and ctypes.string_at(made.encoded_address, 1) == b"\0"
