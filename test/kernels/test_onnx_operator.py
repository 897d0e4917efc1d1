"""ONNX models whose operators are kernels written in Python."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tensor_kernels import softmax

import mlc
from mlc.frontends.onnx import registry as onnx_registry
from mlc.kernels import KernelError, register_onnx_operator
from mlc.passes import registry

PLUGIN = Path(__file__).parent / "Inputs" / "operators.py"
FACTORS = np.array([2, 3, 4], np.int32)


def model(second: str = "Halves", inputs: int = 2) -> onnx.ModelProto:
    """Relu(x) -> Outer -> Halves with a constant -> Add."""
    nodes = [
        helper.make_node("Relu", ["a"], ["positive"]),
        helper.make_node("Outer", ["positive", "b"], ["product"], domain="test", scale=0.5),
        helper.make_node(
            second, ["product", "factors"][:inputs], ["left", "right"], domain="test", name="cut"
        ),
        helper.make_node("Add", ["left", "right"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "custom",
        [
            helper.make_tensor_value_info("a", TensorProto.FLOAT, [4]),
            helper.make_tensor_value_info("b", TensorProto.FLOAT, [6]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 3])],
        [numpy_helper.from_array(FACTORS, "factors")],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("test", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    product = np.outer(np.maximum(a, 0), b) * np.float32(0.5)
    return product[:, :3] + product[:, 3:] * FACTORS


@pytest.fixture(scope="module", autouse=True)
def operators() -> Iterator[None]:
    """The plugin's operators, for these tests only: the reference of operators is tested, too."""
    before = dict(onnx_registry.registrations())
    registry.load_plugin(PLUGIN)
    yield
    for added in set(onnx_registry.registrations()) - set(before):
        del onnx_registry._REGISTRY[added]


def test_compiles_and_runs() -> None:
    random = np.random.default_rng(8)
    a, b = (random.uniform(-1, 1, size).astype(np.float32) for size in (4, 6))
    executable = mlc.compile(model())
    assert np.allclose(executable(a, b)[0], reference(a, b), rtol=1e-6)


def test_programs_with_operators_of_plugins_are_not_cached() -> None:
    from mlc.compiler.sources.onnx_model import OnnxSource

    assert OnnxSource(model()).digest() is None
    plain = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "plain", [], []))
    assert OnnxSource(plain).digest() is not None


def test_messages() -> None:
    with pytest.raises(
        mlc.ModelError, match=r"node 'cut' \(Halves\): the kernel halves takes 2 inputs: x, n"
    ):
        mlc.compile(model(inputs=1))
    with pytest.raises(mlc.ModelError, match=r"node 'cut' \(Outer\): outer: 'b' has elements of i32, but"):
        mlc.compile(model("Outer"))
    with pytest.raises(KernelError, match="the operator Outer of domain 'test' is there already"):
        register_onnx_operator("test", "Outer", softmax)
    with pytest.raises(KernelError, match="the operator Relu of domain '' is there already"):
        register_onnx_operator("", "Relu", softmax)


def test_command_line(tmp_path: Path) -> None:
    path, compiled = tmp_path / "custom.onnx", tmp_path / "custom.mlcx"
    onnx.save(model(), path)
    command = [sys.executable, "-P", "-m", "mlc.tools.mlc.main", "compile", str(path), "-o", str(compiled)]

    def run(*flags: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *flags], capture_output=True, text=True, check=False)

    without = run()
    assert without.returncode == 1 and "Outer" in without.stderr and "is not supported" in without.stderr
    done = run(f"--load-plugin={PLUGIN}")
    assert done.returncode == 0, done.stderr
    a, b = np.ones(4, np.float32), np.arange(6, dtype=np.float32)
    assert np.allclose(mlc.load(compiled)(a, b)[0], reference(a, b))
    wrong = run("--load-plugin=missing.py")
    assert wrong.returncode == 2 and "cannot load plugin" in wrong.stderr
