"""Tests of --specialise: programs for single sizes beside the general one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper


@pytest.fixture(scope="module")
def exp(folder: Path, save: Any) -> Path:
    """Saves y = exp(x), of any number of rows."""
    nodes = [helper.make_node("Exp", ["x"], ["y"])]
    return save(folder / "exp.onnx", nodes, inputs={"x": ["batch", 8]}, outputs={"y": ["batch", 8]})


def test_sizes_in_a_file(mlc: Any, exp: Path) -> None:
    flags = ("--specialise", "batch=1", "--specialise", "batch=4")
    shown = mlc("compile", exp, "-o", "m.mlcx", *flags)
    assert shown.status == 0 and "also for  batch=4" in shown.out
    assert "also for     batch=1\nalso for     batch=4\n" in mlc("report", "m.mlcx").out
    assert mlc("report", "m.mlcx", "--json").json()["specialised"] == ["batch=1", "batch=4"]
    done = mlc("run", "m.mlcx", "--dim", "batch=4", "-v", "--model", exp, "--verify")
    assert done.status == 0
    lines = {tuple(line.split()[:4]) for line in done.out.splitlines()}
    assert {("batch=4", "1", "1", "its"), ("batch=1", "0", "0", "its")} <= lines
    done = mlc("run", "m.mlcx", "--dim", "batch=3", "--json").json()
    assert [size["own_calls"] for size in done["specialised"]["sizes"] if size["calls"]] == [0]


def test_bench_waits_for_sizes_that_come_often(mlc: Any, exp: Path) -> None:
    np.savez("x.npz", x=np.ones((5, 8), np.float32))
    flags = ("--specialise=auto", "--inputs", "x.npz", "--runs", "20", "--warmup", "0")
    data = mlc("bench", exp, *flags, "--json").json()
    [row] = data["specialised"]["sizes"]
    assert row["sizes"] == {"batch": 5} and row["own_calls"] >= 20 and row["general_calls"] == 8
    shown = mlc("bench", exp, *flags)
    assert "batch=5" in shown.out and "from the cache" in shown.out


@pytest.mark.parametrize(
    ("flags", "status", "message"),
    [
        (("batch",), 2, "--specialise=batch: expected auto, off or NAME=N,..."),
        (("batch=x",), 2, "--specialise=batch=x: expected auto, off or NAME=N,..."),
        (("off", "batch=1"), 2, "--specialise=off leaves nothing for the others to ask for"),
        (("seq=1",), 1, "--specialise seq=1: give a size to each of the model's dims: batch"),
    ],
)
def test_wrong_flags(mlc: Any, exp: Path, flags: tuple[str, ...], status: int, message: str) -> None:
    done = mlc("compile", exp, *(f"--specialise={flag}" for flag in flags))
    assert done.status == status and message in done.err and "Traceback" not in done.err


def test_a_shared_library_has_none(mlc: Any, exp: Path) -> None:
    done = mlc("compile", exp, "--emit=shared-lib", "--specialise", "batch=1")
    assert done.status == 1 and "a shared library has no programs for single sizes" in done.err
