"""The examples run as their texts say."""

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_compile_and_run() -> None:
    output = run("compile_and_run.py")
    assert "x: float32[1, 784]" in output
    error = re.search(r"y: largest error relative to ONNX Runtime (\S+)", output)
    assert error and float(error[1]) < 1e-4
    assert "the same results: True" in output


def test_vector_add() -> None:
    lines = run("vector_add.py").splitlines()
    names = ["plain", "split", "reordered", "vectorised", "parallel"]
    assert lines == [f"{name:12} largest difference 0e+00" for name in names]


def test_matmul_ladder() -> None:
    rows = run("matmul_ladder.py", "--size", "128", "--repeat", "1").splitlines()[3:]
    assert len(rows) == 7
    assert all(float(row.split()[-1]) < 1e-5 for row in rows)


def test_linear_relu() -> None:
    error = re.search(r"largest error (\S+)", run("linear_relu.py"))
    assert error and float(error[1]) < 1e-5


def test_fashion_mlp() -> None:
    output = run("fashion_mlp.py")
    assert "images: float32[1,28,28] -> output0: float32[1,10]" in output
    probabilities = re.findall(r"0\.\d{3}", output)
    assert len(probabilities) == 10 and abs(sum(map(float, probabilities)) - 1) < 0.01
    error = re.search(r"largest error (\S+)", output)
    assert error and float(error[1]) < 1e-5


def test_print_levels_shows_every_level() -> None:
    output = run("print_levels.py")
    levels = re.findall(r"===== (?:kernels/\w+/)?(\S+) ", output)
    assert levels[:3] == ["0-import.mlir", "1-graph.mlir", "2-lowered.mlir"]
    assert {"linalg.mlir", "scheduled.mlir", "loops.mlir", "llvm.mlir", "llvm.ll", "asm.s"} <= set(levels)


def test_the_list_names_every_example() -> None:
    text = (EXAMPLES / "README.md").read_text()
    assert all(path.name in text for path in EXAMPLES.iterdir() if path.suffix in (".py", ".mlir"))
