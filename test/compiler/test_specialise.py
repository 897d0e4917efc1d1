"""Programs for single sizes of a model: compiled ahead of time, or by another process while it runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from dense import save_external
from onnx import TensorProto, helper, numpy_helper

import mlc
from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompileError, Options, compile_program, specialisation, specialisation_job
from mlc.compiler.specialisation import SizeMaker
from mlc.runtime import Executable, Specialise

WEIGHT = np.random.default_rng(1).standard_normal((32, 16)).astype(np.float32)
NOW = Specialise(after=2, background=False)


def model(dims: Sequence[Any] = ("batch", 32)) -> onnx.ModelProto:
    """Returns the model of y = max(x @ w, 0)."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Relu", ["p"], ["y"])]
    infos = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)]
        for name, shape in (("x", list(dims)), ("y", [*dims[:-1], 16]))
    ]
    graph = helper.make_graph(nodes, "g", infos[0], infos[1], [numpy_helper.from_array(WEIGHT, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def check(program: Executable, *sizes: int) -> None:
    x = np.random.default_rng(sum(sizes)).uniform(-1, 1, (*sizes, 32)).astype(np.float32)
    np.testing.assert_allclose(program(x)[0], np.maximum(x @ WEIGHT, 0), rtol=1e-5, atol=1e-5)


def rows(program: Executable) -> dict[tuple[int, ...], dict[str, Any]]:
    return {tuple(entry["sizes"].values()): entry for entry in program.report()["specialised"]["sizes"]}


def compile_specialised(given: Any, specialise: Any, pool: WorkerPool, **options: Any) -> Executable:
    return mlc.compile(given, threads=1, specialise=specialise, pool=pool, **options)


def no_process(*_: object) -> None:
    raise AssertionError("nothing is to be compiled")


def test_the_next_process_takes_it_from_the_cache(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    onnx.save(model(), tmp_path / "m.onnx")
    program = compile_specialised(tmp_path / "m.onnx", NOW, pool)
    for size in (3, 3, 3, 5):
        check(program, size)
    found = rows(program)
    assert found[3,]["state"] == "own" and not found[3,]["from_cache"] and found[3,]["own_calls"] == 1
    assert found[5,]["state"] == "general"
    monkeypatch.setattr(specialisation, "WorkerProcess", no_process)
    for given in (tmp_path / "m.onnx", model().SerializeToString()):
        again = compile_specialised(given, NOW, pool)
        for _ in range(3):
            check(again, 3)
        assert rows(again)[3,]["from_cache"] and rows(again)[3,]["own_calls"] == 1
    alone = compile_specialised(model(), "off", pool, dims={"batch": 3})
    assert alone.report()["from_cache"], "it is the program of --dim"


@pytest.mark.slow
def test_without_the_cache_it_is_compiled_all_the_same(pool: WorkerPool, cache_dir: Path) -> None:
    program = compile_specialised(model(), Specialise(after=2), pool, cache=False)
    for _ in range(2):
        check(program, 3)
    assert program.specialised is not None and program.specialised.wait(300)
    check(program, 3)
    assert rows(program)[3,]["own_calls"] == 1
    assert not cache_dir.exists() or not list(cache_dir.rglob("entries/*/*"))


def test_a_file_that_has_changed(pool: WorkerPool, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model(), path)
    program = compile_specialised(path, NOW, pool)
    other = tmp_path / "other.onnx"
    onnx.save(model((2, "batch", 32)), other)
    other.replace(path)
    for _ in range(4):
        check(program, 3)
    assert rows(program)[3,]["failure"] == f"{path} has changed"


def test_weights_that_have_changed(pool: WorkerPool, tmp_path: Path) -> None:
    """A specialised program would compute something else than the general one does."""
    path = tmp_path / "m.onnx"
    save_external(model(), path)
    program = compile_specialised(path, NOW, pool)
    other = model()
    other.graph.initializer[0].CopyFrom(numpy_helper.from_array(2 * WEIGHT, "w"))
    path.with_name("m.onnx.data").rename(tmp_path / "old")
    save_external(other, path)
    for _ in range(4):
        check(program, 3)
    assert rows(program)[3,]["failure"] == "files beside the model have changed"


def test_weights_that_the_import_has_computed(pool: WorkerPool) -> None:
    """Tables of trees are in no file: the process that compiles sends them."""
    trees = 1500
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["x"],
        ["y"],
        domain="ai.onnx.ml",
        nodes_treeids=np.repeat(np.arange(trees), 3),
        nodes_nodeids=[0, 1, 2] * trees,
        nodes_featureids=[0] * 3 * trees,
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * trees,
        nodes_values=np.repeat(np.arange(trees, dtype=np.float32), 3),
        nodes_truenodeids=[1, 0, 0] * trees,
        nodes_falsenodeids=[2, 0, 0] * trees,
        target_treeids=np.repeat(np.arange(trees), 2),
        target_nodeids=[1, 2] * trees,
        target_ids=[0] * 2 * trees,
        target_weights=[0.0, 1.0] * trees,
        n_targets=1,
    )
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 1]) for name in "xy"]
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 3)]
    graph = helper.make_graph([node], "g", infos[:1], infos[1:])
    program = compile_specialised(helper.make_model(graph, opset_imports=imports, ir_version=10), NOW, pool)
    x = np.array([[0.5], [-1], [1234.5]], np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(program(x)[0], [[1], [0], [1235]])
    assert rows(program)[3,]["own_calls"] == 1


def test_all_options_reach_the_process() -> None:
    """Options without an effect on a processor's program do not change it."""
    without = {"jobs", "cubin", "progress", "pool", "specialise", "reproducer_dir"}
    assert set(specialisation.job_options(Options())) == {field.name for field in fields(Options)} - without


def kill_while_compiling(pool: WorkerPool) -> tuple[Executable, int]:
    """A program whose compilation for other sizes was killed, and the id of its process."""
    program = compile_specialised(model(), Specialise(after=1), pool)
    check(program, 3)
    own = program.specialised
    assert own is not None and isinstance(own.make, SizeMaker)
    while own.make._worker is None and not own.wait(0):
        time.sleep(0.01)
    worker = own.make._worker
    assert worker is not None
    os.kill(worker.pid, signal.SIGKILL)
    assert own.wait(300)
    return program, worker.pid


def test_a_killed_compilation(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    before = len(os.listdir("/proc/self/fd"))
    program, pid = kill_while_compiling(pool)
    for _ in range(5):
        check(program, 3)
    assert "was killed by SIGKILL" in rows(program)[3,]["failure"]
    [record] = caplog.records
    assert record.message.startswith("no program for batch=3 alone, the general one stays in use: ")
    assert len(os.listdir("/proc/self/fd")) <= before + 1, "the pool's own aside"
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_process_at_a_time_compiles_into_a_cache(cache_dir: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with specialisation_job._exclusive():
            order.append("second")

    with specialisation_job._exclusive():
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.2)
        order.append("first")
    thread.join(60)
    assert order == ["first", "second"]


LEAVES = """
import os, sys, time
import mlc, numpy as np
program = mlc.compile(sys.argv[1], threads=1, jobs=1, specialise=mlc.Specialise(after=1))
program(np.ones((3, 32), np.float32))
while program.specialised.make._worker is None:
    time.sleep(0.01)
print(program.specialised.make._worker.pid, flush=True)
"""


@pytest.mark.slow
def test_a_process_that_ends_leaves_nothing(cache_dir: Path, tmp_path: Path) -> None:
    onnx.save(model(), tmp_path / "m.onnx")
    done = subprocess.run(
        [sys.executable, "-P", "-c", LEAVES, str(tmp_path / "m.onnx")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
    assert not list(cache_dir.rglob("temporary/*"))


def test_sizes_ahead_of_time(pool: WorkerPool, tmp_path: Path) -> None:
    program = compile_specialised(model(), [{"batch": 1}, {"batch": 8}, {"batch": 1}], pool)
    program.save(tmp_path / "m.mlcx")
    for loaded in (program, mlc.load(tmp_path / "m.mlcx")):
        for size in (1, 8, 2):
            for _ in range(2):
                check(loaded, size)
        assert {sizes: row["own_calls"] for sizes, row in rows(loaded).items()} == {(1,): 2, (8,): 2, (2,): 0}
        assert not loaded.report()["specialised"]["automatic"]


@pytest.mark.parametrize(
    ("sizes", "dims", "message"),
    [
        (
            {"batch": 1, "seq": 2},
            {},
            r"specialise=\[{'batch': 1, 'seq': 2}\]: give a size to each of the model's dims: batch",
        ),
        ({}, {}, "give a size to each of the model's dims: batch"),
        ({"batch": 9}, {"batch": (2, 8)}, r"specialise=\[{'batch': 9}\]: batch is 2..8"),
        ({"batch": -1}, {}, r"specialise=\[{'batch': -1}\]: batch: -1 is no size: an integer from 0 to"),
        ({"batch": 1.5}, {}, r"specialise=\[{'batch': 1.5}\]: batch: 1.5 is no size"),
        ({"batch": 1}, {"batch": (2, None)}, r"specialise=\[{'batch': 1}\]: batch is 2..$"),
        ({"batch": 2}, {"batch": 2}, "^specialise: the model has no dims whose sizes callers choose"),
    ],
)
def test_wrong_sizes(sizes: dict[str, Any], dims: dict[str, Any], message: str, pool: WorkerPool) -> None:
    with pytest.raises(CompileError, match=message):
        compile_specialised(model(), [sizes], pool, dims=dims)


def test_sizes_of_numpy(pool: WorkerPool) -> None:
    sizes = {"batch": np.int64(2)}
    program = compile_specialised(model(), [sizes], pool, dims={"batch": (np.int32(1), np.int64(8))})
    assert list(rows(program)) == [(2,)]
    for options in ({"dims": sizes}, {"shapes": {"x": np.array([2, 32])}}):
        assert compile_program(model(), Options(pool=pool, **options)).main.dims is None
    with pytest.raises(TypeError, match=r"shapes\['x'\] must be a sequence of sizes, not 8"):
        Options(shapes={"x": 8})  # type: ignore[dict-item]


def test_dims_without_a_name(pool: WorkerPool) -> None:
    given = model((None, "seq", 32))
    program = compile_specialised(given, [{"x.shape[0]": 2, "seq": 3}], pool)
    check(program, 2, 3)
    check(program, 3, 2)
    assert rows(program)[2, 3]["own_calls"] == 1 and rows(program)[3, 2]["own_calls"] == 0


def test_a_shared_library_has_no_such_programs(pool: WorkerPool, tmp_path: Path) -> None:
    options = Options(pool=pool, specialise=Specialise(sizes=[{"batch": 1}], automatic=False))
    with pytest.raises(CompileError, match="a shared library has no programs for single sizes"):
        mlc.compiler.compile_program(model(), options).save_shared_library(tmp_path / "m.so")


def test_sizes_that_are_data_stay_open(pool: WorkerPool) -> None:
    """The program for a size of x still finds out how many of its elements are not 0."""
    node = helper.make_node("NonZero", ["x"], ["y"])
    infos = [
        [helper.make_tensor_value_info(name, element, shape)]
        for name, element, shape in (("x", TensorProto.FLOAT, ["n"]), ("y", TensorProto.INT64, [1, None]))
    ]
    graph = helper.make_graph([node], "g", infos[0], infos[1])
    given = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    program = compile_specialised(given, [{"n": 6}], pool)
    for values in ([0, 1, 0, 2, 3, 0], [0] * 6, [1, 0]):
        x = np.array(values, np.float32)
        np.testing.assert_array_equal(program(x)[0], np.array(x.nonzero()))
    assert rows(program)[6,]["own_calls"] == 2


def test_a_module_ahead_of_time(pool: WorkerPool) -> None:
    from mlc.bindings import ir
    from mlc.dialects import create_context

    text = """
    func.func @main(%x: tensor<?x8xf32> {graph.name = "x", graph.dims = ["batch", ""]}) -> tensor<?x8xf32> {
      %0 = "graph.exp"(%x) {graph.dims = [["batch", ""]]} : (tensor<?x8xf32>) -> tensor<?x8xf32>
      return %0 : tensor<?x8xf32>
    }"""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
    program = compile_specialised(module, Specialise(sizes=[{"batch": 2}], after=1), pool)
    for size in (2, 3, 3):
        x = np.full((size, 8), size, np.float32)
        np.testing.assert_allclose(program(x)[0], np.exp(x), rtol=1e-5)
    assert [rows(program)[size,]["own_calls"] for size in (2, 3)] == [1, 0]
    assert not program.report()["specialised"]["automatic"], "another process cannot read it"


@pytest.mark.slow
def test_a_convolution_of_its_own_size(pool: WorkerPool) -> None:
    """Blocked layouts and Winograd's transforms compute the same up to rounding."""
    draw = np.random.default_rng(2)
    weights = {"w": draw.standard_normal((32, 3, 3, 3)), "v": draw.standard_normal((32, 32, 3, 3)) / 16}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "v"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("MaxPool", ["c"], ["y"], kernel_shape=[2, 2], strides=[2, 2]),
    ]
    shapes: dict[str, list[Any]] = {"x": ["batch", 3, 28, 28], "y": ["batch", 32, 14, 14]}
    infos = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name, shape in shapes.items()
    ]
    tensors = [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()]
    given = helper.make_model(
        helper.make_graph(nodes, "g", infos[0], infos[1], tensors),
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    program = compile_specialised(given, [{"batch": 1}, {"batch": 3}], pool)
    general = compile_specialised(given, "off", pool)
    for size in (1, 2, 3):
        x = draw.standard_normal((size, 3, 28, 28)).astype(np.float32)
        expected = general(x)[0]
        np.testing.assert_allclose(program(x)[0], expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    assert [rows(program)[size,]["own_calls"] for size in (1, 2, 3)] == [1, 0, 1]
