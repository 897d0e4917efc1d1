"""Schedules given to the compiler replace the default ones of the kernels that they name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mlc.codegen.pool import WorkerPool
from mlc.compiler import CompileError, Options, compile_program
from mlc.compiler.levels import planned_module, units_of

MODEL = """
func.func @main(%x: tensor<8x64xf32>, %y: tensor<64x48xf32>) -> tensor<8x48xf32> {
  %0 = "graph.matmul"(%x, %y) : (tensor<8x64xf32>, tensor<64x48xf32>) -> tensor<8x48xf32>
  return %0 : tensor<8x48xf32>
}
"""

ROWS = """
"tloop.schedule"() ({
  %root = "tloop.get_block"() {block_name = "root"} : () -> !tloop.block
  %init = "tloop.get_block"() {block_name = "init"} : () -> !tloop.block
  %t, %l = "tloop.tile"(%root) {sizes = array<i64: 2>, mode = "parallel"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  %m = "tloop.compute_at"(%init, %l) : (!tloop.block, !tloop.loop) -> !tloop.block
  %k, %kl = "tloop.tile"(%t) {sizes = array<i64: 0, 0, 4>, mode = "sequential"} : (!tloop.block) -> (!tloop.block, !tloop.loop)
  "tloop.vectorize"(%m, %k) : (!tloop.block, !tloop.block) -> ()
}) {kernel = @"matmul*"} : () -> ()
"""  # noqa: E501


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "m.mlir").write_text(MODEL)
    return tmp_path / "m.mlir"


def test_a_schedule_by_pattern(model: Path, pool: WorkerPool) -> None:
    """It is part of the kernel's text, which is the key in the cache, and computes the same."""
    given = Options(schedules=ROWS, pool=pool)
    (text,) = units_of(model, given)["main"].kernels.values()
    assert "tloop.schedule" in text
    assert "sizes = array<i64: 0, 0, 4>" in text
    assert given.key_text() != Options(pool=pool).key_text()
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(shape).astype(np.float32) for shape in ((8, 64), (64, 48)))
    executable = compile_program(model, given).executable()
    assert [kernel["schedule"] for kernel in executable.report()["launched_kernels"]] == ["user"]
    (found,) = executable(x, y)
    np.testing.assert_allclose(found, x.astype(np.float64) @ y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            ROWS.replace("matmul*", "softmax*"),
            r"the schedule of 'softmax\*' matches no kernel\nthere are: matmul",
        ),
        (ROWS + ROWS, r"kernel @matmul\S* has two schedules"),
        ('"tloop.schedule"', "the schedules cannot be read: schedules:1:"),
        (MODEL, r"expected tloop\.schedule ops, but the schedules hold a 'func\.func'"),
    ],
)
def test_schedules_that_do_not_fit(model: Path, text: str, cause: str) -> None:
    with pytest.raises(CompileError, match=cause):
        planned_module(model, Options(schedules=text))


def test_a_step_that_does_not_apply(model: Path, pool: WorkerPool) -> None:
    """The message names the kernel, the step and its candidates."""
    text = ROWS.replace('"init"', '"start"')
    cause = (
        r"step 2 \('tloop\.get_block'\) does not apply: the kernel has no block 'start'; it has: init, root"
    )
    with pytest.raises(CompileError, match=cause):
        compile_program(model, Options(schedules=text, pool=pool))


def test_schedule_file(model: Path, tmp_path: Path) -> None:
    (tmp_path / "s.mlir").write_text(ROWS)
    command = [sys.executable, "-P", "-m", "mlc.tools.mlc.main", "compile", str(model)]
    outputs = ["--emit=mlir", "-o", "-", "--schedule-file", str(tmp_path / "s.mlir")]
    done = subprocess.run([*command, *outputs], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"tloop.schedule"' in done.stdout
    (tmp_path / "s.mlir").write_text("")
    done = subprocess.run([*command, *outputs], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "s.mlir is empty; expected tloop.schedule ops" in done.stderr
    (tmp_path / "s.mlir").write_bytes(b"\xff\xfe")
    done = subprocess.run([*command, *outputs], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("mlc: error: the schedules cannot be read: schedules:1:1: error: ")
