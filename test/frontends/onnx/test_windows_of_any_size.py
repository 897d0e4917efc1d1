"""Reductions, windows, images, normalisations, products and transforms with dynamic axes, sizes and
scales."""

from __future__ import annotations

import pytest
from open_models import cases_of, check_as_inputs

_OPERATORS = {
    "AffineGrid", "AveragePool", "BatchNormalization", "BlackmanWindow", "CausalConvWithState", "Conv",
    "ConvInteger", "ConvTranspose", "DFT", "DeformConv", "Det", "Einsum", "Gemm", "GlobalAveragePool",
    "GlobalLpPool", "GlobalMaxPool", "GridSample", "GroupNormalization", "HammingWindow", "HannWindow",
    "InstanceNormalization", "LRN", "LayerNormalization", "LogSoftmax", "LpNormalization", "LpPool",
    "MatMul", "MatMulInteger",
    "MaxPool", "MaxUnpool", "MeanVarianceNormalization", "MelWeightMatrix", "QLinearConv", "QLinearMatMul",
    "RMSNormalization", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
    "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Resize", "RoiAlign", "STFT", "Softmax",
    "Upsample",
}  # fmt: skip
# ONNX's reference lacks the operator or this form of it, or computes what newer opsets say, or leaves an
# attribute out.
_LEFT_OUT = {
    "batch_norm_epsilon", "global_lp_pool", "global_lp_pool_p3", "logsoftmax_opset11", "lp_normalization_p1",
    "ms_stft_without_parts", "softmax_opset11",
}  # fmt: skip


@pytest.mark.parametrize(
    "sized", [pytest.param(True, marks=pytest.mark.slow), False], ids=["sized", "any size"]
)
@pytest.mark.parametrize("name", cases_of(_OPERATORS, _LEFT_OUT))
def test_values_may_be_inputs(name: str, sized: bool) -> None:
    check_as_inputs(name, sized)
