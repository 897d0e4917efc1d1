"""A second compilation reads programs from the cache on disk, unless something has changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from dense import dense_model, dense_result, pair_model, save_external

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompiledProgram, Options, compile_program, worker_pool


def run(program: CompiledProgram, x: np.ndarray) -> np.ndarray:
    return program.executable(threads=1)(x)[0]


@pytest.fixture
def options(pool: WorkerPool) -> Options:
    return Options(pool=pool)


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return np.allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", ["path", "bytes", "proto"])
def test_the_second_compilation_comes_from_the_cache(
    form: str, tmp_path: Path, options: Options, x: np.ndarray
) -> None:
    model = dense_model()
    onnx.save(model, tmp_path / "m.onnx")
    given = {"path": tmp_path / "m.onnx", "bytes": model.SerializeToString(), "proto": model}[form]
    first, second = compile_program(given, options), compile_program(given, options)
    assert not first.report["from_cache"]
    assert second.report["from_cache"]
    assert first.objects == second.objects
    assert first.manifest()["inputs"] == second.manifest()["inputs"]
    for program in (first, second):
        assert close(run(program, x), dense_result(x, model))


def test_without_the_cache_nothing_is_written(cache_dir: Path, options: Options) -> None:
    compile_program(dense_model(), replace(options, cache=False))
    assert not cache_dir.exists() or not list(cache_dir.rglob("entries/*/*"))


def test_another_model_shares_kernels(options: Options, x: np.ndarray) -> None:
    compile_program(dense_model(), options)
    other = dense_model(scale=2.0)
    program = compile_program(other, options)
    assert not program.report["from_cache"]
    assert program.report["kernels_cached"] == program.report["kernels"] > 0
    assert close(run(program, x), dense_result(x, other))


def test_damaged_entries_are_compiled_again(cache_dir: Path, options: Options, x: np.ndarray) -> None:
    model = dense_model()
    compile_program(model, options)
    entries = [path for path in cache_dir.rglob("entries/*/*") if path.is_file()]
    assert entries
    for path in entries:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)
    program = compile_program(model, options)
    assert not program.report["from_cache"]
    assert program.report["kernels_cached"] == 0
    assert close(run(program, x), dense_result(x, model))
    assert compile_program(model, options).report["from_cache"]


@pytest.mark.parametrize("changed", [{"scale": 3.0}, {"bias": -2.0}], ids=["large", "small"])
def test_changed_external_data_is_noticed(
    changed: dict[str, float], tmp_path: Path, options: Options, x: np.ndarray
) -> None:
    path = tmp_path / "m.onnx"
    save_external(dense_model(), path)
    text = path.read_bytes()
    compile_program(path, options)
    assert compile_program(path, options).report["from_cache"]
    other = dense_model(**changed)
    save_external(other, path)
    assert path.read_bytes() == text, "the change must be in the data only"
    program = compile_program(path, options)
    assert close(run(program, x), dense_result(x, other))


def test_one_of_two_equal_weights_changes(tmp_path: Path, options: Options) -> None:
    """Equal contents are one weight of the program; each range of the file counts on its own."""
    path, x = tmp_path / "m.onnx", np.ones((32, 32), np.float32)
    save_external(pair_model(1, 1), path)
    assert close(run(compile_program(path, options), x), x * 1 + 1)
    save_external(pair_model(1, 5), path)
    assert close(run(compile_program(path, options), x), x * 1 + 5)


def test_lost_external_data_is_an_error(tmp_path: Path, options: Options) -> None:
    path = tmp_path / "m.onnx"
    save_external(dense_model(), path)
    compile_program(path, options)
    (tmp_path / "m.onnx.data").unlink()
    with pytest.raises(Exception, match=r"m\.onnx\.data"):
        compile_program(path, options)


def test_options_that_change_the_program_have_other_keys() -> None:
    keys = [
        Options().key_text(),
        Options(dims={"batch": 2}).key_text(),
        Options(dims={"batch": 3}).key_text(),
        Options(shapes={"x": (2, 3)}).key_text(),
        Options(pipelines=("form-kernels", "host-plan-memory")).key_text(),
    ]
    assert len(set(keys)) == len(keys)


def test_options_that_do_not_share_a_key(pool: WorkerPool) -> None:
    same = Options(jobs=1, pool=pool, progress=lambda *_: None, reproducer_dir="there", shapes={"x": [2]})
    assert same.key_text() == Options(shapes={"x": (2,)}).key_text()


def test_another_target_is_another_program(options: Options) -> None:
    model = dense_model()
    compile_program(model, options)
    assert not compile_program(model, replace(options, target="x86-64-v3")).report["from_cache"]
    assert compile_program(model, options).report["from_cache"]


def test_a_cached_program_needs_no_worker(options: Options, x: np.ndarray) -> None:
    model = dense_model()
    compile_program(model, options)
    closed = worker_pool(1)
    closed.close()
    program = compile_program(model, replace(options, pool=closed))
    assert close(run(program, x), dense_result(x, model))
