"""The made-up accelerator: its package by path and installed, on models; the guide written from it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "accelerator"
GUIDE = ROOT / "docs" / "bring-your-own-accelerator.md"
BIN = Path(sys.executable).parent

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None, reason="no C compiler for the accelerator's simulator"
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example: building a package leaves files beside it."""
    return Path(shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("package") / "accelerator"))


@pytest.fixture
def environment(package: Path, tmp_path: Path) -> dict[str, str]:
    """One in which the package is a plugin by its path, and in which the cache holds nothing."""
    variables = {"MLC_PLUGINS": str(package / "tiny_npu"), "PYTHONPATH": str(package)}
    return {**os.environ, **variables, "MLC_CACHE_DIR": str(tmp_path / "cache")}


def run(command: Sequence[str | Path], environment: dict[str, str], folder: Path | None = None) -> str:
    """Returns what the command prints."""
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def check_mlp(output: str) -> None:
    """All products ran on the matrix unit, 256 multiply-adds in a cycle, and gave ONNX Runtime's results."""
    difference = re.search(r"largest difference from ONNX Runtime (\S+),", output)
    assert difference and float(difference[1]) < 2e-3
    counted = re.search(
        r"(\d+) multiply-adds; cycles: \{'dma': (\d+), 'matrix': (\d+), 'vector': (\d+)\}", output
    )
    assert counted
    products, dma, matrix, vector = map(int, counted.groups())
    assert products == 32 * (784 * 256 + 256 * 128 + 128 * 16)
    assert matrix == products // 256 and dma > matrix and vector > 0


def test_an_onnx_model(package: Path, environment: dict[str, str]) -> None:
    check_mlp(run([sys.executable, package / "run_mlp.py"], environment))


def test_the_simulator(package: Path, environment: dict[str, str]) -> None:
    """The package's own tests."""
    options = ["-q", "-p", "no:cacheprovider", f"--rootdir={package}"]
    output = run([sys.executable, "-P", "-m", "pytest", *options, package / "test"], environment, package)
    assert re.search(r"\d\d passed", output)


KERNELS = """
import sys
import mlc
import numpy as np
from mlc.kernels import Tensor, axis, compute, dims, f16, f32, i8, i32, max, sum
from tiny_npu.simulator import cycles, reset

M, N, K = dims("M N K")

@mlc.expression
def product(a: Tensor[i8, M, K], b: Tensor[i8, K, N]):
    k = axis(K)
    return compute((M, N), lambda i, j: sum(i32(a[i, k]) * i32(b[k, j]), k), name="sum")

@mlc.expression
def transposed(a: Tensor[f16, M, K], b: Tensor[f16, N, K]):
    k = axis(K)
    return compute((M, N), lambda i, j: sum(f32(a[i, k]) * f32(b[j, k]), k), name="sum")

def run(expression, a, b):
    @mlc.graph_function
    def whole(a: Tensor[elements[a.dtype.name], *a.shape], b: Tensor[elements[b.dtype.name], *b.shape]):
        return expression(a, b)
    reset()
    [out] = mlc.compile(whole, target="tiny-npu")(a, b)
    return out, cycles()["matrix"]

elements = {"int8": i8, "float16": f16}
random = np.random.default_rng(0)
for rows, columns, steps in ((32, 16, 48), (32, 10, 48)):
    a = random.integers(-128, 128, (rows, steps), np.int8)
    b = random.integers(-128, 128, (steps, columns), np.int8)
    out, matrix = run(product, a, b)
    assert (out == a.astype(np.int32) @ b.astype(np.int32)).all()
    print(rows * columns * steps // 256 if columns % 16 == 0 else 0, matrix)
a = random.integers(-8, 8, (16, 32)).astype(np.float16)
b = random.integers(-8, 8, (48, 32)).astype(np.float16)
out, matrix = run(transposed, a, b)
assert (out == a.astype(np.float32) @ b.astype(np.float32).T).all()
print(16 * 48 * 32 // 256, matrix)
"""


@pytest.mark.slow
def test_products_of_other_types(package: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """Compiles i8, a transposed right operand, and sizes that leave the host to compute."""
    script = tmp_path / "kernels.py"
    script.write_text(KERNELS)
    lines = run([sys.executable, script], environment).splitlines()
    assert len(lines) == 3 and all(expected == found for expected, found in map(str.split, lines))


SAVE = """
import run_mlp, onnx
onnx.save(run_mlp.model(), "mlp.onnx")
"""


@pytest.mark.slow
def test_the_tools(package: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """The command line takes the target from a plugin by path; a stored model names the library."""
    (tmp_path / "save.py").write_text(SAVE)
    run([sys.executable, "save.py"], environment, tmp_path)
    del environment["MLC_PLUGINS"]
    plugin = ["--target-cpu", "tiny-npu", "--load-plugin", str(package / "tiny_npu")]
    verify = ["--verify", "--tolerance", "1e-2"]
    run([BIN / "mlc", "run", "mlp.onnx", *plugin, *verify], environment, tmp_path)
    run([BIN / "mlc", "compile", "mlp.onnx", *plugin, "-o", "mlp.mlcx"], environment, tmp_path)
    run([BIN / "mlc", "run", "mlp.mlcx", *verify, "--model", "mlp.onnx"], environment, tmp_path)
    run(
        [BIN / "mlc", "compile", "mlp.onnx", *plugin, "--emit=shared-lib", "-o", "libmlp.so"],
        environment,
        tmp_path,
    )
    for path in (tmp_path / "cache" / "tiny-npu").iterdir():
        path.unlink()
    gone = subprocess.run(
        [BIN / "mlc", "run", "mlp.mlcx"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert gone.returncode == 1 and re.fullmatch(
        r"mlc: error: mlp\.mlcx: .*\.so: cannot open.*\n", gone.stderr
    )


def test_without_a_compiler(environment: dict[str, str], tmp_path: Path) -> None:
    environment["CC"] = str(tmp_path / "none")
    command: list[str | Path] = [BIN / "mlc", "compile", "none.onnx", "--target-cpu", "tiny-npu"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "tiny-npu: its simulator needs a C compiler: cannot run" in done.stderr


def blocks(language: str) -> list[str]:
    """The guide's code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_guide_shows_the_files() -> None:
    shown = [block for language in ("c", "toml", "python") for block in blocks(language)]
    assert len(shown) >= 7
    for block in shown:
        name, text = re.match(r"(?:/\* |# )(\S+)(?: \*/)?\n(.*)", block, re.DOTALL).groups()  # type: ignore[union-attr]
        assert text in (EXAMPLE / name).read_text(), f"{name} has not what the guide shows"


@pytest.mark.slow
def test_the_guide_from_an_empty_folder(package: Path, tmp_path: Path) -> None:
    """Each command works, and prints what the guide shows. Packages go to a folder of the test's own."""
    packages = tmp_path / "packages"
    folder = tmp_path / "empty"
    folder.mkdir()
    environment = {
        **os.environ,
        "EXAMPLE": str(package),
        "MLC_CACHE_DIR": str(tmp_path / "cache"),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(packages),
    }
    text = GUIDE.read_text().replace("pip install", f"pip install --quiet --no-deps --target {packages}")
    printed = []
    for commands in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        printed.append(run(["bash", "-ec", commands], environment, folder))
    assert sorted(path.name for path in packages.glob("tiny_npu*")) == ["tiny_npu", "tiny_npu-0.1.dist-info"]
    output = "".join(printed)
    assert len(blocks("mlir")) == 2
    assert all(block in output for block in blocks("mlir"))
    check_mlp(output)
    assert re.search(r"\d\d passed", output)
