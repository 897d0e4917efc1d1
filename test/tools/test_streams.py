"""The tools' standard streams: slow readers, full devices, closed descriptors."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import onnx
import pytest
from onnx import helper

_MLC = "mlc.tools.mlc.main"
_OPT = "mlc.tools.opt.main"
_TRANSLATE = "mlc.tools.translate.main"
_PLUGIN = Path(__file__).parent / "mlc-opt" / "Inputs" / "plugin.py"
# Longer than what a pipe holds.
_LONG = "module {\n" + "".join(f"  func.func private @function_{index}()\n" for index in range(4000)) + "}\n"


def command(tool: str, *flags: str) -> list[str]:
    return [sys.executable, "-m", tool, *flags]


def shell(
    tool: str, flags: str, redirections: str, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    line = f"{sys.executable} -m {tool} {flags} {redirections}"
    given = {**os.environ, **(variables or {})}
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, env=given)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "in.mlir"
    path.write_text("func.func private @f()\n")
    return path


@pytest.mark.parametrize("flags", [[], ["--cse", "--mlir-print-ir-after-all", "-o", "/dev/null"]])
def test_a_slow_reader_is_no_hang(flags: list[str], tmp_path: Path) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(_LONG)
    started = command(_OPT, str(path), "--mlc-step-timeout=1", *flags)
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        time.sleep(2.5)
        output, _ = process.communicate()
    assert process.returncode == 0, output[-200:]
    assert "@function_3999" in output


@pytest.mark.parametrize(
    ("tool", "flag"), [(_TRANSLATE, "--mlir-to-llvmir"), (_OPT, f"--load-plugin={_PLUGIN}")]
)
def test_slow_typing_is_no_hang(tool: str, flag: str) -> None:
    started = command(tool, flag, "--mlc-step-timeout=1")
    with subprocess.Popen(started, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(2.5)
        _, errors = process.communicate("wrong")
    assert errors.startswith("<stdin>:1:1: error: "), errors
    assert process.returncode == 1


@pytest.mark.parametrize("flags", ["--version", "{small}"])
def test_a_full_output_is_an_error(flags: str, small: Path) -> None:
    result = shell(_OPT, flags.format(small=small), "> /dev/full")
    assert result.stderr == "mlc-opt: error: <stdout>: No space left on device\n"
    assert result.returncode == 1


def test_a_closed_output_is_an_error(small: Path) -> None:
    result = shell(_OPT, str(small), ">&-")
    assert result.stderr == "mlc-opt: error: <stdout>: Bad file descriptor\n"
    assert result.returncode == 1


def test_streams_of_mlc() -> None:
    assert shell(_MLC, "targets", ">&-").stderr == "mlc: error: output: Bad file descriptor\n"
    assert shell(_MLC, "targets", "> /dev/full").stderr == "mlc: error: output: No space left on device\n"
    done = shell(_MLC, "run absent.onnx", "2>&-")
    assert (done.returncode, done.stdout) == (1, "")
    assert shell(_MLC, "targets", "<&- 2>&-").returncode == 0


def test_names_that_the_encoding_of_the_output_lacks(tmp_path: Path) -> None:
    x, y = (helper.make_tensor_value_info(name, 1, [2]) for name in ("вход", "y"))
    graph = helper.make_graph([helper.make_node("Relu", ["вход"], ["y"])], "g", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), tmp_path / "m.onnx")
    done = shell(_MLC, f"run {tmp_path}/m.onnx", "", {"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0, done.stderr
    assert r"\u0432\u0445\u043e\u0434" in done.stdout


@pytest.mark.parametrize(("tool", "flags"), [(_OPT, ""), (_TRANSLATE, "--mlir-to-llvmir")])
def test_a_closed_input_is_an_error(tool: str, flags: str) -> None:
    result = shell(tool, flags, "<&-")
    assert result.stderr.endswith(": error: <stdin>: Bad file descriptor\n"), result.stderr
    assert result.returncode == 1


def test_closed_errors_are_lost(small: Path) -> None:
    result = shell(_OPT, f"{small} --cse --mlir-print-ir-after-all", "2>&-")
    assert result.returncode == 0
    assert result.stdout == "module {\n  func.func private @f()\n}\n\n"
    assert shell(_OPT, "--nonsense", "2>&-").returncode == 2


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ("-o {out}", "{out}"),
        (
            "--cse --mlir-print-ir-after-all --mlir-print-ir-tree-dir={out}",
            "{out}/builtin_module_no-symbol-name/0_cse.mlir",
        ),
    ],
)
def test_a_limit_on_file_sizes_names_the_file(flags: str, named: str, tmp_path: Path) -> None:
    big, out = tmp_path / "big.mlir", tmp_path / "out"
    big.write_text(_LONG)
    line = f"ulimit -f 8; {sys.executable} -m {_OPT} {big} {flags.format(out=out)}"
    result = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert result.stderr == f"mlc-opt: error: {named.format(out=out)}: File too large\n"
    assert result.returncode == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["big.mlir"]
