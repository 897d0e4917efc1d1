"""A kernel that cannot be compiled is named, with the ONNX nodes that it comes from and a reproducer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dense import dense_model

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompileError, Options, compile_program
from mlc.compiler.build import Builder

MLC_OPT = Path(sys.executable).parent / "mlc-opt"


@pytest.fixture
def failing_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels go straight to the check that nothing untranslatable is left: it fails in the worker."""
    job = Builder._job

    def change_job(self: Builder, text: str, pipeline: str, *rest: Any) -> dict[str, Any]:
        return job(self, text, pipeline.replace("cpu-kernel", "llvm-verify-translatable"), *rest)

    monkeypatch.setattr(Builder, "_job", change_job)


@pytest.mark.usefixtures("failing_kernels")
def test_a_failing_kernel(tmp_path: Path, pool: WorkerPool) -> None:
    with pytest.raises(CompileError) as raised:
        compile_program(dense_model(), Options(pool=pool, cache=False, reproducer_dir=str(tmp_path)))
    error = raised.value
    assert "pass 'llvm-verify-translatable' failed" in error.message
    assert "cannot be translated to LLVM IR" in error.message
    assert any("kernel @" in note and "activation" in note for note in error.notes), error.notes
    reproducer = next(tmp_path.glob("mlc-reproducer-*.mlir"))
    assert f"reproduce with: mlc-opt --run-reproducer {reproducer}" in error.notes
    assert "Traceback" not in str(error)
    replay = subprocess.run(
        [MLC_OPT, "--run-reproducer", reproducer], capture_output=True, text=True, check=False
    )
    assert replay.returncode == 1
    assert "cannot be translated to LLVM IR" in replay.stderr


@pytest.mark.usefixtures("failing_kernels")
def test_the_pool_survives(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(CompileError):
        compile_program(dense_model(), Options(pool=pool, cache=False, reproducer_dir=str(tmp_path)))
    monkeypatch.undo()
    assert compile_program(dense_model(), Options(pool=pool, cache=False)).report["kernels"] > 0


def test_a_failing_graph_pass_leaves_a_reproducer(tmp_path: Path, pool: WorkerPool) -> None:
    pipelines = ("graph-optimize", "llvm-verify-translatable")
    options = Options(pool=pool, cache=False, pipelines=pipelines, reproducer_dir=str(tmp_path))
    with pytest.raises(Exception, match="cannot be translated to LLVM IR"):
        compile_program(dense_model(), options)
    reproducer = next(tmp_path.glob("mlc-reproducer-*.mlir"))
    replay = subprocess.run(
        [MLC_OPT, "--run-reproducer", reproducer], capture_output=True, text=True, check=False
    )
    assert replay.returncode == 1
    assert "pass 'llvm-verify-translatable' failed" in replay.stderr


def test_a_pipeline_that_loses_main(pool: WorkerPool) -> None:
    options = Options(pool=pool, cache=False, pipelines=("symbol-privatize", "symbol-dce"))
    with pytest.raises(CompileError, match="no function @main"):
        compile_program(dense_model(), options)


def test_host_functions_that_are_not_planned(pool: WorkerPool) -> None:
    options = Options(pool=pool, cache=False, pipelines=("graph-optimize", "lower-graph", "form-kernels"))
    with pytest.raises(CompileError, match="host-plan-memory"):
        compile_program(dense_model(), options)
