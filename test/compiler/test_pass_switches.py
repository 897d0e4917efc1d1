"""Programs compiled with passes switched off or replaced."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense import dense_model, dense_result
from onnx import helper, numpy_helper

import mlc
from mlc.codegen.pool import WorkerPool
from mlc.compiler import Options, compile_program
from mlc.compiler.levels import levels
from mlc.passes.exactness import CLASSES

SEPARATE = {"graph-form-kernels": "graph-form-kernels{fuse=false}"}


def test_without_fusion_there_are_more_launches_and_the_same_results(pool: WorkerPool, x: np.ndarray) -> None:
    model, options = dense_model(), Options(pool=pool)
    fused = compile_program(model, options)
    separate = compile_program(model, replace(options, replace_passes=SEPARATE))
    assert separate.report["launches"] > fused.report["launches"]
    for program in (fused, separate):
        result = program.executable(threads=1)(x)[0]
        assert np.allclose(result, dense_result(x, model), rtol=1e-5, atol=1e-5)


def test_switches_are_part_of_the_key(pool: WorkerPool) -> None:
    model, options = dense_model(), Options(pool=pool)
    disabled = replace(options, disable_passes=["graph-split-prepare"])
    for given in (options, disabled, replace(options, replace_passes=SEPARATE)):
        assert not compile_program(model, given).report["from_cache"]
    assert compile_program(model, disabled).report["from_cache"]


def test_exactness_changes_the_program(pool: WorkerPool) -> None:
    """Exactness decides rewrites: x + 0.0 is x but for -0.0; x - x is 0 but for NaN and infinity."""
    model = helper.make_model(
        helper.make_graph(
            [
                helper.make_node("Add", ["x", "zero"], ["sum"]),
                helper.make_node("Sub", ["x", "x"], ["difference"]),
            ],
            "identities",
            [helper.make_tensor_value_info("x", 1, [3])],
            [helper.make_tensor_value_info(name, 1, [3]) for name in ("sum", "difference")],
            [numpy_helper.from_array(np.zeros((), np.float32), "zero")],
        )
    )
    x = np.array([-0.0, np.nan, np.inf], np.float32)
    found = {}
    for exactness in CLASSES:
        program = compile_program(model, Options(pool=pool, exactness=exactness))
        assert not program.report["from_cache"]
        total, difference = program.executable(threads=1)(x)
        found[exactness] = (bool(np.signbit(total[0])), bool(np.isnan(difference[1])))
    assert found == {"exact": (False, True), "rounding": (True, True), "approximate": (True, False)}


def test_levels_keep_the_names_of_their_pipelines() -> None:
    options = Options(disable_passes=["graph-split-prepare"])
    found = {name: module.operation.get_asm() for name, module in levels(dense_model(), options)}
    assert list(found) == ["import", *options.pipeline_names()]
    assert "@prepare" not in found["lower-graph"]


def test_the_api_takes_switches(x: np.ndarray) -> None:
    model = dense_model()
    executable = mlc.compile(model, threads=1, disable_passes=["graph-pack-matmuls"], replace_passes=SEPARATE)
    assert np.allclose(executable(x)[0], dense_result(x, model), rtol=1e-5, atol=1e-5)
    with pytest.raises(mlc.PassError, match=r"hold no pass 'graph-pack-matmul'; did you mean"):
        mlc.compile(model, disable_passes=["graph-pack-matmul"])
    with pytest.raises(mlc.PassError, match=r"exactness must be one of exact, rounding, approximate"):
        mlc.compile(model, exactness="bitwise")
