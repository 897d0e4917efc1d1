"""Failures: one message, no traceback, the right exit status, no file remains."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mlc.compiler.errors import CompileError
from mlc.tools.mlc.error_messages import report_failure
from mlc.tools.mlc.session import CommandSession


def fails(done: Any, *texts: str, status: int = 1) -> None:
    assert done.status == status
    assert "Traceback" not in done.err and "internal error" not in done.err
    for text in texts:
        assert text in done.err


def test_truncated_model(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.onnx").write_bytes(mlp.read_bytes()[:3000])
    done = mlc("compile", "cut.onnx")
    fails(done, "mlc: error: cut.onnx: not a valid ONNX model: ", "beyond the end")
    assert [path.name for path in tmp_path.iterdir()] == ["cut.onnx"]


def test_unknown_operators_are_all_named(mlc: Any, save: Any, tmp_path: Path) -> None:
    names = ["x", "a", "b", "y"]
    nodes = [helper.make_node("Frobnicate", [names[i]], [names[i + 1]], f"node{i}") for i in (0, 2)]
    nodes.insert(1, helper.make_node("Relu", ["a"], ["b"]))
    save(tmp_path / "unknown.onnx", nodes, inputs={"x": [2]}, outputs={"y": [2]})
    done = mlc("compile", "unknown.onnx", "--json")
    fails(done, "unknown.onnx", "Frobnicate", "'node0'", "'node2'", "opset 20")
    assert "unknown.onnx" in done.json()["error"] and any("node2" in note for note in done.json()["notes"])


def test_the_import_budget(mlc: Any, mlp: Path) -> None:
    done = mlc("compile", str(mlp), "--no-cache", "--import-budget", "nodes=2")
    fails(
        done,
        f"{mlp.name}: the model expands to",
        "nodes, more than the import budget of 2 (--import-budget nodes=N",
    )
    assert mlc("stats", str(mlp), "--import-budget", "nodes=100").status == 0


def test_a_wrong_limit_for_a_program_in_the_cache(mlc: Any, mlp: Path) -> None:
    for limit, expected in (("nodes=100", 0), ("nods=1", 1)):
        done = mlc("run", str(mlp), "--import-budget", limit)
        assert done.status == expected, done.err
    fails(done, "the import budget has no limit 'nods', but nodes")


def test_external_data_outside_the_folder(mlc: Any, save: Any, tmp_path: Path) -> None:
    path = save(
        tmp_path / "outside.onnx",
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        inputs={"x": [1, 1]},
        outputs={"y": [1, 1]},
        weights={"w": np.ones((1, 1), np.float32)},
    )
    model = onnx.load(path)
    [weight] = model.graph.initializer
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="../../etc/passwd")
    path.write_bytes(model.SerializeToString())
    fails(
        mlc("compile", "outside.onnx"),
        "outside.onnx: tensor 'w': '../../etc/passwd' leaves the model's folder",
    )


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("nowhere/x.mlcx", "nowhere: No such file or directory"),
        ("mlp.onnx/x.mlcx", "Not a directory"),
        (".", ".: Is a directory"),
        ("/dev/null", "/dev/null is no regular file"),
        ("/proc/x.mlcx", "/proc/x.mlcx: cannot write"),
    ],
)
def test_output_that_cannot_be_written(mlc: Any, mlp: Path, output: str, text: str) -> None:
    Path("mlp.onnx").write_bytes(mlp.read_bytes())
    fails(mlc("compile", "mlp.onnx", "-o", output), text)
    assert [path.name for path in Path().iterdir()] == ["mlp.onnx"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("compil", "; did you mean compile or completion?"), ("mlp.onnx", "; there are compile, run, ")],
)
def test_unknown_command(mlc: Any, name: str, text: str) -> None:
    fails(mlc(name), f"No such command '{name}'{text}", status=2)


def test_full_disk(mlc: Any, mlp: Path) -> None:
    fails(mlc("compile", mlp, "--emit=mlir", "-o", "/dev/full"), "/dev/full: No space left on device")
    Path("ir").mkdir()
    Path("ir/0-import.mlir").symlink_to("/dev/full")
    fails(mlc("compile", mlp, "--dump-ir", "ir"), "ir/0-import.mlir: No space left on device")


def test_folder_that_cannot_be_written(mlc: Any, mlp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Permissions do not bind the tests of root."""
    monkeypatch.setattr("os.access", lambda _path, mode: not mode & os.W_OK)
    fails(mlc("compile", mlp, "-o", "mine.mlcx"), "mlc: error: mine.mlcx: Permission denied")


def test_cache_that_cannot_be_written(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    Path("file").touch()
    done = mlc("compile", mlp, "--cache-dir", "file/cache")
    cause = f"the compile cache {tmp_path}/file/cache cannot be written, going on without: Not a directory"
    assert (done.status, done.err) == (0, f"mlc: warning: {cause}\n")


def test_model_is_not_overwritten(mlc: Any, mlp: Path) -> None:
    Path("mlp.onnx").write_bytes(mlp.read_bytes())
    fails(mlc("compile", "mlp.onnx", "-o", "mlp.onnx"), "mlp.onnx is the model itself")


def test_models_that_are_none(mlc: Any) -> None:
    Path("text.mlir").write_text("nonsense")
    fails(mlc("compile", "absent.onnx"), "absent.onnx", "No such file or directory")
    fails(mlc("run", "absent.onnx"), "absent.onnx: No such file or directory")
    fails(mlc("run", "."), "Is a directory")
    fails(mlc("compile", "text.mlir"), "text.mlir:1:1: error")
    Path("bad.mlcx").write_bytes(b"PK\3\4nonsense")
    fails(mlc("run", "bad.mlcx"), "bad.mlcx: ")
    fails(mlc("report", "bad.mlcx"), "bad.mlcx: ")
    np.savez("x.npz", x=np.ones(3))
    fails(mlc("run", "x.npz"), "x.npz: an archive, but no executable of mlc's")


@pytest.mark.parametrize(
    ("flag", "name", "hint"),
    [
        ("--target-cpu", "potato", "; known are host, "),
        ("--target", "cuda:sm90", "; did you mean 'cuda:sm_90a'"),
    ],
)
def test_unknown_processor(mlc: Any, mlp: Path, flag: str, name: str, hint: str) -> None:
    fails(mlc("compile", mlp, flag, name), f"unknown target cpu '{name}'{hint}")


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.ones((2, 24)), "input 'x': expected dtype float32, got float64"),
        (np.ones((2, 23), np.float32), "input 'x': expected shape (2, 24), got (2, 23)"),
    ],
)
def test_inputs_that_do_not_fit(mlc: Any, mlp: Path, array: np.ndarray, text: str) -> None:
    np.save("x.npy", array)
    fails(mlc("run", mlp, "--input", "x=x.npy"), text)


def test_input_files_that_are_none(mlc: Any, mlp: Path) -> None:
    Path("junk.npy").write_bytes(b"junk")
    np.savez("others.npz", p=np.ones(1), q=np.ones(1))
    np.save("objects.npy", np.array([None]), allow_pickle=True)
    np.save("x.npy", np.ones((2, 24), np.float32))
    fails(mlc("run", mlp, "--input", "x=junk.npy"), "junk.npy: not a NumPy file, .npy or .npz")
    fails(mlc("run", mlp, "--input", "x=objects.npy"), "objects.npy: cannot be read by NumPy: Object arrays")
    fails(mlc("run", mlp, "--input", "x="), "'': No such file or directory")
    fails(
        mlc("run", mlp, "--input", "x.npy", "--input", "x=x.npy"),
        "--input x=x.npy: the input 'x' is given twice",
    )
    fails(mlc("run", mlp, "--input", "x=absent.npy"), "absent.npy: No such file or directory")
    fails(mlc("run", mlp, "--input", "z=junk.npy"), "expected NAME=FILE, where NAME is one of x")
    fails(mlc("run", mlp, "--inputs", "others.npz"), "others.npz: holds p, q; the model's inputs are x")
    fails(mlc("run", mlp, "--input", "x=others.npz"), "others.npz: no array 'x'; it holds p, q")


@pytest.mark.parametrize(
    "arguments",
    [
        ["compile"],
        ["frobnicate"],
        ["compile", "m.onnx", "--emit=nothing"],
        ["compile", "m.onnx", "--dim", "n"],
        ["compile", "m.onnx", "--import-budget", "nodes=many"],
        ["compile", "m.onnx", "--shape", "x:ax3"],
        ["compile", "m.onnx", "--embed-weights"],
        ["compile", "m.onnx", "--cc", "gcc"],
        ["compile", ""],
        ["compile", "m.onnx", "-o", ""],
        ["run", "m.onnx", "--save-outputs", ""],
        ["run", "m.onnx", "--random-seed", "-1"],
        ["run", "m.onnx", "--verify", "--tolerance", "nan"],
        ["bench", "m.onnx", "--seconds", "nan"],
        ["profile", "m.onnx", "--seconds", "inf"],
        ["compile", "m.onnx", "--dump-kernel", "k"],
        ["compile", "m.onnx", "-o", "-"],
        ["compile", "m.onnx", "--emit=asm", "-o", "-", "--json"],
        ["bench", "m.onnx", "--against", "tvm"],
        ["bench", "m.onnx", "--threads", "0"],
        ["run", "m.onnx", "--threads", "many"],
    ],
)
def test_usage(mlc: Any, arguments: list[str]) -> None:
    fails(mlc(*arguments), "Usage: mlc", status=2)


def test_failed_pass_names_pass_and_location_and_writes_a_reproducer(mlc: Any, tmp_path: Path) -> None:
    """A shape known only at run time passes the graph level and fails when memory is planned."""
    (tmp_path / "dynamic.mlir").write_text(
        "func.func @main(%x: tensor<6xf32>, %dims: tensor<2xi64>) -> tensor<?x?xf32> {\n"
        '  %0 = "graph.reshape"(%x, %dims) {shape = array<i64: -1, -1>}'
        " : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>\n"
        '  %1 = "graph.relu"(%0) : (tensor<?x?xf32>) -> tensor<?x?xf32>\n'
        "  return %1 : tensor<?x?xf32>\n"
        "}\n"
    )
    (tmp_path / "out").mkdir()
    done = mlc("compile", "dynamic.mlir", "--reproducer-dir", "out")
    fails(done, "pass 'host-plan-memory' failed on", "the dim 'reshape#0.shape[0]'", 'at "dynamic.mlir":2:')
    [reproducer] = (tmp_path / "out").iterdir()
    assert f"reproduce with: mlc-opt --run-reproducer out/{reproducer.name}" in done.err
    assert "host-plan-memory" in reproducer.read_text() and "graph.relu" in reproducer.read_text()


def test_notes_of_a_failed_kernel_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    notes = ['kernel @add_1, from loc("sum")', "reproduce with: mlc-opt --run-reproducer r.mlir"]
    assert report_failure(CompileError("pass 'x' failed", notes), CommandSession()) == 1
    assert capsys.readouterr().err == f"mlc: error: pass 'x' failed\n  {notes[0]}\n  {notes[1]}\n"


def test_defects_are_one_line_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MLC_TRACEBACK", raising=False)
    assert report_failure(ZeroDivisionError("division by zero"), CommandSession()) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("mlc: error: internal error: ZeroDivisionError: division by zero\n")
    monkeypatch.setenv("MLC_TRACEBACK", "1")
    report_failure(ZeroDivisionError("division by zero"), CommandSession())
    assert "Traceback" not in shown and "ZeroDivisionError" in capsys.readouterr().err


_CRASHING = """
import os, signal, sys
from mlc.passes.graph.simplify.simplify import Simplify
Simplify.run = lambda self, op: os.kill(os.getpid(), signal.SIGSEGV)
from mlc.tools.mlc.main import guarded_main
sys.exit(guarded_main())
"""


def test_a_crash_names_the_pass(mlp: Path, tmp_path: Path) -> None:
    """The process dies as from a fault of C++ under a pass."""
    arguments = ["compile", str(mlp), "-o", "out.mlcx", "--no-cache"]
    done = subprocess.run(
        [sys.executable, "-c", _CRASHING, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "error: pass 'graph-simplify' on 'builtin.module' operation" in done.stderr
    assert "crashed (SIGSEGV)" in done.stderr
    assert list(tmp_path.iterdir()) == []
