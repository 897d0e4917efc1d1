"""Every case imports, verifies, and means what ONNX's oracles say."""

from __future__ import annotations

import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
from cases import CASES, Case
from onnx.reference import ReferenceEvaluator
from to_onnx import to_onnx

from mlc.bindings import ir
from mlc.frontends.onnx import ImportedModel, element_types, import_model

# Domains and operators that onnx.reference lacks or evaluates wrongly; ONNX Runtime is asked instead.
_RUNTIME = (
    "ms_", "conv_integer", "average_pool_ceil", "max_pool_pads_ceil", "lp_pool", "lp_normalization",
    "pad_negative", "global_lp_pool", "batch_norm_epsilon", "softmax_opset11", "logsoftmax_opset11",
    "one_hot_floats", "unique_first",
)  # fmt: skip


def _import_case(case: Case) -> ImportedModel:
    imported = import_model(case.model())
    assert imported.module.operation.verify()
    return imported


def _run(model: onnx.ModelProto, inputs: dict[str, np.ndarray], *, runtime: bool) -> list[np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not runtime:
            return list(ReferenceEvaluator(model).run(None, inputs))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)


@pytest.mark.parametrize("name", CASES)
def test_case_imports_to_graph_ops_only(name: str) -> None:
    case = CASES[name]
    imported = _import_case(case)
    (main,) = imported.module.body.operations
    *ops, last = main.body.blocks[0].operations
    assert all(op.operation.name.startswith("graph.") for op in ops)
    assert imported.inputs == tuple(n for n, a in case.args.items() if a.constant is None)
    assert imported.outputs == tuple(case.outputs)
    output_types = [
        element_types.onnx_data_type(ir.RankedTensorType(v.type).element_type) for v in last.operands
    ]
    assert output_types == list(case.outputs.values())


@pytest.mark.parametrize("name", [n for n, c in CASES.items() if c.comparable])
def test_case_means_what_onnx_says(name: str) -> None:
    case = CASES[name]
    inputs = case.inputs()
    back = to_onnx(_import_case(case))
    runtime = name.startswith(_RUNTIME)
    expected = _run(case.model(), inputs, runtime=runtime)
    actual = _run(back, inputs, runtime=runtime)
    case.check(actual, expected)
