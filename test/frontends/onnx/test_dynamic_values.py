"""Operators whose axes, shapes, indices and counts are dynamic, on tensors of any size."""

from __future__ import annotations

import pytest
from open_models import cases_of, check_as_inputs

# Cases of these operators, and what ONNX's reference does not know.
_OPERATORS = {
    "CenterCropPad", "Compress", "Concat", "ConstantOfShape", "CumProd", "CumSum", "DepthToSpace", "Expand",
    "EyeLike", "Flatten", "Gather", "GatherElements", "GatherND", "Hardmax", "NonZero", "OneHot", "Pad",
    "Range", "Reshape", "ReverseSequence", "ScatterElements", "ScatterND", "Slice", "SpaceToDepth", "Split",
    "Squeeze", "TensorScatter", "Tile", "TopK", "Transpose", "Trilu", "Unique", "Unsqueeze", "Where",
}  # fmt: skip
_LEFT_OUT = {"pad_negative", "one_hot_floats", "range_large", "top_k_f16", "unique_first"}


@pytest.mark.parametrize(
    "sized", [pytest.param(True, marks=pytest.mark.slow), False], ids=["sized", "any size"]
)
@pytest.mark.parametrize("name", cases_of(_OPERATORS, _LEFT_OUT))
def test_values_may_be_inputs(name: str, sized: bool) -> None:
    check_as_inputs(name, sized)
