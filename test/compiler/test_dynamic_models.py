"""Models whose callers choose sizes: compiled, cached, saved, called."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from dense import dense_model, dense_result

import mlc.onnx_backend as backend
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.runtime import NamedDim, load


def dynamic_dense() -> onnx.ModelProto:
    """`dense_model` of `rows` rows."""
    model = dense_model()
    for info in (*model.graph.input, *model.graph.output):
        info.type.tensor_type.shape.dim[0].dim_param = "rows"
    return model


def check(executable: object, *counts: int) -> None:
    model = dynamic_dense()
    for rows in counts:
        x = np.random.default_rng(rows).uniform(-1, 1, (rows, 32)).astype(np.float32)
        [y] = executable(x)  # type: ignore[operator]
        assert y.shape == (rows, 16)
        np.testing.assert_allclose(y, dense_result(x, model), rtol=1e-5, atol=1e-5)


def test_callers_choose_sizes(pool: WorkerPool, tmp_path: Path) -> None:
    program = compile_program(dynamic_dense(), Options(pool=pool))
    executable = program.executable(threads=1)
    assert str(executable.inputs[0]) == "x: float32[rows,32]" and executable.dims == (NamedDim("rows"),)
    check(executable, 1, 5, 64, 0, 33)
    program.save(tmp_path / "m.mlcx")
    check(load(tmp_path / "m.mlcx", threads=2), 7)


def test_callers_choose_within_a_range(pool: WorkerPool) -> None:
    """Also when the program comes from the cache, where another range is another program."""
    for least, most in ((1, 8), (1, 8), (2, 9)):
        program = compile_program(dynamic_dense(), Options(pool=pool, dims={"rows": (least, most)}))
        executable = program.executable(threads=1)
        assert executable.dims == (NamedDim("rows", least, most),)
        check(executable, least, most)
        with pytest.raises(ValueError, match=rf"dim 0 is {most + 1}, expected {least} to {most} \('rows'\)"):
            executable(np.zeros((most + 1, 32), np.float32))
    assert not program.report["from_cache"]
    assert compile_program(dynamic_dense(), Options(pool=pool, dims={"rows": (1, 8)})).report["from_cache"]


def test_one_size_makes_a_static_program(pool: WorkerPool) -> None:
    executable = compile_program(dynamic_dense(), Options(pool=pool, dims={"rows": 3})).executable()
    assert executable.inputs[0].shape == (3, 32) and executable.dims == ()


def test_as_a_backend_of_onnx(pool: WorkerPool) -> None:
    prepared = backend.prepare(dynamic_dense(), pool=pool)
    check(lambda x: prepared.run([x]), 4, 6)
