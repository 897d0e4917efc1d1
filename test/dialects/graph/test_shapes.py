"""Shape functions against NumPy and ONNX, and their soundness when dims are not known."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from indexed_cases import indexing_case
from shape_cases import FAMILIES as PLAIN
from shape_cases import Case, cases

from mlc.bindings import ir
from mlc.dialects import graph

FAMILIES = (*PLAIN, indexing_case)

UNKNOWN = ir.ShapedType.get_dynamic_size()
COUNT = 300

pytestmark = pytest.mark.usefixtures("context")


def _types(case: Case, unknown: Callable[[], bool] = lambda: False) -> list[ir.Type]:
    elements = case.elements or ("f32",) * len(case.operands)
    found = []
    for index, (shape, element) in enumerate(zip(case.operands, elements, strict=True)):
        dims = [UNKNOWN if unknown() else dim for dim in shape]
        if index in case.known:
            dims[-1:] = shape[-1:]
        found.append(ir.RankedTensorType.get(dims, ir.Type.parse(element)))
    return found


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_static_shapes_agree_with_the_oracle(family: Callable[[Random], Case]) -> None:
    allowed = 0
    for case in cases(family, COUNT):
        if case.expected is None:
            with pytest.raises(graph.ShapeError):
                print(case, graph.infer(case.name, _types(case), case.attributes))
            continue
        allowed += 1
        (result,) = graph.infer(case.name, _types(case), case.attributes)
        assert tuple(result.shape) == case.expected, case
    assert allowed > COUNT / 3, "most cases should be ones that the oracle allows"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_unknown_dims_contradict_no_static_result(family: Callable[[Random], Case]) -> None:
    random = Random(0)
    for case in cases(family, COUNT):
        if case.expected is None:
            continue
        (result,) = graph.infer(case.name, _types(case, lambda: random.random() < 0.4), case.attributes)
        assert len(result.shape) == len(case.expected), case
        for dim, expected in zip(result.shape, case.expected, strict=True):
            assert dim in (expected, UNKNOWN), (case, str(result))


def test_every_op_accepts_what_it_infers_and_survives_the_verifier() -> None:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        for family in FAMILIES:
            for case in cases(family, 60):
                if case.expected is not None:
                    operands = [graph.build("prepared", [], {"index": 0}, type_) for type_ in _types(case)]
                    graph.build(case.name, operands, case.attributes)
    assert module.operation.verify()
    assert ir.Module.parse(str(module)).operation.verify()


def _random_value(random: Random, type_: str, choices: tuple[str, ...]) -> Any:
    integers = [random.randint(-3, 5) for _ in range(random.randint(0, 5))]
    values = {
        "int": random.randint(-5, 9),
        "float": random.uniform(-2, 2),
        "scalar": random.choice((3, 0.5, None)),
        "bool": random.random() < 0.5,
        "ints": random.choice((integers, [1, 1], [0, 1], [1, 1, 1, 1])),
        "str": random.choice((*choices, "other")),
        "strs": random.choice((["a"], ["2*a + 1", "b"], ["", "a"], ["a b"], ["'a b'", "max(a, 3)"], [])),
        "elements": np.zeros(random.randint(0, 300), np.float32),
    }
    return values[type_]


def _random_type(random: Random) -> ir.Type:
    shape = [random.choice((UNKNOWN, 0, 1, 2, 4, 8)) for _ in range(random.randint(0, 5))]
    element = ir.Type.parse(
        random.choice(("f32", "f32", "f32", "i64", "i1", "ui8", "i8", "complex<f32>", "index"))
    )
    return ir.RankedTensorType.get(shape, element)


@pytest.mark.parametrize("name", graph.specs())
def test_nonsense_raises_shape_errors_only(name: str) -> None:
    random, spec = Random(name), graph.specs()[name]
    for _ in range(200):
        types = [
            _random_type(random) for _ in range(random.choice((len(spec.operands), random.randint(0, 4))))
        ]
        attributes = {
            attribute.name: _random_value(random, attribute.type, attribute.choices)
            for attribute in spec.attributes
        }
        try:
            graph.infer(name, types, attributes, random.choice((None, _random_type(random))))
        except graph.ShapeError as error:
            assert error.field and error.message
