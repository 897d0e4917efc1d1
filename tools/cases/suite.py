"""The cases of ONNX's backend test suite, read from the installed onnx package."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, OptionalProto, SequenceProto, TensorProto, TypeProto, numpy_helper
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

CATEGORIES = ("node", "simple", "pytorch-converted", "pytorch-operator", "real")


@dataclass(frozen=True)
class DataSet:
    """Inputs and the outputs expected for them: arrays, lists for sequences, None for an optional without
    a value."""

    inputs: list[Any]
    outputs: list[Any]


Loaded = tuple[ModelProto, list[DataSet]]


@dataclass(frozen=True)
class SuiteCase:
    """One case. `operator` is the one under test of node cases, "" for others; in an `expanded` case the
    operator's function body replaces it. `load` reads model and data."""

    name: str
    category: str
    operator: str
    expanded: bool
    rtol: float
    atol: float
    load: Callable[[], Loaded]


def suite_cases(categories: Sequence[str] = CATEGORIES) -> list[SuiteCase]:
    """Returns the cases of some categories, sorted by name. The data of the node cases take some seconds."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        tests = [test for category in categories for test in load_model_tests(kind=category)]
    operators = {test.name: _operator(test) for test in tests}
    return sorted((_case(test, operators) for test in tests), key=lambda case: case.name)


def _operator(test: TestCase) -> str:
    if test.kind != "node" or test.model is None:
        return ""
    node = test.model.graph.node[0]
    return f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type


def _case(test: TestCase, operators: dict[str, str]) -> SuiteCase:
    # The suite names the case with the function's body after that with the operator.
    origin = test.name.rpartition("_expanded")[0]
    expanded = test.kind == "node" and origin in operators
    operator = operators[origin if expanded else test.name]
    load = partial(_in_memory if test.model else _from_folder if test.model_dir else _light, test)
    return SuiteCase(test.name, test.kind, operator, expanded, test.rtol, test.atol, load)


def _in_memory(test: TestCase) -> Loaded:
    assert test.model is not None and test.data_sets is not None
    return test.model, [DataSet([*map(_value, i)], [*map(_value, o)]) for i, o in test.data_sets]


def _from_folder(test: TestCase) -> Loaded:
    folder = Path(str(test.model_dir))
    model = onnx.load(folder / "model.onnx")
    sets = [
        DataSet(
            list(_read_values(where, "input", [info.type for info in model.graph.input])),
            list(_read_values(where, "output", [info.type for info in model.graph.output])),
        )
        for where in sorted(folder.glob("test_data_set_*"))
    ]
    return model, sets


def _light(test: TestCase) -> Loaded:
    """Reads a model without values of weights; the suite makes its inputs, and its outputs are files."""
    path = Path(onnx.__file__).parents[1] / str(test.url)
    model = onnx.load(path)
    stored = {tensor.name for tensor in model.graph.initializer}
    inputs = [
        Runner.generate_dummy_data(info, seed=0, name=test.model_name)
        for info in model.graph.input
        if info.name not in stored
    ]
    files = (path.with_name(f"{path.stem}_output_{i}.pb") for i in range(len(model.graph.output)))
    outputs = [numpy_helper.to_array(TensorProto.FromString(file.read_bytes())) for file in files]
    return model, [DataSet(inputs, outputs)]


def _read_values(folder: Path, prefix: str, types: list[TypeProto]) -> Iterator[Any]:
    for index in range(len(list(folder.glob(f"{prefix}_*.pb")))):
        data = (folder / f"{prefix}_{index}.pb").read_bytes()
        match types[index].WhichOneof("value"):
            case "sequence_type":
                yield numpy_helper.to_list(SequenceProto.FromString(data))
            case "optional_type":
                yield numpy_helper.to_optional(OptionalProto.FromString(data))
            case _:
                yield numpy_helper.to_array(TensorProto.FromString(data))


def _value(item: Any) -> Any:
    """Converts a value of the suite: an array or scalar of NumPy, an ONNX tensor, a list of them, or None."""
    if item is None:
        return None
    if isinstance(item, TensorProto):
        return numpy_helper.to_array(item)
    if isinstance(item, list | tuple):
        return [_value(element) for element in item]
    array = np.asarray(item)
    return array.astype(object) if array.dtype.kind in "US" else array
