"""Many single nodes, compiled as one model; ONNX Runtime, or a function of the case, says what each means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from graph_evaluator import evaluate
from onnx import helper, numpy_helper
from oracle import compile_model, difference, runtime

from mlc.dialects.graph.elements import dtype_of
from mlc.frontends.onnx import element_types, import_model


@dataclass(frozen=True)
class Fixed:
    """An input that is known when the model is compiled."""

    array: np.ndarray


Input = np.ndarray | Fixed | None


@dataclass(frozen=True)
class Case:
    """One node. Integers may differ by `steps`. `expected` computes the outputs where ONNX Runtime
    has no kernel; `kept` cuts off what outputs leave open. Outputs that are None are not asked for."""

    op_type: str
    inputs: Sequence[Input]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: Sequence[int | None] = (onnx.TensorProto.FLOAT,)
    tolerance: float = 1e-5
    steps: int = 0
    expected: Callable[..., Sequence[np.ndarray]] | None = None
    kept: Callable[[np.ndarray], np.ndarray] = lambda array: array


@dataclass
class _Parts:
    """The parts of a model; the first `named_dims` dims of inputs are named."""

    named_dims: int = 0
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    inputs: list[onnx.ValueInfoProto] = field(default_factory=list)
    outputs: list[onnx.ValueInfoProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    values: dict[str, np.ndarray] = field(default_factory=dict)

    def add(self, name: str, case: Case, domain: str) -> None:
        names = [self._input(f"{name}.x{i}", operand) for i, operand in enumerate(case.inputs)]
        results = ["" if onnx_type is None else f"{name}.y{i}" for i, onnx_type in enumerate(case.outputs)]
        self.nodes.append(
            helper.make_node(case.op_type, names, results, name=name, domain=domain, **case.attributes)
        )
        self.outputs += [
            helper.make_tensor_value_info(result, onnx_type, None)
            for result, onnx_type in zip(results, case.outputs, strict=True)
            if onnx_type is not None
        ]

    def _input(self, name: str, value: Input) -> str:
        if value is None:
            return ""
        if isinstance(value, Fixed):
            self.constants.append(numpy_helper.from_array(value.array, name))
            return name
        named = [f"{name}.{axis}" for axis in range(min(value.ndim, self.named_dims))]
        shape = [*named, *value.shape[len(named) :]]
        is_text = value.dtype == object
        onnx_type = onnx.TensorProto.STRING if is_text else element_types.onnx_data_type(value.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, onnx_type, shape))
        self.values[name] = value
        return name

    def model(self, opsets: Mapping[str, int]) -> onnx.ModelProto:
        graph = helper.make_graph(self.nodes, "nodes", self.inputs, self.outputs, self.constants)
        imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)


# Imported graphs are evaluated by NumPy in no time, and compiled ones run where there is more of it.
HOWS = ["evaluated", pytest.param("compiled", marks=pytest.mark.slow)]
ANY_SIZE = pytest.param("any size", marks=pytest.mark.slow)
NAMED_BATCH = pytest.param("named batch", marks=pytest.mark.slow)
_NAMED_DIMS = {"named batch": 1, "any size": 64}


def wrong_cases(
    cases: Mapping[str, Case], domain: str, version: int = 1, how: str = "compiled"
) -> dict[str, str]:
    """Returns the wrong outputs of the model of all cases; `how` is "compiled", "evaluated", "any size"
    (compiled for inputs of any size) or "named batch" (for inputs with any number of rows)."""
    opsets = {"": 21, domain: version}
    whole = _Parts(_NAMED_DIMS.get(how, 0))
    for name, case in cases.items():
        whole.add(name, case, domain)
    run = _evaluate if how == "evaluated" else lambda model, values: compile_model(model).run(values)
    actual = run(whole.model(opsets), whole.values)
    found = {}
    for name, case in cases.items():
        for output, expected in _answers(name, case, domain, opsets).items():
            text = _wrong(case, actual[output], expected)
            if text:
                found[output] = text
    return found


def _evaluate(model: onnx.ModelProto, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Returns the outputs of the imported graph by evaluation."""
    imported = import_model(model)
    assert imported.module.operation.verify()
    (main,) = imported.module.body.operations
    results = evaluate(imported.module, [values[name] for name in imported.inputs], imported.weights)
    dtypes = [dtype_of(str(value_type.element_type)) for value_type in main.type.results]
    named = zip(imported.outputs, results, dtypes, strict=True)
    return {name: np.asarray(result).astype(dtype) for name, result, dtype in named}


def _answers(name: str, case: Case, domain: str, opsets: Mapping[str, int]) -> dict[str, np.ndarray]:
    if case.expected is not None:
        arrays = [operand.array if isinstance(operand, Fixed) else operand for operand in case.inputs]
        results = case.expected(*arrays)
        return {f"{name}.y{i}": result for i, result in enumerate(results)}
    alone = _Parts()
    alone.add(name, case, domain)
    answers = runtime(alone.model(opsets), alone.values)
    assert answers is not None, f"ONNX Runtime does not run {name}"
    return answers


def _wrong(case: Case, actual: np.ndarray, expected: np.ndarray) -> str | None:
    actual, expected = case.kept(actual), case.kept(expected)
    if not case.steps or expected.dtype.kind not in "iu" or actual.shape != expected.shape:
        return difference(actual, expected, case.tolerance)
    if actual.dtype != expected.dtype:
        return f"is {actual.dtype} instead of {expected.dtype}"
    apart = np.abs(actual.astype(np.int64) - expected.astype(np.int64)).max(initial=0)
    return None if apart <= case.steps else f"{apart} steps apart, allowed {case.steps}"
