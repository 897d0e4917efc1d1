"""Cases whose constants are inputs and whose dims are names, compared with the case as it is."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping

import numpy as np
import onnx
from cases import CASES, Case
from onnx import helper
from onnx.reference import ReferenceEvaluator
from to_onnx import to_onnx

from mlc.frontends.onnx import import_model


def cases_of(operators: Collection[str], left_out: Collection[str]) -> list[str]:
    """The names of the cases of these operators only that ONNX's reference can be compared in."""
    return [
        name
        for name, case in CASES.items()
        if name not in left_out
        and case.comparable
        and all(node.op_type in operators and not node.domain for node in case.nodes)
    ]


def check_as_inputs(name: str, sized: bool) -> None:
    """Imports the case with every value as an input, with dims unless `sized`, and runs it with ONNX's
    reference."""
    case = CASES[name]
    values = _inputs(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [
            np.asarray(result) for result in ReferenceEvaluator(case.model()).run(None, case.inputs())
        ]
        imported = import_model(_open_model(case, values, [array.ndim for array in expected], sized))
        assert imported.module.operation.verify()
        actual = ReferenceEvaluator(to_onnx(imported)).run(None, values)
    case.check(actual, expected)


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
            arg.onnx_type,
            [size if sized else f"{name}_{axis}" for axis, size in enumerate(values[name].shape)],
        )
        for name, arg in case.args.items()
    ]
    outputs = [
        helper.make_tensor_value_info(name, onnx_type, [f"{name}_{axis}" for axis in range(rank)])
        for (name, onnx_type), rank in zip(case.outputs.items(), ranks, strict=True)
    ]
    graph = helper.make_graph(list(case.nodes), case.name, inputs, outputs)
    imports = [helper.make_opsetid(domain, version) for domain, version in case.opsets.items()]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)
