"""Every case of the importer, compiled and run: values as onnx's reference evaluator and ONNX Runtime say."""

from __future__ import annotations

import pytest
from cases import CASES
from oracle import Arrays, compile_model, differences, reference, runtime

# Where onnx's reference evaluator is wrong or lacks the operator; ONNX Runtime alone is asked.
REFERENCE_IS_WRONG = (
    "ms_", "conv_integer", "average_pool_ceil", "max_pool_pads_ceil", "lp_pool", "lp_normalization",
    "pad_negative", "global_lp_pool", "batch_norm_epsilon", "softmax_opset11", "logsoftmax_opset11", "lrn",
    "one_hot_floats", "unique_first",
)  # fmt: skip
# Many kernels each: `make check-all` has them, and test_images.
SLOW = ("roi_align", "grid_sample", "deform_conv", "affine_grid")
# An even size, which ONNX Runtime refuses; test_shapes compares it with NumPy.
NO_ORACLE = ("lrn_attributes",)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name.startswith(SLOW) else name for name in CASES]
)
def test_case_compiles_and_means_what_the_oracles_say(name: str) -> None:
    case = CASES[name]
    model, inputs = case.model(), case.inputs()
    actual = compile_model(model).run(inputs)
    oracles: dict[str, Arrays | None] = {}
    if case.comparable and not name.startswith(REFERENCE_IS_WRONG):
        oracles["onnx.reference"] = reference(model, inputs)
    oracles["ONNX Runtime"] = runtime(model, inputs)
    answers = {oracle: values for oracle, values in oracles.items() if values is not None}
    assert answers or not case.comparable or name in NO_ORACLE, "no oracle has an answer"
    wrong = {oracle: differences(actual, values, case.tolerance) for oracle, values in answers.items()}
    assert not any(wrong.values()), wrong
