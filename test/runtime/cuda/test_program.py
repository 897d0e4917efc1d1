"""Programs: plans that run on the stub, whose kernels compute."""

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plans import (
    IMAGES,
    MAPPED_IMAGES,
    WEIGHTS,
    affine,
    at,
    branches,
    host_transfers,
    plan,
    tensor,
    tensor_maps,
)

from mlc.runtime import ExecutableError
from mlc.runtime.cuda import (
    CudaError,
    Device,
    DeviceMemory,
    Program,
    Stream,
    Tensor,
    dlpack,
    read_program,
    write_program,
)

X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
Y = X * WEIGHTS["w"].reshape(2, 4) + np.float32(1.5)
both = pytest.mark.parametrize("graph", [True, False], ids=["graph", "direct"])


def on_device(device: Device, array: np.ndarray) -> tuple[DeviceMemory, Tensor]:
    """An array on the device, as other libraries give it."""
    memory = DeviceMemory(device, array.nbytes)
    memory.upload(array)
    return memory, Tensor(memory.address, str(array.dtype), array.shape, memory, device)


@both
def test_arrays(stub: Any, graph: bool) -> None:
    with Program(plan(affine()), IMAGES, WEIGHTS, graph=graph) as program:
        assert [str(spec) for spec in program.inputs + program.outputs] == [
            "x: float32[2,4]",
            "y: float32[2,4]",
        ]
        for scale in (1, 2, 3):
            [y] = program(X * scale)
            np.testing.assert_array_equal(y, (Y - 1.5) * scale + 1.5)
        np.testing.assert_array_equal(program({"x": X.tolist()})[0], Y)
        out = np.empty((2, 4), np.float32)
        assert program(np.asfortranarray(X), out={"y": out})[0] is out
        np.testing.assert_array_equal(out, Y)
        np.testing.assert_array_equal(program(Host(X))[0], Y)
    # Memory: arena, weights, x, y. The addresses stay, so that one capture is enough.
    assert stub.calls("cuMemAlloc_v2") == 4
    assert stub.calls("cuGraphInstantiateWithFlags") == int(graph)
    assert stub.calls("cuGraphLaunch") == 6 * graph
    gc.collect()
    assert stub.live() == {"context": 1}


class Host:
    """Another library's tensor in host memory."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


@both
def test_device_tensors_are_not_copied(stub: Any, device: Device, graph: bool) -> None:
    with Program(plan(affine()), IMAGES, WEIGHTS, device=device, graph=graph) as program:
        for _ in range(2):
            memory, x = on_device(device, X)
            result, y = on_device(device, np.zeros_like(X))
            assert program(x, out=[y])[0] is y
            np.testing.assert_array_equal(y.numpy(), Y)
            np.testing.assert_array_equal(x.numpy(), X)
            [made] = program(x, results="device")
            np.testing.assert_array_equal(made.numpy(), Y)
            del made
        copies = stub.calls("cuMemcpyHtoDAsync_v2")
        assert copies == 0
    for resource in (memory, result):
        resource.close()
    assert stub.calls("cuGraphInstantiateWithFlags") == int(graph)


def test_results_outlive_the_program(stub: Any) -> None:
    with Program(plan(affine()), IMAGES, WEIGHTS) as program:
        [y] = program(X, results="device")
    del program
    gc.collect()
    assert stub.live() == {"memory": 1, "context": 1}
    np.testing.assert_array_equal(y.numpy(), Y)
    del y
    gc.collect()
    assert stub.live() == {}


@both
def test_weights_on_the_device(stub: Any, device: Device, graph: bool) -> None:
    memory, w = on_device(device, WEIGHTS["w"])
    uploads = stub.calls("cuMemcpyHtoD_v2")
    with Program(plan(affine()), IMAGES, {"w": w}, device=device, graph=graph) as program:
        np.testing.assert_array_equal(program(X)[0], Y)
    assert stub.calls("cuMemcpyHtoD_v2") == uploads
    memory.close()


@both
def test_streams(graph: bool, stub: Any) -> None:
    with Program(plan(branches()), IMAGES, WEIGHTS, graph=graph) as program:
        for scale in (1, 2):
            x = X * scale
            y, z = program(x)
            np.testing.assert_array_equal(y, x * x * (x * WEIGHTS["w"].reshape(2, 4)))
            np.testing.assert_array_equal(z, 0)


@both
def test_a_missing_wait_gives_wrong_results(graph: bool, stub: Any) -> None:
    """So the test above means something."""
    data = branches()
    data["steps"] = [step for step in data["steps"] if "wait" not in step]
    with Program(plan(data), IMAGES, WEIGHTS, graph=graph) as program:
        y, _ = program(X)
        assert not np.array_equal(y, X * X * (X * WEIGHTS["w"].reshape(2, 4)))


@both
def test_steps_that_copy_between_host_and_device(graph: bool, stub: Any) -> None:
    with Program(plan(host_transfers()), IMAGES, WEIGHTS, graph=graph) as program:
        for scale in (1, 2):
            np.testing.assert_array_equal(program(X * scale)[0], (Y - 1.5) * scale)
        with pytest.raises(ValueError, match="output 'y' is on the host"):
            program(X, results="device")
        _, x = on_device(program.device, X)
        with pytest.raises(ValueError, match="input 'x': expected an array in host memory"):
            program(x)
        del x


@both
def test_tensor_maps(graph: bool, stub: Any, device: Device) -> None:
    with Program(plan(tensor_maps()), MAPPED_IMAGES, {}, device=device, graph=graph) as program:
        for scale in (1, 2):
            memory, x = on_device(device, X * scale)
            np.testing.assert_array_equal(program(x)[0], X * scale)
            np.testing.assert_array_equal(program(X)[0], X)
            memory.close()


@both
def test_a_stream_of_the_caller(stub: Any, device: Device, graph: bool) -> None:
    with (
        Program(plan(affine()), IMAGES, WEIGHTS, device=device, graph=graph) as program,
        Stream(device) as first,
        Stream(device) as second,
    ):
        _, x = on_device(device, X)
        [y] = program(x, results="device", stream=first.handle)
        assert not first.idle()
        # The second call must not touch the arena before the first one is done with it.
        [z] = program(x, results="device", stream=second.handle)
        np.testing.assert_array_equal(z.numpy(), Y)
        assert first.idle()
        np.testing.assert_array_equal(y.numpy(), Y)
        # What the call uses lives until its work is done.
        [y] = program(X, results="device", stream=first.handle)
        del x, z
        gc.collect()
        np.testing.assert_array_equal(y.numpy(), Y)
        [array] = program(X, stream=first.handle)
        np.testing.assert_array_equal(array, Y)
        del y


def test_what_a_running_call_uses_is_kept(stub: Any, device: Device) -> None:
    with Program(plan(affine()), IMAGES, WEIGHTS, device=device) as program, Stream(device) as stream:
        memory, x = on_device(device, X)
        alive = weakref.ref(memory)
        [y] = program(x, results="device", stream=stream.handle)
        del memory, x
        collect()
        assert alive() is not None
        np.testing.assert_array_equal(y.numpy(), Y)
        # The next call notices that the first one is done.
        program(X)
        collect()
        assert alive() is None
        del y


def collect() -> None:
    gc.collect()
    dlpack.sweep()


def test_calls_of_threads_are_serialised(stub: Any) -> None:
    results: dict[int, np.ndarray] = {}
    with Program(plan(affine()), IMAGES, WEIGHTS) as program:

        def work(scale: int) -> None:
            for _ in range(5):
                results[scale] = program(X * scale)[0]

        threads = [threading.Thread(target=work, args=(scale,)) for scale in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for scale in (1, 2, 3):
        np.testing.assert_array_equal(results[scale], (Y - 1.5) * scale + 1.5)


def test_what_callers_get_wrong(stub: Any, device: Device) -> None:
    memory, x = on_device(device, X)

    def other(dtype: str, shape: tuple[int, ...], offset: int = 0) -> Tensor:
        return Tensor(memory.address + offset, dtype, shape, memory, device)

    read_only = np.zeros_like(X)
    read_only.flags.writeable = False
    cases: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
        ((), {}, TypeError, r"expected 1 inputs \['x'\], got 0"),
        (({"z": X},), {}, TypeError, r"unknown inputs \['z'\], missing inputs \['x'\]"),
        ((X.astype(np.float64),), {}, TypeError, "input 'x': expected dtype float32, got float64"),
        ((X.astype(">f4"),), {}, TypeError, "input 'x': expected dtype float32, got >f4"),
        ((X[0],), {}, ValueError, r"input 'x': expected shape \[2, 4\], got \[4\]"),
        (("text",), {}, TypeError, "input 'x'"),
        ((other("int32", (2, 4)),), {}, TypeError, "expected dtype float32, got int32"),
        ((other("float32", (8,)),), {}, ValueError, r"shape \[2, 4\], got \[8\]"),
        ((other("float32", (2, 4), 4),), {}, ValueError, "input 'x': its address .* is not aligned to 16"),
        ((x,), {"out": []}, TypeError, "out: expected 1 outputs, got 0"),
        ((x,), {"out": [x]}, ValueError, "output 'y' overlaps input 'x' in memory"),
        ((x,), {"out": ["text"]}, TypeError, "output 'y': expected a NumPy array or a tensor on device 0"),
        ((x,), {"out": {"y": X.astype(int)}}, TypeError, "output 'y': expected dtype float32, got int64"),
        ((x,), {"out": [X.T]}, ValueError, "output 'y': expected a writable C-contiguous array"),
        ((x,), {"out": [read_only]}, ValueError, "output 'y': expected a writable"),
    ]  # fmt: skip
    with Program(plan(affine()), IMAGES, WEIGHTS, device=device) as program:
        for inputs, options, error, message in cases:
            with pytest.raises(error, match=message):
                program(*inputs, **options)
        np.testing.assert_array_equal(program(x)[0], Y)
    with pytest.raises(CudaError, match="this program was closed"):
        program(x)
    program.close()
    memory.close()


def test_scalar_inputs_of_other_ranks(stub: Any, device: Device) -> None:
    described = affine()
    described["buffers"][:2] = [
        tensor("input", "x", shape=[]),
        tensor("output", "y", shape=[]),
    ]
    described["steps"] = [{"copy": {"target": at(1), "source": at(0), "nbytes": 4}}]
    one = np.float32(2.5)
    memory, x = on_device(device, np.full((1, 1), one))
    with Program(plan(described), IMAGES, WEIGHTS, device=device) as program:
        for given in (one, np.full(1, one), np.full((1, 1), one), x):
            [y] = program(given)
            assert y.shape == () and y == one
        with pytest.raises(ValueError, match=r"input 'x': expected shape \[\], got \[2\]"):
            program(np.full(2, one))
    memory.close()


def test_folder(stub: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "program"
    write_program(folder, plan(affine()), IMAGES)
    assert sorted(path.name for path in folder.iterdir()) == ["kernels.ptx", "plan.json"]
    made, images = read_program(folder)
    with Program(made, images, WEIGHTS) as program:
        np.testing.assert_array_equal(program(X)[0], Y)
    with pytest.raises(ExecutableError, match=r"missing images \['kernels\.ptx'\]"):
        write_program(folder, made, {})
    with pytest.raises(ExecutableError, match=r"plan\.json: cannot make the folder: File exists"):
        write_program(folder / "plan.json", made, IMAGES)
    (folder / "kernels.ptx").unlink()
    with pytest.raises(ExecutableError, match=r"kernels\.ptx: cannot read: No such file"):
        read_program(folder)
    (folder / "plan.json").write_text("{}")
    with pytest.raises(ExecutableError, match=r"plan\.json: no plan of format 2"):
        read_program(folder)
