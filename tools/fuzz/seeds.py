"""The seeds of mutations: the node cases of ONNX's backend suite with numeric inputs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, helper

from mlc.tools.cases.suite import suite_cases
from mlc.tools.fuzz.case import FuzzCase, set_types

# Operators whose results are random, so that they cannot be compared.
DRAWN = frozenset(
    "Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split()
)


@dataclass(frozen=True)
class Seeds:
    """Cases of one node each, and for every attribute of an operator its values in the cases."""

    cases: Sequence[FuzzCase]
    attributes: dict[tuple[str, str], list[Any]]


def load_seeds(operators: re.Pattern[str]) -> Seeds:
    """Returns the seeds whose operators match the expression. Takes some seconds."""
    found = []
    for case in suite_cases(("node",)):
        if case.expanded or not operators.search(case.operator) or case.operator in DRAWN:
            continue
        model, sets = case.load()
        values = sets[0].inputs
        if len(model.graph.node) == 1 and all(_is_numeric(value) for value in values):
            found.append(_seed(model, values, case.name))
    return Seeds(found, _attributes(found))


def _is_numeric(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype != object


def _seed(model: ModelProto, values: Sequence[np.ndarray], name: str) -> FuzzCase:
    names = [info.name for info in model.graph.input]
    inputs = dict(zip(names, values, strict=False))
    copy = ModelProto.FromString(model.SerializeToString())
    copy.graph.name = "fuzz"
    return FuzzCase(set_types(copy, inputs), inputs, steps=(f"seed {name}",))


def _attributes(cases: Iterable[FuzzCase]) -> dict[tuple[str, str], list[Any]]:
    found: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for case in cases:
        for node in case.nodes:
            for attribute in node.attribute:
                if attribute.type in (AttributeProto.GRAPH, AttributeProto.TENSOR):
                    continue
                value = helper.get_attribute_value(attribute)
                if value not in found[node.op_type, attribute.name]:
                    found[node.op_type, attribute.name].append(value)
    return dict(found)
