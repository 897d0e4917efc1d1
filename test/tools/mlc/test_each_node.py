"""`mlc run --verify --each-node`, on models that a pass of a plugin computes wrongly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
import pytest
from onnx import parser

from mlc.passes import registry
from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.deviations import deviation
from mlc.tools.mlc.each_node.engines import Engines
from mlc.tools.mlc.each_node.partial_models import PartialModels
from mlc.tools.mlc.each_node.search import Search
from mlc.tools.mlc.session import CommandSession

PLUGIN = Path(__file__).parent / "Inputs" / "faulty_passes.py"
EACH = ("--verify", "--each-node")


def fault(
    op: str = "relu", factor: float = 2.0, where: str = "always", instead_of: str = "graph-fold-padding"
) -> tuple[str, ...]:
    """Returns the flags that scale the results of an op."""
    wrong = f"test-make-wrong{{op={op} factor={factor} where={where}}}"
    return ("--load-plugin", str(PLUGIN), f"--replace-pass={instead_of}={wrong}")


@pytest.fixture(scope="module", autouse=True)
def plugin() -> Iterator[None]:
    """The plugin's pass, for these tests only: the table of passes is tested, too."""
    with patch.dict(registry._TABLE):
        yield
    registry._load_path.cache_clear()


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Writes a model given as text after its header."""

    def save(text: str, name: str = "model.onnx") -> Path:
        model = parser.parse_model(f'<ir_version: 10, opset_import: ["" : 21, "local" : 1]> {text}')
        onnx.save(model, tmp_path / name)
        return tmp_path / name

    return save


def finding(done: Any) -> Any:
    return done.json()["verify"]["each_node"]


def test_right_model(mlc: Any, mlp: Path) -> None:
    done = mlc("run", mlp, *EACH)
    assert done.status == 0 and "all results of the 3 nodes are within the tolerance" in done.out
    assert mlc("run", mlp, "--each-node").status == 2


@pytest.mark.parametrize(
    "engine",
    ["onnxruntime", *(pytest.param(name, marks=pytest.mark.slow) for name in ("reference", "openvino"))],
)
def test_wrong_node(mlc: Any, mlp: Path, engine: str) -> None:
    done = mlc("run", mlp, f"--verify={engine}", "--each-node", "--json", *fault())
    assert done.status == 1
    found = finding(done)
    assert found["verdict"] == "node" and found["nodes"] == 3 and found["first"] == found["cause"]
    node = found["first"]
    assert (node["name"], node["op_type"], node["index"]) == ("Relu:b", "Relu", 1)
    [a], [b] = node["inputs"], node["outputs"]
    assert a["type"] == b["type"] == "float32[2,40]" and a["passed"] and not b["passed"]
    assert b["max_relative"] == pytest.approx(1, abs=1e-5) and len(b["index"]) == 2
    assert float(b["actual"]) == pytest.approx(2 * float(b["expected"]), rel=1e-5)
    assert found["alone"]["max_relative"] == pytest.approx(1, abs=1e-5)


def test_table(mlc: Any, mlp: Path) -> None:
    done = mlc("run", mlp, *EACH, *fault())
    assert "first node beyond the tolerance: 'Relu:b' (Relu), number 1 in topological order" in done.out
    assert (
        "cause: 'Relu:b' (Relu) differs by 1.00e+00 for the same inputs; compiled alone it differs by"
        in done.out
    )


def test_node_that_is_wrong_after_another_one(mlc: Any, mlp: Path) -> None:
    found = finding(mlc("run", mlp, *EACH, "--json", *fault(where="computed")))
    assert found["verdict"] == "node" and found["cause"]["name"] == "Relu:b"
    assert found["alone"]["max_relative"] == 0 and "compiled alone it is right" in found["explanation"]


def test_node_that_is_wrong_in_a_fused_program_only(mlc: Any, mlp: Path) -> None:
    done = mlc("run", mlp, *EACH, "--json", *fault(where="fused"))
    found = finding(done)
    assert done.status == 1 and found["verdict"] == "fused"
    assert found["cause"]["name"] == "Relu:b" and found["before"]["name"] == "first"
    assert found["cause"]["inputs"][0]["passed"] and not found["cause"]["outputs"][0]["passed"]


def test_node_that_only_amplifies(mlc: Any, write: Any) -> None:
    """The product is wrong by 2e-5, which its difference to a close value makes 2e-2."""
    model = write("g (float[4] x) => (float[4] z) { a = Relu(x) c = Sub(a, x) z = Sin(c) }")
    np.save("x.npy", np.array([1, 1, 1, -1e-3], np.float32))
    done = mlc("run", model, "--input", "x.npy", *EACH, "--json", *fault(factor=1.00002))
    found = finding(done)
    assert found["verdict"] == "amplified" and found["first"]["op_type"] == "Sub"
    assert all(value["passed"] for value in found["first"]["inputs"])
    assert done.status == 1  # since the output differs


@pytest.mark.slow
def test_cause_after_a_node_that_amplifies(mlc: Any, write: Any) -> None:
    model = write("g (float[4] x) => (float[4] z) { a = Relu(x) c = Sub(a, x) d = Sin(c) z = Exp(d) }")
    np.save("x.npy", np.array([1, 1, 1, -1e-3], np.float32))
    faults = (*fault(factor=1.00002), *fault("exp", instead_of="graph-fold-scale"))
    done = mlc("run", model, "--input", "x.npy", *EACH, "--json", *faults)
    found = finding(done)
    assert found["verdict"] == "node" and found["first"]["op_type"] == "Sub"
    assert found["cause"]["op_type"] == "Exp" and not found["cause"]["inputs"][0]["passed"]
    shown = mlc("run", model, "--input", "x.npy", *EACH, *faults).out
    assert "first node beyond the tolerance: 'Sub:c'" in shown and "cause: 'Exp:z'" in shown


def test_slices(mlp: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One program computes each result, and only what later nodes read is kept."""
    monkeypatch.setenv("MLC_CACHE_DIR", str(cache))
    inputs = {"x": np.ones((2, 24), np.float32)}
    engines = Engines(PartialModels(mlp), "onnxruntime", flags_of(), CommandSession(quiet=True), 1)
    search = Search(engines, inputs, 1e-4, slice_bytes=1)
    assert search.run(outputs_differ=False).verdict == "within"
    assert [len(steps) for steps in search._slices()] == [1, 1, 1]
    assert not search.values and list(search.facts) == ["a", "b", "y"]


def flags_of() -> CompileFlags:
    return CompileFlags("host", "", "", (), (), (), (), "rounding", None, "f32", (), ())


def test_weights_beside_the_model_and_a_compiled_program(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    folder = tmp_path / "external"
    folder.mkdir()
    model = onnx.load(mlp)
    onnx.save(model, folder / "m.onnx", save_as_external_data=True, location="m.bin", size_threshold=0)
    mlc("compile", folder / "m.onnx", "-o", "m.mlcx")
    done = mlc("run", "m.mlcx", *EACH, "--model", folder / "m.onnx", "--json")
    assert done.status == 0 and finding(done)["verdict"] == "within"
    assert sorted(path.name for path in folder.iterdir()) == ["m.bin", "m.onnx"]


def test_functions_and_types_that_numpy_lacks(mlc: Any, tmp_path: Path) -> None:
    """A function is one node; later nodes read values of types that NumPy lacks."""
    text = """<ir_version: 10, opset_import: ["" : 21, "local" : 1]>
      g (float[n] x) => (float[n] y)
      { a = local.twice(x) b = Cast <to = 16> (a) c = Identity(b) q = Cast <to = 22> (x) u = Cast <to = 1> (q)
        d = Cast <to = 1> (c) y = Add(d, u) }
      <domain: "local", opset_import: ["" : 21]> twice (v) => (w) { s = Add(v, v) w = Relu(s) }"""
    onnx.save(parser.parse_model(text), tmp_path / "model.onnx")
    np.save("x.npy", np.array([1, 2, -3], np.float32))
    arguments = ("run", tmp_path / "model.onnx", "--input", "x.npy", *EACH, "--json")
    assert finding(mlc(*arguments))["verdict"] == "within"
    found = finding(mlc(*arguments, *fault()))
    assert found["verdict"] == "node" and found["cause"]["op_type"] == "twice"
    assert found["cause"]["outputs"][0]["type"] == "float32[3]"


def test_deviations() -> None:
    inf, nan = math.inf, math.nan
    same = np.array([inf, -inf, nan, 2], np.float32)
    assert deviation(same, same.copy()).relative == 0
    found = deviation(same, np.array([inf, -inf, nan, 4], np.float32))
    assert (found.absolute, found.relative, found.index) == (2, 0.5, (3,))
    assert (found.actual, found.expected) == ("2.0", "4.0")
    found = deviation(same, np.array([inf, inf, nan, 2], np.float32))
    assert found.relative == inf and found.index == (1,)
    found = deviation([same, np.array(["a", "b"])], [same, np.array(["a", "c"])])
    assert (found.element, found.index, found.actual) == ("[1]", (1,), "b")
    assert deviation([same], []).reason == "1 arrays, expected 0"
    assert deviation(None, same).reason == "a value is missing"
    assert deviation(same, same[:2]).reason == "shape [4], expected [2]"
    assert deviation(same, same.astype(np.float64)).reason == "dtype float32, expected float64"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        # Control flow, whose bodies read values of the graph.
        """g (float[n] x, bool c) => (float[n] y)
        { a = Exp(x)
          b = If(c) <then_branch = t () => (float[n] r) { r = Sin(a) },
                     else_branch = e () => (float[n] q) { q = Neg(a) }>
          three = Constant <value = int64 {3}> ()
          yes = Constant <value = bool {1}> ()
          w = Loop(three, yes, b) <body = l (int64 i, bool k, float[n] v) => (bool k2, float[n] v2)
            { k2 = Identity(k) v2 = Mul(v, a) }>
          y = Relu(w) }""",
        # A sequence, and sizes that depend on data.
        """g (float[n] x) => (float[m] y)
        { s = SequenceConstruct(x, x)
          i = Constant <value = int64 {1}> ()
          a = SequenceAt(s, i)
          r = Relu(a)
          b = Cast <to = 9> (r)
          k = NonZero(b)
          axes = Constant <value = int64[1] {0}> ()
          k0 = Squeeze(k, axes)
          y = Gather(x, k0) }""",
        # Strings, integers of few bits, infinities.
        """g (string[n] t, float[n] x) => (float[n] h, int64[n,m] z)
        { zero = Constant <value = float {0}> ()
          h = Div(x, zero)
          e = StringConcat(t, t)
          p, z0 = StringSplit(e)
          s = Shape(p)
          axes = Constant <value = int64[1] {1}> ()
          z1 = Unsqueeze(z0, axes)
          z = Expand(z1, s) }""",
    ],
    ids=["control-flow", "sequences", "types"],
)
def test_values_of_all_types(mlc: Any, write: Any, text: str) -> None:
    model = write(text)
    done = mlc("run", model, *EACH, "--dim", "n=5", "--json")
    assert finding(done)["verdict"] == "within", done.out
