"""Calls of an executable: arguments, results, errors, threads."""

import array
import copy
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from mlc.runtime import Executable, ExecutableError, aligned_empty

X = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.float32(0.5)
EXPECTED = X * np.arange(1, 7, dtype=np.float32).reshape(2, 3) + B


class Tensor:
    """An array that speaks DLPack only, as other frameworks' tensors do."""

    def __init__(self, data: np.ndarray) -> None:
        self.data = data

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.data.__dlpack_device__()


def expect(outputs: list[np.ndarray], threads: int = 1) -> None:
    y, n = outputs
    np.testing.assert_allclose(y, EXPECTED)
    assert n.shape == () and n == threads


def test_ways_to_give_inputs(executable: Executable) -> None:
    expect(executable(X, B))
    expect(executable(X, b=B))
    expect(executable(b=B, x=X))
    expect(executable({"b": B, "x": X}))
    named = executable.run({"x": X, "b": B})
    with pytest.raises(TypeError, match="run takes the inputs by name, not a value of type ndarray"):
        executable.run(X)  # type: ignore[arg-type]
    assert list(named) == ["y", "n"]
    expect(list(named.values()))


def test_types_of_arrays(executable: Executable) -> None:
    expect(executable(Tensor(X), 0.5))
    expect(executable(X.tolist(), np.array(0.5, np.float32)))
    expect(executable(X.data, B))
    flat = array.array("f", X.reshape(-1).tolist())
    expect(executable(memoryview(flat).cast("B").cast("f", (2, 3)), B))
    expect(executable([[0, 1, 2], [3, 4, 5]], B))


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_scalars_of_other_ranks(executable: Executable, shape: tuple[int, ...]) -> None:
    expect(executable(X, np.full(shape, B)))
    expect(executable(X, np.full((*shape, 2), B)[..., :1]))
    n = np.zeros(shape, np.int64)
    with pytest.raises(ValueError, match=r"output 'n': expected shape \(\), got"):
        executable(X, B, out=[np.zeros((2, 3), np.float32), n])


def test_strided_and_misaligned_inputs_are_copied(executable: Executable) -> None:
    expect(executable(np.asfortranarray(X), B))
    expect(executable(np.repeat(X, 2, axis=1)[:, ::2], B))
    memory = np.zeros(25, np.uint8)
    shifted = memory[1:].view(np.float32).reshape(2, 3)
    shifted[...] = X
    expect(executable(shifted, B))


def test_outputs_are_new_aligned_arrays(executable: Executable) -> None:
    first, second = executable(X, B), executable(X + 1, B)
    expect(first)
    assert all(array.ctypes.data % 64 == 0 for array in (*first, *second))
    assert executable.outputs[0].shape == first[0].shape
    assert first[0].dtype == np.float32 and first[1].dtype == np.int64


def test_given_outputs(executable: Executable) -> None:
    y, n = np.zeros((2, 3), np.float32), np.zeros((), np.int64)
    outputs = executable(X, B, out=[y, n])
    assert outputs[0] is y and outputs[1] is n
    expect(outputs)
    y[...] = 0
    assert executable.run({"x": X, "b": B}, out={"n": n, "y": y})["y"] is y
    expect([y, n])


def test_signature(executable: Executable) -> None:
    assert [(s.name, s.dtype, s.shape) for s in executable.inputs] == [
        ("x", "float32", (2, 3)),
        ("b", "float32", ()),
    ]
    np.testing.assert_array_equal(executable.weights["w"], np.arange(1, 7))
    with pytest.raises(ValueError, match="read-only"):
        executable.weights["w"][0] = 3


@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        ((X,), {}, TypeError, r"expected 2 inputs \['x', 'b'\], got 1"),
        ((X, B, B), {}, TypeError, "expected 2 inputs .* got 3"),
        ((X,), {"c": B}, TypeError, "unknown input 'c', missing input 'b'"),
        ((X,), {"x": X, "b": B}, TypeError, "input 'x' given twice: in order and by name"),
        (({"x": X},), {}, TypeError, "missing input 'b'"),
        ((X.T, B), {}, ValueError, r"input 'x': expected shape \(2, 3\), got \(3, 2\)"),
        ((X[0], B), {}, ValueError, r"input 'x': expected shape \(2, 3\), got \(3,\)"),
        ((X, [0.5, 0.5]), {}, ValueError, r"input 'b': expected shape \(\), got \(2,\)"),
        ((X.astype(np.float64), B), {}, TypeError, "input 'x': expected dtype float32, got float64"),
        ((X.astype(np.int32), B), {}, TypeError, "input 'x': expected dtype float32, got int32"),
        ((X.astype(">f4"), B), {}, TypeError, "input 'x': expected dtype float32, got "),
        ((X[:, ::-1].astype(np.float16)[:, ::-1], B), {}, TypeError, "expected dtype float32, got float16"),
        ((X, "text"), {}, TypeError, "input 'b': expected dtype float32, got <U4"),
        ((X, None), {}, TypeError, "input 'b': .*"),
        ((X, [1, [2]]), {}, TypeError, "input 'b': cannot use a list as float32"),
        ((X, 1j), {}, TypeError, "input 'b': .*would be cut"),
    ],
)
def test_wrong_inputs(
    executable: Executable, arguments: tuple, named: dict, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        executable(*arguments, **named)
    expect(executable(X, B))


def test_wrong_outputs(executable: Executable) -> None:
    y, n = np.zeros((2, 3), np.float32), np.zeros((), np.int64)
    frozen = y.copy()
    frozen.flags.writeable = False
    memory = np.zeros((2, 3), np.float32)
    for out, error, message in [
        ([y], TypeError, r"expected 2 outputs \['y', 'n'\], got 1"),
        ([y, n, n], TypeError, "expected 2 outputs .* got 3"),
        ({"y": y}, ValueError, r"missing outputs \['n'\]"),
        ({"y": y, "n": n, "z": n}, ValueError, r"unknown outputs \['z'\]"),
        ([n, n], TypeError, "output 'y': expected dtype float32, got int64"),
        ([y.T, n], ValueError, "output 'y': expected a writable C-contiguous buffer"),
        ([y[0], n], ValueError, r"output 'y': expected shape \(2, 3\), got \(3,\)"),
        ([frozen, n], ValueError, "output 'y': expected a writable"),
        ([3, n], ValueError, "output 'y': expected a writable"),
    ]:
        with pytest.raises(error, match=message):
            executable(X, B, out=out)
    with pytest.raises(ValueError, match="output 'y' overlaps an input"):
        executable(memory, B, out=[memory, n])
    with pytest.raises(ValueError, match="output 'n' overlaps another output"):
        executable(X, B, out=[y, y.reshape(-1)[:2].view(np.int64).reshape(())])
    assert not y.any() and not frozen.any()


def test_threads(executable: Executable) -> None:
    for threads in (2, 1, 3):
        executable.threads = threads
        assert executable.threads == threads
        expect(executable(X, B), threads)
    with pytest.raises(ValueError, match="threads is 0, expected 1 to 256"):
        executable.threads = 0


def test_concurrent_calls_do_not_share_an_arena(executable: Executable) -> None:
    def work(shift: int) -> None:
        for _ in range(500):
            y, _ = executable(X, np.float32(shift))
            np.testing.assert_array_equal(y, EXPECTED - B + np.float32(shift))

    executable.threads = 2
    with ThreadPoolExecutor(4) as callers:
        list(callers.map(work, range(4)))


def test_call_in_a_forked_child(executable: Executable) -> None:
    executable.threads = 2
    expect(executable(X, B), 2)
    child = os.fork()
    if child == 0:
        try:
            expect(executable(X, B), 2)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_extension_types(compile_ir: Any, parts: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    copy_bytes = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @mlc_main(ptr %buffers, ptr %dims) {
  %p = getelementptr ptr, ptr %buffers, i64 1
  %in = load ptr, ptr %buffers
  %out = load ptr, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %in, i64 NBYTES, i1 false)
  ret void
}
"""
    for dtype, nbytes in {"bfloat16": 8, "float8_e4m3fn": 4, "int4": 4, "float16": 8, "bool": 4}.items():
        element = np.dtype(getattr(ml_dtypes, dtype, None) or dtype)
        manifest = copy.deepcopy(parts.manifest) | {"weights": []}
        manifest["inputs"] = [{"name": "x", "dtype": dtype, "shape": [4]}]
        manifest["outputs"] = [{"name": "y", "dtype": dtype, "shape": [4]}]
        executable = Executable(manifest, [compile_ir(copy_bytes.replace("NBYTES", str(nbytes)))], {})
        x = np.array([0, 1, 2, 3]).astype(element)
        [y] = executable(x)
        assert y.dtype == element
        np.testing.assert_array_equal(y.astype(np.float32), x.astype(np.float32))
        given = np.zeros(4, element)
        assert executable(x, out=[given])[0] is given
        np.testing.assert_array_equal(given.astype(np.float32), x.astype(np.float32))
        with pytest.raises(TypeError, match=f"expected dtype {dtype}, got float32"):
            executable(x.astype(np.float32))


def test_parts_that_do_not_fit(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(manifest: dict[str, Any], weights: Any = parts.weights) -> Executable:
        return Executable(parts.manifest | manifest, parts.objects, weights)

    with pytest.raises(ExecutableError, match="the weight 'w' is missing"):
        build({}, {})
    with pytest.raises(ExecutableError, match="needs 24 bytes, 20 were given"):
        build({}, {"w": np.zeros(5, np.float32)})
    with pytest.raises(ExecutableError, match="no symbol 'start'"):
        build({"entry": "start"})
    with pytest.raises(ExecutableError, match=r"format 4 is not supported, .* reads formats 1, 2, 3"):
        build({"format": 4})
    monkeypatch.setattr("mlc.runtime.host_features.host_has", lambda check: check.startswith("avx2="))
    with pytest.raises(ExecutableError, match="with amx-tile, which this machine's processor lacks"):
        checks = ["avx2=7.0.ebx.5:0", "amx-tile=7.0.edx.24:60000"]
        build({"target": {"cpu": "sapphirerapids", "requires": checks}})
    with pytest.raises(ExecutableError, match=r"compiled for aarch64 \(cpu 'apple-m1'\), but .* is x86_64"):
        build({"target": {"triple": "aarch64-linux-gnu", "cpu": "apple-m1"}})


def test_aligned_empty() -> None:
    for alignment in (8, 64, 4096):
        memory = np.frombuffer(aligned_empty(100, alignment), np.uint8)
        assert memory.size == 100 and memory.ctypes.data % alignment == 0
        memory[...] = 1
    for size, alignment in ((-1, 64), (10, 3), (10, 4)):
        with pytest.raises(ValueError, match="cannot allocate"):
            aligned_empty(size, alignment)
