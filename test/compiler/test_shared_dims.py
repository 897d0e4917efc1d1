"""Inputs that share the names of dims without having the same sizes, which ONNX Runtime computes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node as node

import mlc
from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model


def info(name: str, *dims: int | str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)


def model(nodes: Sequence[onnx.NodeProto], *inputs: onnx.ValueInfoProto, rows: int = 1) -> onnx.ModelProto:
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    constant = numpy_helper.from_array(np.ones((rows, 3), np.float32), "row")
    graph = helper.make_graph(list(nodes), "g", list(inputs), [output], [constant])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


PRODUCT = model([node("MatMul", ["a", "b"], ["y"])], info("a", "n", 3), info("b", 3, "n"))
# b must have a column more than a has rows.
LONGER = [node("Concat", ["a", "row"], ["c"], axis=0), node("MatMul", ["b", "c"], ["y"])]
UNEQUAL = model(LONGER, info("a", "n", 3), info("b", 4, "n"))


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def check(executable: Any, proto: onnx.ModelProto, *inputs: np.ndarray) -> None:
    """A call gives what ONNX Runtime gives."""
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    [expected] = session.run(None, dict(zip("ab", inputs, strict=True)))
    np.testing.assert_allclose(executable(*inputs)[0], expected, 1e-5, 1e-6)


def test_calls_give_one_name_two_sizes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    executable = mlc.compile(PRODUCT, dims={"n": (1, 4)})
    check(executable, PRODUCT, *arrays((2, 3), (3, 2)))
    assert not caplog.messages and "warnings" not in executable.report()
    for sizes in ((2, 5), (3, 1)):
        check(executable, PRODUCT, *arrays((sizes[0], 3), (3, sizes[1])))
    out = [np.zeros((2, 5), np.float32)]
    a, b = arrays((2, 3), (3, 5))
    assert executable({"a": a, "b": b}, out=out) == out
    np.testing.assert_allclose(out[0], a @ b, 1e-5)
    [warning] = caplog.messages
    assert "the dims named 'n' different sizes" in warning and "independent_dims=['n']" in warning
    assert executable.report()["warnings"] == [warning]
    with pytest.raises(ValueError, match=r"input 'b': expected shape \(3, n\), got \(4, 2\)"):
        executable(*arrays((2, 3), (4, 2)))
    executable.save(tmp_path / "model.mlcx")
    with pytest.raises(ValueError, match="input 'b': dim 1 is 5, but 'n' is 2"):
        mlc.load(tmp_path / "model.mlcx")(a, b)


def test_names_that_are_none() -> None:
    executable = mlc.compile(PRODUCT, independent_dims=["n"])
    assert [spec.shape for spec in executable.inputs] == [("a.shape[0]", 3), (3, "b.shape[1]")]
    check(executable, PRODUCT, *arrays((2, 3), (3, 5)))


def test_names_that_make_a_model_impossible(caplog: pytest.LogCaptureFixture) -> None:
    executable = mlc.compile(UNEQUAL, specialise="off")
    check(executable, UNEQUAL, *arrays((2, 3), (4, 3)))
    [warning] = executable.report()["warnings"]
    assert warning in caplog.messages
    assert "dims of inputs with one name ('n') are independent" in warning and "n against n + 1" in warning


def test_sizes_that_options_give_to_independent_dims() -> None:
    def types(**options: Any) -> str:
        return str(import_model(PRODUCT, independent_dims=["n"], **options).module.body.operations[0].type)

    assert types(shapes={"a": [2, 3], "b": [3, 5]}).endswith("-> tensor<2x5xf32>")
    assert types(dims={"n": 2}).endswith("-> tensor<2x2xf32>")
    executable = mlc.compile(PRODUCT, shapes={"a": [2, 3], "b": [3, 5]})
    check(executable, PRODUCT, *arrays((2, 3), (3, 5)))
    assert "the dim 'n' gets two sizes: 2 by shapes={'a': [2, 3]}" in executable.report()["warnings"][0]


def test_faults_that_have_another_cause() -> None:
    wrong = model([node("MatMul", ["a", "b"], ["y"])], info("a", "n", 3), info("b", 4, "n"))
    with pytest.raises(ModelError, match="node 'MatMul:y'"):
        mlc.compile(wrong)
    with pytest.raises(ModelError, match=r"independent_dims\['m'\]: the model has no dynamic dim 'm'"):
        import_model(PRODUCT, independent_dims=["m"])
