"""Maps at the edges of models: as ONNX says, and ONNX Runtime computes. Exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from mlc import compile
from mlc.frontends.errors import ModelError

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def map_type(key: int, value: int) -> onnx.TypeProto:
    return helper.make_map_type_proto(key, helper.make_tensor_type_proto(value, []))


def model(op_type: str, given: onnx.TypeProto, result: onnx.TypeProto, **attributes: Any) -> onnx.ModelProto:
    node = helper.make_node(op_type, ["x"], ["y"], domain="ai.onnx.ml", **attributes)
    info = [helper.make_value_info(*value) for value in (("x", given), ("y", result))]
    graph = helper.make_graph([node], op_type, info[:1], info[1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets)


def tensor(onnx_type: int, shape: Sequence[int | str | None]) -> onnx.TypeProto:
    return helper.make_tensor_type_proto(onnx_type, shape)


@pytest.mark.parametrize(
    ("key", "labels"),
    [
        (STRING, {"classlabels_strings": ["cat", "dog", "ox"]}),
        (INT64, {"classlabels_int64s": [7, -1, 3]}),
    ],
)
@pytest.mark.parametrize("rows", [2, "rows"])
def test_zip_map(key: int, labels: dict[str, Any], rows: int | str) -> None:
    maps = helper.make_sequence_type_proto(map_type(key, FLOAT))
    made = model("ZipMap", tensor(FLOAT, [rows, 3]), maps, **labels)
    x = np.array([[0.5, 0.25, 0.25], [1, 0, -2]], np.float32)
    session = onnxruntime.InferenceSession(made.SerializeToString())
    assert compile(made).run({"x": x})["y"] == session.run(None, {"x": x})[0]


@pytest.mark.parametrize(
    ("key", "value", "given", "vocabulary", "expected"),
    [
        (STRING, FLOAT, {"a": 4.0, "c": 8.0}, {"string_vocabulary": ["a", "c", "b", "z"]}, [4, 8, 0, 0]),
        (INT64, INT64, {}, {"int64_vocabulary": [3, 1]}, [0, 0]),
        (INT64, STRING, {1: "x", 9: "y"}, {"int64_vocabulary": [9, 5, 1]}, ["y", "", "x"]),
    ],
)
def test_dict_vectorizer(
    key: int, value: int, given: dict[Any, Any], vocabulary: dict[str, Any], expected: list[Any]
) -> None:
    made = model("DictVectorizer", map_type(key, value), tensor(value, [None]), **vocabulary)
    found = compile(made).run({"x": given})["y"]
    np.testing.assert_array_equal(found, np.array(expected, found.dtype))


def test_cast_map_orders_values_by_keys_or_puts_them_there() -> None:
    given, input_type = {5: 2.0, 1: -1.0, 3: 0.5}, map_type(INT64, FLOAT)
    dense = compile(model("CastMap", input_type, tensor(FLOAT, [1, None])))
    np.testing.assert_array_equal(dense.run({"x": given})["y"], np.array([[-1, 0.5, 2]], np.float32))
    sparse = compile(model("CastMap", input_type, tensor(FLOAT, [1, None]), map_form="SPARSE", max_map=6))
    np.testing.assert_array_equal(
        sparse.run({"x": given})["y"], np.array([[0, -1, 0, 0.5, 0, 2]], np.float32)
    )


def test_wrong_maps_are_named() -> None:
    vectorizer = model("DictVectorizer", map_type(INT64, FLOAT), tensor(FLOAT, [2]), int64_vocabulary=[1, 2])
    program = compile(vectorizer)
    with pytest.raises(
        TypeError, match=r"input 'x': cannot use a list as map\(int64,float32\): expected a dict"
    ):
        program.run({"x": [1.0]})
    with pytest.raises(TypeError, match="input 'x'"):
        program.run({"x": {"a": 1.0}})
    texts = model("DictVectorizer", map_type(INT64, FLOAT), tensor(FLOAT, [2]), string_vocabulary=["a"])
    with pytest.raises(ModelError, match=r"map\(int64,float32\), which does not fit its vocabulary"):
        compile(texts)


@pytest.mark.parametrize("given", [{"a": 1.5}, {}, {1: 2.0}])
def test_a_map_is_given_by_name(given: dict[Any, float]) -> None:
    made = compile(
        model("DictVectorizer", map_type(STRING, FLOAT), tensor(FLOAT, [1, 1]), string_vocabulary=["a"])
    )
    assert made(x={"a": 1.5})[0].tolist() == made.run({"x": {"a": 1.5}})["y"].tolist() == [[1.5]]
    with pytest.raises(TypeError, match=r"missing input 'x'; .* by name: run\({'x': {\.\.\.}}\)$"):
        made(given)
    with pytest.raises(TypeError, match=r"unknown input 'z', missing input 'x'; the inputs are \['x'\]$"):
        made(z={"a": 1.5})
