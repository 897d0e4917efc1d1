"""Classifiers whose labels are strings against ONNX Runtime: two classes and more, each transform, any batch.

Not PROBIT of two classes' one score: ONNX Runtime leaves the other score as it finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from node_groups import NAMED_BATCH, Case, wrong_cases
from onnx import TensorProto
from test_machine_learning import LINEAR, SUPPORT, TRANSFORMS, support
from test_trees import CLASSIFIERS

HOWS = [pytest.param("compiled", marks=pytest.mark.slow), NAMED_BATCH]
INTEGERS = ("classlabels_ints", "classlabels_int64s")
# Not sorted, one of them empty, one no ASCII.
TEXTS = ["ox", "", "größer", "a,b"]


def with_texts(cases: Mapping[str, Case]) -> dict[str, Case]:
    """The classifiers among the cases, with a text for each numeric label."""
    found = {}
    for name, case in cases.items():
        labels = [label for key in INTEGERS for label in case.attributes.get(key, [])]
        if labels:
            rest = {key: value for key, value in case.attributes.items() if key not in INTEGERS}
            given = {**rest, "classlabels_strings": TEXTS[: len(labels)]}
            found[name] = replace(case, attributes=given, outputs=(TensorProto.STRING, TensorProto.FLOAT))
    return found


TREES = with_texts(CLASSIFIERS)
VECTORS = with_texts(
    SUPPORT
    | {f"two_LINEAR_{name}": support("LINEAR", [3, 4], name) for name in TRANSFORMS[:4]}
    | {f"three_RBF_{name}": support("RBF", [2, 3, 4], name) for name in TRANSFORMS[:4]}
)
PROBABLE = with_texts(
    {
        f"two_probable_{name}": support("RBF", [3, 4], name, prob_a=[-1.5], prob_b=[0.2])
        for name in TRANSFORMS[1:3]
    }
)
LINES = with_texts(LINEAR)


def test_two_classes_and_a_named_batch() -> None:
    cases = {"trees": TREES["mixed_LOGISTIC"], "vectors": VECTORS["two_LINEAR_SOFTMAX"]}
    assert wrong_cases(cases, "ai.onnx.ml", 3, "named batch") == {}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("version", [1, 3])
def test_trees(version: int, how: str) -> None:
    assert wrong_cases(TREES, "ai.onnx.ml", version, how) == {}


@pytest.mark.parametrize("how", HOWS)
def test_support_vectors(how: str) -> None:
    assert wrong_cases(VECTORS, "ai.onnx.ml", how=how) == {}


def test_probabilities() -> None:
    assert wrong_cases(PROBABLE, "ai.onnx.ml") == {}


@pytest.mark.parametrize("how", HOWS)
def test_linear_models(how: str) -> None:
    assert wrong_cases(LINES, "ai.onnx.ml", how=how) == {}
