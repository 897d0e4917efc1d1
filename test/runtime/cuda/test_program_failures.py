"""Programs that cannot be made, and calls of the driver that fail: nothing stays open."""

import gc
from typing import Any

import numpy as np
import pytest
from cuda_stub import PTX_90
from host_code import CODE
from plans import (
    IMAGES,
    MAPPED_IMAGES,
    WEIGHTS,
    affine,
    branches,
    host_calls,
    host_transfers,
    plan,
    tensor_maps,
)

from mlc.runtime import ExecutableError
from mlc.runtime.cuda import CudaError, Program
from mlc.runtime.cuda.driver.signatures import SIGNATURES
from mlc.runtime.cuda.execution.call_binding import Results

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


def test_parts_that_do_not_fit(stub: Any) -> None:
    cases: list[tuple[dict[str, bytes], dict[str, Any], type[Exception], str]] = [
        ({}, WEIGHTS, ExecutableError, "the image kernels.ptx is missing"),
        (IMAGES, {}, ExecutableError, r"missing weights \['w'\]"),
        (IMAGES, {"w": np.zeros(3, np.float32)}, ExecutableError, "the weight 'w' .* needs 32 bytes, 12"),
        ({"kernels.ptx": PTX_90}, WEIGHTS, CudaError, "cannot find the kernel 'multiply' in the image"),
        ({"kernels.ptx": b"text"}, WEIGHTS, CudaError, "the image kernels.ptx: 4 bytes are neither PTX"),
    ]  # fmt: skip
    for images, weights, error, message in cases:
        with pytest.raises(error, match=message):
            Program(plan(affine()), images, weights)
    data = affine()
    data["kernels"][1] = {**data["kernels"][1], "shared_bytes": 1 << 19}
    with pytest.raises(CudaError, match="the kernel 'shift' needs 524288 bytes of dynamic"):
        Program(plan(data), IMAGES, WEIGHTS)
    gc.collect()
    assert stub.live() == {}


def test_another_architecture(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_CAPABILITY", "80")
    message = "the image kernels.ptx is PTX for sm_90a, device 0 is sm_80: compile for cuda:sm_80"
    with pytest.raises(CudaError, match=message):
        Program(plan(tensor_maps()), MAPPED_IMAGES, {})


# Failures of these have no observer, or, on the stub, skip their work.
UNCHECKED = (
    *("Destroy", "Free", "Unload", "Release", "EndCapture", "GetError", "CtxPush", "CtxPop"),
    "cuDeviceGetAttribute",
)
ONCE = ("cuInit", "cuDriverGetVersion")


def run(data: dict[str, Any]) -> None:
    results: Results = "device" if data == affine() else "numpy"
    with Program(plan(data), {**IMAGES, "code.o": CODE}, WEIGHTS) as program:
        program(X)
        program(X, results=results)


@pytest.mark.slow
@pytest.mark.parametrize("make", [affine, branches, host_transfers, host_calls])
def test_every_failure_leaves_nothing(stub: Any, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of the driver fails once: an error, and nothing stays allocated."""
    run(make())
    names = [
        signature for signature in SIGNATURES if not any(part in signature for part in (*UNCHECKED, *ONCE))
    ]
    counts = {name: stub.calls(name) for name in names if stub.calls(name)}
    assert len(counts) > 15
    for name, total in counts.items():
        for ordinal in range(1, total + 1):
            monkeypatch.setenv("MLC_STUB_FAIL", f"{name}:{stub.calls(name) + ordinal}:999")
            with pytest.raises(CudaError, match="error 999") as caught:
                run(make())
            monkeypatch.delenv("MLC_STUB_FAIL")
            del caught
            gc.collect()
            assert stub.live() == {}, (name, ordinal)


def test_out_of_memory(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_STUB_MEMORY", "300")
    with pytest.raises(CudaError, match=r"cannot allocate 256 bytes .*; 44 of 300 bytes are free"):
        Program(plan(affine()), IMAGES, WEIGHTS)
