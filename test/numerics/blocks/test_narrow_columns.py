"""Reductions along fewer columns than vectors have elements: each step computes all columns as one vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from oracle import compile_model, differences, runtime

OPERATORS: dict[str, dict[str, Any]] = {
    "Softmax": {"axis": 1},
    "LogSoftmax": {"axis": 2},
    "ReduceLogSumExp": {"axes": [1], "keepdims": 0},
    "ReduceL2": {"axes": [1, 2]},
    "ReduceMax": {"axes": [2]},
    "ReduceMean": {"axes": [0, 1], "keepdims": 0},
}


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("columns", [2, 3, 7, 14])
@pytest.mark.parametrize("element", [TensorProto.FLOAT, TensorProto.DOUBLE])
def test_narrow_columns(operator: str, columns: int, element: int) -> None:
    node = helper.make_node(operator, ["x"], ["y"], **OPERATORS[operator])
    x = helper.make_tensor_value_info("x", element, [3, 41, 5, columns])
    graph = helper.make_graph([node], "columns", [x], [helper.make_empty_tensor_value_info("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    dtype = helper.tensor_dtype_to_np_dtype(element)
    inputs = {"x": np.random.default_rng(3).standard_normal((3, 41, 5, columns)).astype(dtype)}
    assert not differences(compile_model(model).run(inputs), runtime(model, inputs))
