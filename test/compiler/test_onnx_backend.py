"""mlc through ONNX's standard backend interface."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

import mlc
import mlc.onnx_backend as backend

ONCE: dict[str, Any] = {"threads": 1, "jobs": 1, "cache": False}


def _model(op: str, shape: list[int | str], inputs: int = 2, element: int = TensorProto.FLOAT) -> ModelProto:
    names = ["left", "right"][:inputs]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["total"])],
        "g",
        [helper.make_tensor_value_info(name, element, shape) for name in names],
        [helper.make_tensor_value_info("total", element, None)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def test_a_prepared_model_takes_lists_and_names() -> None:
    prepared = backend.prepare(_model("Sub", [2, 3]), **ONCE)
    left, right = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
    for inputs in ([left, right], (left, right), {"right": right, "left": left}):
        outputs = prepared.run(inputs)
        assert isinstance(outputs, tuple) and len(outputs) == 1
        np.testing.assert_array_equal(outputs[0], left - right)
        np.testing.assert_array_equal(outputs["total"], left - right)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="right"):
        prepared.run([left])


def test_a_model_with_one_input_takes_an_array() -> None:
    [y] = backend.run_model(_model("Neg", [3], 1), np.ones(3, np.float32), **ONCE)
    np.testing.assert_array_equal(y, -np.ones(3))


def test_types_of_the_interface() -> None:
    assert issubclass(backend.MlcBackend, Backend)
    assert issubclass(backend.MlcModel, BackendRep)
    assert [backend.supports_device(name) for name in ("CPU", "CPU:0", "CUDA", "CUDA:1")] == [
        True,
        True,
        False,
        False,
    ]
    with pytest.raises(ValueError, match="CUDA"):
        backend.prepare(_model("Add", [3]), "CUDA")


def test_only_what_is_not_supported_is_skipped() -> None:
    unknown = _model("NoSuchOperator", [3], 1)
    with pytest.raises(BackendIsNotSupposedToImplementIt, match="NoSuchOperator"):
        backend.prepare(unknown)
    assert not backend.is_compatible(unknown)
    assert issubclass(BackendIsNotSupposedToImplementIt, unittest.SkipTest)
    wrong = _model("Add", [3])
    wrong.graph.node[0].input[1] = "nowhere"
    with pytest.raises(mlc.ModelError, match="nowhere"):
        backend.prepare(wrong)
    assert not backend.is_compatible(wrong)


def test_dims_are_options() -> None:
    model = _model("Add", ["n", 3])
    assert not backend.is_compatible(model, dims={"m": 2})
    assert backend.is_compatible(model, dims={"n": 2})
    x = np.ones((2, 3), np.float32)
    [y] = backend.prepare(model, dims={"n": 2}, **ONCE).run([x, x])
    np.testing.assert_array_equal(y, x + x)


def test_a_node_runs_alone() -> None:
    x = np.array([[1, -2], [3, -4]], np.float32)
    clip = helper.make_node("Clip", ["x", "", "most"], ["y"])
    [y] = backend.run_node(clip, [x, None, np.float32(2)], **ONCE)
    np.testing.assert_array_equal(y, np.minimum(x, 2))
    total = helper.make_node("ReduceSum", ["x"], ["y"], axes=[1], keepdims=0)
    info = [(np.dtype(np.float32), (2,))]
    [y] = backend.run_node(total, [x], outputs_info=info, opset_version=11, **ONCE)
    np.testing.assert_array_equal(y, x.sum(axis=1))
    with pytest.raises(ValueError, match="1 inputs were given, the node names 2"):
        backend.run_node(helper.make_node("Add", ["a", "b"], ["c"]), [x])
    with pytest.raises(BackendIsNotSupposedToImplementIt, match="NoSuchOperator"):
        backend.run_node(helper.make_node("NoSuchOperator", ["a"], ["b"], domain="some.domain"), [x])


@pytest.mark.slow
def test_onnx_s_own_runner_takes_it() -> None:
    """BackendTest also passes the tolerances of a test on to `prepare`."""
    from onnx.backend.test import BackendTest

    tests = BackendTest(backend.MlcBackend, __name__, test_kwargs={"test_relu": {"rtol": 1e-5, "threads": 1}})
    tests.include(r"^test_(relu|and2d|strnorm_model_nostopwords_nochangecase|ReLU)_c")
    result = unittest.TestResult()
    tests.test_suite.run(result)
    assert (result.errors, result.failures) == ([], [])
    ran = result.testsRun - len(result.skipped)
    assert ran >= 3, [reason for _, reason in result.skipped][:5]


def test_sparse_initializers_are_dense_constants() -> None:
    model = _model("Neg", [3], 1)
    values = onnx.numpy_helper.from_array(np.ones(1, np.float32), "values")
    indices = onnx.numpy_helper.from_array(np.zeros(1, np.int64), "indices")
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [3]))
    [y] = backend.prepare(model, **ONCE).run([np.arange(3, dtype=np.float32)])
    np.testing.assert_array_equal(y, [0, -1, -2])


def test_strings_are_arrays_of_objects() -> None:
    stored = _model("Identity", [2], 1, TensorProto.STRING)
    stored.graph.initializer.append(onnx.numpy_helper.from_array(np.array(["a", "b"], object), "left"))
    del stored.graph.input[:]
    [y] = backend.prepare(stored).run([])
    assert y.dtype == object and y.tolist() == ["a", "b"]
