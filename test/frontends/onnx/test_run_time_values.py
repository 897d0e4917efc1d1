"""Operators whose axes, shapes, places and counts only running tells, on tensors of any size."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from cases import CASES, Case
from mlc.frontends.onnx import import_model
from onnx import helper
from onnx.reference import ReferenceEvaluator
from to_onnx import to_onnx

# Cases of these operators, and what ONNX's reference does not know.
_OPERATORS = {
    "CenterCropPad", "Compress", "Concat", "ConstantOfShape", "CumProd", "CumSum", "DepthToSpace", "Expand",
    "EyeLike", "Flatten", "Gather", "GatherElements", "GatherND", "Hardmax", "NonZero", "OneHot", "Pad",
    "Range", "Reshape", "ReverseSequence", "ScatterElements", "ScatterND", "Slice", "SpaceToDepth", "Split",
    "Squeeze", "TensorScatter", "Tile", "TopK", "Transpose", "Trilu", "Unique", "Unsqueeze", "Where",
}  # fmt: skip
_LEFT_OUT = {"pad_negative", "one_hot_floats", "range_large", "top_k_f16", "unique_first"}


def _names() -> list[str]:
    return [
        name
        for name, case in CASES.items()
        if name not in _LEFT_OUT
        and case.comparable
        and all(node.op_type in _OPERATORS and not node.domain for node in case.nodes)
    ]


def _inputs(case: Case) -> dict[str, np.ndarray]:
    """All values, those that are constants in the case too."""
    constants = {name: arg.constant for name, arg in case.args.items() if arg.constant is not None}
    return {**case.inputs(), **constants}


def _open_model(
    case: Case, values: Mapping[str, np.ndarray], ranks: list[int], sized: bool
) -> onnx.ModelProto:
    """The model with every value as an input; its dims are names unless `sized`. Outputs have ranks."""
    inputs = [
        helper.make_tensor_value_info(
            name,
            arg.number,
            [size if sized else f"{name}_{axis}" for axis, size in enumerate(values[name].shape)],
        )
        for name, arg in case.args.items()
    ]
    outputs = [
        helper.make_tensor_value_info(name, number, [f"{name}_{axis}" for axis in range(rank)])
        for (name, number), rank in zip(case.outputs.items(), ranks, strict=True)
    ]
    graph = helper.make_graph(list(case.nodes), case.name, inputs, outputs)
    imports = [helper.make_opsetid(domain, version) for domain, version in case.opsets.items()]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


@pytest.mark.parametrize(
    "sized", [pytest.param(True, marks=pytest.mark.slow), False], ids=["sized", "any size"]
)
@pytest.mark.parametrize("name", _names())
def test_values_may_be_inputs(name: str, sized: bool) -> None:
    case = CASES[name]
    values = _inputs(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [np.asarray(each) for each in ReferenceEvaluator(case.model()).run(None, case.inputs())]
        imported = import_model(_open_model(case, values, [each.ndim for each in expected], sized))
        assert imported.module.operation.verify()
        actual = ReferenceEvaluator(to_onnx(imported)).run(None, values)
    for one, other in zip(actual, expected, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        np.testing.assert_allclose(
            one.astype(np.float64), other.astype(np.float64), case.tolerance, case.tolerance, equal_nan=True
        )
