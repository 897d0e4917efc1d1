"""Plans of which the processor computes parts, on the stub: results, the order of work, errors."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_code import CODE
from plans import IMAGES, WEIGHTS, host_calls, plan

from mlc.runtime import ExecutableError
from mlc.runtime.cuda import (
    CudaError,
    Device,
    DeviceMemory,
    Program,
    Stream,
    Tensor,
    read_program,
    write_program,
)
from mlc.runtime.cuda.execution.host_functions import HostCall

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
FILES = {**IMAGES, "code.o": CODE}
both = pytest.mark.parametrize("graph", [True, False], ids=["graph", "direct"])


def reference(x: np.ndarray) -> np.ndarray:
    z = (x.reshape(8) * WEIGHTS["w"])[::-1] + WEIGHTS["w"]
    return (z * z).reshape(2, 4)


@both
def test_results(graph: bool, stub: Any) -> None:
    with Program(plan(host_calls()), FILES, WEIGHTS, graph=graph, threads=2) as program:
        for scale in (1, 2, 3):
            y, n = program(X * scale)
            np.testing.assert_array_equal(y, reference(X * scale))
            assert n == program.threads == 2
        program.threads = 1
        assert program(X)[1] == 1
    # One graph for the steps between the calls, one for those after them; the first call has none before it.
    assert stub.calls("cuGraphInstantiateWithFlags") == 2 * graph
    assert stub.calls("cuGraphLaunch") == 8 * graph


def test_a_call_that_does_not_wait_gives_wrong_results(stub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stub does everything as late as it may: so the test above means something."""

    def early(self: HostCall, _main: Stream, _streams: Sequence[Stream]) -> None:
        self._functions.run(self._name, self._addresses)

    monkeypatch.setattr(HostCall, "run", early)
    with Program(plan(host_calls()), FILES, WEIGHTS) as program:
        assert not np.array_equal(program(X)[0], reference(X))


def on_device(device: Device, array: np.ndarray) -> tuple[DeviceMemory, Tensor]:
    memory = DeviceMemory(device, array.nbytes)
    memory.upload(array)
    return memory, Tensor(memory.address, str(array.dtype), array.shape, memory, device)


@both
def test_tensors_on_the_device_that_move(graph: bool, stub: Any, device: Device) -> None:
    """Uses a stream of the caller's; the graphs after each call follow the tensors."""
    with (
        Program(plan(host_calls()), FILES, WEIGHTS, device=device, graph=graph) as program,
        Stream(device) as stream,
    ):
        for scale in (1, 2):
            memory, x = on_device(device, X * scale)
            y, _ = program(x, results="device", stream=stream.handle)
            np.testing.assert_array_equal(y.numpy(), reference(X * scale))
            del x, y
            memory.close()


def test_a_graph_that_cannot_be_captured_again(
    stub: Any, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next graph has the new addresses in the next call, too."""
    with Program(plan(host_calls()), FILES, WEIGHTS, device=device) as program:
        program(X)
        (memory, x), (result, y) = (on_device(device, array) for array in (X * 2, X))
        first, n = stub.calls("cuStreamBeginCapture_v2") + 1, np.empty((), np.int64)
        monkeypatch.setenv("MLC_STUB_FAIL", f"cuStreamBeginCapture_v2:{first}:999")
        with pytest.raises(CudaError, match="error 999"):
            program(x, out=[y, n])
        monkeypatch.delenv("MLC_STUB_FAIL")
        program(x, out=[y, n])
        np.testing.assert_array_equal(y.numpy(), reference(X * 2))
        del x, y
    memory.close()
    result.close()


def test_parts_that_do_not_fit(stub: Any) -> None:
    cases = {
        r"the objects \['code.o'\] are missing": (host_calls(), IMAGES),
        "the processor's part of the program: ": (host_calls(), {**IMAGES, "code.o": b"text"}),
        "the processor's function absent: the code defines no symbol": (
            change_processor(functions=["absent", "count"]),
            FILES,
        ),
        "the processor's function reverse: there are no objects": (change_processor(objects=[]), IMAGES),
        "compiled for riscv64 .*, but this machine is": (
            change_processor(triple="riscv64-unknown-linux-gnu"),
            FILES,
        ),
    }
    for message, (data, files) in cases.items():
        with pytest.raises(ExecutableError, match=message):
            Program(plan(data), files, WEIGHTS)
    assert stub.live() == {}


def change_processor(**processor: Any) -> dict[str, Any]:
    data = copy.deepcopy(host_calls())
    data["processor"].update(processor)
    return data


def test_a_weight_of_the_processor_on_the_device(stub: Any, device: Device) -> None:
    memory, w = on_device(device, WEIGHTS["w"])
    with pytest.raises(ExecutableError, match="weight 'w': the processor reads it"):
        Program(plan(host_calls()), FILES, {"w": w}, device=device)
    del w
    memory.close()


def test_folders(stub: Any, tmp_path: Path) -> None:
    write_program(tmp_path / "model", plan(host_calls()), FILES)
    again, files = read_program(tmp_path / "model")
    assert again == plan(host_calls()) and files == FILES
    with Program(again, files, WEIGHTS) as program:
        np.testing.assert_array_equal(program(X)[0], reference(X))


def test_the_extension_is_loaded_for_calls_only() -> None:
    code = (
        "import sys, mlc.runtime.cuda.execution.host_functions as p; p.HostFunctions(p.Processor(), {});"
        "assert not any(name.startswith('mlc.runtime._native') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)
