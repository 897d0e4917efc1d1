"""`mlc run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlc.tools.mlc.deviations import difference
from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.peer_engines import call_peer, load_peer


@pytest.mark.parametrize("engine", ["", "=onnxruntime", "=reference"])
def test_verify(mlc: Any, mlp: Path, engine: str) -> None:
    done = mlc("run", f"--verify{engine}", mlp, "--json")
    assert done.status == 0
    verify = done.json()["verify"]
    assert verify["passed"] and verify["engine"] == (engine[1:] or "onnxruntime")
    assert 0 <= verify["outputs"]["y"]["error"] < 1e-5


def test_statistics(mlc: Any, mlp: Path) -> None:
    data = mlc("run", mlp, "--json").json()
    assert data["inputs"]["x"]["shape"] == [2, 24] and data["outputs"]["y"]["shape"] == [2, 5]
    assert data["outputs"]["y"]["std"] > 0
    shown = mlc("run", mlp).out
    assert "float32[2,5]" in shown and "std" in shown


def test_the_log_of_onnxruntime_repeats_no_error(
    save: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"])]
    types = {"i": TensorProto.INT64}
    path = save(tmp_path / "g.onnx", nodes, inputs={"x": [3], "i": [1]}, outputs={"y": [1]}, dtypes=types)
    call = load_peer("onnxruntime", path)
    with pytest.raises(ToolError, match=r"^onnxruntime cannot run .*indices element out of data bounds"):
        call_peer("onnxruntime", call, {"x": np.ones(3, np.float32), "i": np.array([7])})
    assert capfd.readouterr().err == ""


def test_tolerance(mlc: Any, mlp: Path) -> None:
    """Against a model whose outputs are 0.1 % larger."""
    model = onnx.load(mlp)
    for tensor in model.graph.initializer:
        if tensor.name in ("w2", "b2"):
            larger = numpy_helper.to_array(tensor) * np.float32(1.001)
            tensor.CopyFrom(numpy_helper.from_array(larger, tensor.name))
    onnx.save(model, "larger.onnx")
    arguments = ("run", mlp, "--verify", "--model", "larger.onnx")
    done = mlc(*arguments)
    assert done.status == 1 and "FAILED" in done.out
    verify = mlc(*arguments, "--tolerance", "0.01", "--json").json()["verify"]
    assert verify["passed"] and verify["outputs"]["y"]["error"] == pytest.approx(0.001, rel=0.01)


def test_values_that_are_not_finite_fail(mlc: Any, save: Any, tmp_path: Path) -> None:
    model = save(
        tmp_path / "log.onnx", [helper.make_node("Log", ["x"], ["y"])], inputs={"x": [8]}, outputs={"y": [8]}
    )
    np.savez("x.npz", x=np.array([-1, -2, 0, 1, 2, 3, 4, 5], np.float32))
    done = mlc("run", model, "--inputs", "x.npz", "--verify", "--json")
    assert done.status == 1
    reason = done.json()["verify"]["outputs"]["y"]["reason"]
    assert reason == "of 8 values 2 NaN and 1 infinite, expected 2 NaN and 1 infinite"
    assert done.json()["outputs"]["y"]["finite"] is False


def test_how_many_values_are_not_finite() -> None:
    values = np.array([1, 2, np.nan, -np.inf], np.float32)
    reason = difference(values, np.array([1, np.inf, np.inf, 2], np.float32))[1]
    assert reason == "of 4 values 1 NaN and 1 infinite, expected 0 NaN and 2 infinite"
    reason = difference(np.ones(4, np.float32), values)[1]
    assert reason == "of 4 values 0 NaN and 0 infinite, expected 1 NaN and 1 infinite"


def test_executable_file(mlc: Any, mlp: Path) -> None:
    mlc("compile", mlp)
    assert mlc("run", "mlp.mlcx", "--verify", "--model", mlp, "--threads", "1").status == 0
    done = mlc("run", "mlp.mlcx", "--verify")
    assert done.status == 1 and "name the one it came from with --model" in done.err


def test_given_inputs(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(5).standard_normal((2, 24), np.float32)
    np.save("x.npy", x)
    np.savez("x.npz", x=x)
    arguments = [("--input", "x=x.npy"), ("--input", "x.npy"), ("--inputs", "x.npz"), ("--input", "x=x.npz")]
    results = []
    for index, given in enumerate(arguments):
        assert mlc("run", mlp, *given, "--save-outputs", f"{index}.npz").status == 0
        results.append(np.load(f"{index}.npz")["y"])
    assert all(np.array_equal(result, results[0]) for result in results)
    mlc("run", mlp, "--save-outputs", "random.npz")
    assert not np.array_equal(np.load("random.npz")["y"], results[0])


def test_seed(mlc: Any, mlp: Path) -> None:
    for seed, name in ((1, "a"), (1, "b"), (2, "c")):
        mlc("run", mlp, "--random-seed", seed, "--save-outputs", f"{name}.npz")
    a, b, c = (np.load(f"{name}.npz")["y"] for name in "abc")
    assert np.array_equal(a, b) and not np.array_equal(a, c)


def test_int_range(mlc: Any, save: Any, tmp_path: Path) -> None:
    model = save(
        tmp_path / "gather.onnx",
        [helper.make_node("Gather", ["w", "i"], ["y"])],
        inputs={"i": [50]},
        outputs={"y": [50, 2]},
        weights={"w": np.arange(200, dtype=np.float32).reshape(100, 2)},
        dtypes={"i": TensorProto.INT64},
    )
    data = mlc("run", model, "--int-range", "90:100", "--verify", "--json").json()
    assert data["verify"]["passed"]
    assert 90 <= data["inputs"]["i"]["min"] < data["inputs"]["i"]["max"] <= 99
    assert mlc("run", model, "--int-range", "5").status == 2


def test_divisors_are_not_drawn_as_0(mlc: Any, tmp_path: Path) -> None:
    """Random integers are from 1 on where the program checks divisors, unless a range is given."""
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [200]) for name in "ab"]
    outputs = [helper.make_tensor_value_info("y", TensorProto.INT64, [200])]
    graph = helper.make_graph([helper.make_node("Mod", ["a", "b"], ["y"])], "g", inputs, outputs)
    versions = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=10), tmp_path / "mod.onnx")
    drawn = mlc("run", "mod.onnx", "--json").json()["inputs"]["b"]
    assert (drawn["min"], drawn["max"]) == (1, 9)
    failed = mlc("run", "mod.onnx", "--int-range", "0:10")
    assert failed.status == 1 and "is 0" in failed.err


def test_indices_out_of_range(mlc: Any, tmp_path: Path) -> None:
    """The run fails; with --unchecked-indices the nearest row is read."""
    nodes = [helper.make_node("Gather", ["x", "i"], ["y"], name="words")]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 2]),
        helper.make_tensor_value_info("i", TensorProto.INT64, [1]),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])]
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    versions = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=10), tmp_path / "look_up.onnx")
    np.save(tmp_path / "i.npy", np.array([7]))
    failed = mlc("run", "look_up.onnx", "--input", "i=i.npy")
    assert failed.status == 1
    assert "Gather 'words': index 7 at [0] is out of bounds for axis 0 of size 3" in failed.err
    assert mlc("run", "look_up.onnx", "--input", "i=i.npy", "--unchecked-indices").status == 0
