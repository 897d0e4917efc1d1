"""Operators on shapes at the edges of tiles: scalars, no elements, dims of 1, odd sizes, long rows."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle import compile_model, differences, reference, runtime
from pieces import Pieces
from shape_groups import GROUPS, SLOW


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in GROUPS]
)
def test_group_of_shapes(name: str) -> None:
    pieces = Pieces()
    GROUPS[name](pieces)
    model, inputs = pieces.model(), pieces.inputs
    expected = runtime(model, inputs) or reference(model, inputs)
    assert not differences(compile_model(model).run(inputs), expected)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (1, 4, 0, 0)])
def test_constants_without_elements(shape: tuple[int, ...]) -> None:
    constant = numpy_helper.from_array(np.zeros(shape, np.float32), "c")
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
    graph = helper.make_graph([helper.make_node("Identity", ["c"], ["y"])], "g", [], [result], [constant])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    assert compile_model(model).run({})["y"].shape == shape
