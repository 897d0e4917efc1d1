"""Ensembles of trees against ONNX Runtime: aggregates, comparisons, missing values, transforms, labels.

Sums of weights are in another order: the tolerance is that of all f32 operators, and 1e-4 for PROBIT, whose
logarithms cancel. Labels are equal.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from node_groups import HOWS, NAMED_BATCH, Case, wrong_cases
from onnx import TensorProto, helper
from random_forests import MODES, forest, linked_forest, linked_scores, rows

from mlc.compiler import compile_program

F32, I64, F64 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.DOUBLE
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")


def regressor(seed: int, targets: int, per_leaf: int, x: np.ndarray, **attributes: Any) -> Case:
    modes, missing = attributes.pop("modes", ("LEQ",)), bool(np.isnan(x.astype(np.float64)).any())
    trees = forest(seed, x.shape[1], attributes.pop("trees", 7), attributes.pop("depth", 4), modes, missing)
    weights = trees.weights("target", targets, per_leaf, low=attributes.pop("low", -1))
    tolerance = attributes.pop("tolerance", 1e-5)
    given = {**trees.attributes(), **weights, "n_targets": targets, **attributes}
    return Case("TreeEnsembleRegressor", [x], given, tolerance=tolerance)


REGRESSORS = {
    # ONNX Runtime compares in one way only where all nodes have the same mode.
    **{mode: regressor(i, 1, 1, rows(i, 30, 5), modes=(mode,)) for i, mode in enumerate(MODES)},
    "all_modes": regressor(7, 1, 1, rows(7, 40, 5), modes=MODES),
    "missing": regressor(8, 1, 1, rows(8, 40, 5, nan=True), modes=MODES),
    "targets": regressor(9, 3, 2, rows(9, 40, 5)),
    "target_per_tree": regressor(10, 3, 0, rows(10, 40, 5)),
    "doubles": regressor(11, 2, 2, rows(11, 40, 5, dtype=np.float64)),
    "average": regressor(13, 2, 2, rows(13, 20, 5), aggregate_function="AVERAGE", base_values=[0.5, -0.25]),
    "least": regressor(14, 2, 2, rows(14, 20, 5), aggregate_function="MIN", base_values=[0.5, -0.25]),
    "most": regressor(15, 1, 1, rows(15, 20, 5), aggregate_function="MAX"),
    "least_of_some": regressor(16, 3, 0, rows(16, 20, 5), aggregate_function="MIN"),
    # Tables that are no small constants, several tiles of rows, two threads.
    "large": regressor(31, 1, 1, rows(31, 600, 9), trees=40, depth=6),
    "large_targets": regressor(32, 3, 3, rows(32, 600, 9, nan=True), trees=40, depth=6, modes=MODES),
    "large_groups": regressor(33, 3, 0, rows(33, 607, 9), trees=41, depth=6),
    "one_row": regressor(17, 1, 1, rows(17, 1, 5)),
    "leaves": Case(
        "TreeEnsembleRegressor",
        [rows(18, 3, 2)],
        {**forest(1, 2, 3, 0).attributes(), **forest(1, 2, 3, 0).weights("target", 1, 1), "n_targets": 1},
    ),
    **{
        f"post_{name}": regressor(19, 2, 2, rows(19, 20, 5), post_transform=name, low=0.0,
                                  aggregate_function="AVERAGE", tolerance=1e-4 if name == "PROBIT" else 1e-5)
        for name in TRANSFORMS
    },
}  # fmt: skip


def classifier(seed: int, classes: int, per_leaf: int, low: float = -1, **attributes: Any) -> Case:
    trees, x = forest(seed, 4, 6, 3), rows(seed, 25, 4)
    weights = trees.weights("class", 1 if per_leaf < 0 else classes, max(per_leaf, 0), low)
    if per_leaf < 0:
        weights["class_ids"] = [-1 - per_leaf] * len(weights["class_ids"])
    labels = {"classlabels_int64s": [5, 7, 3, 9][:classes]}
    return Case(
        "TreeEnsembleClassifier",
        [x],
        {**trees.attributes(), **weights, **labels, **attributes},
        outputs=(I64, F32),
    )


CLASSIFIERS = {
    "three": classifier(20, 3, 2),
    "three_by_tree": classifier(21, 3, 0, base_values=[0.1, 0.2, -0.3]),
    "four": classifier(22, 4, 4, low=0.0),
    **{f"three_{name}": classifier(23, 3, 3, post_transform=name, low=0.1) for name in TRANSFORMS[:4]},
    **{f"positive_{name}": classifier(24, 2, -1, post_transform=name, low=0.0) for name in TRANSFORMS[:4]},
    **{f"mixed_{name}": classifier(25, 2, -1, post_transform=name) for name in TRANSFORMS[:4]},
    "mixed_base": classifier(26, 2, -1, base_values=[0.3], post_transform="LOGISTIC"),
    "second_class": classifier(27, 2, -2, low=0.0),
    "integers": replace(classifier(28, 3, 2), inputs=[rows(28, 40, 4, dtype=np.int64)]),
    "doubles": replace(classifier(29, 3, 2), inputs=[rows(29, 40, 4, dtype=np.float64)]),
}


@pytest.mark.parametrize("how", [*HOWS, NAMED_BATCH])
def test_regressors_are_as_onnx_runtime_says(how: str) -> None:
    assert wrong_cases(REGRESSORS, "ai.onnx.ml", 3, how=how) == {}


@pytest.mark.parametrize("how", HOWS)
def test_classifiers_are_as_onnx_runtime_says(how: str) -> None:
    assert wrong_cases(CLASSIFIERS, "ai.onnx.ml", 3, how=how) == {}


@pytest.mark.parametrize("how", HOWS)
def test_thresholds_and_weights_may_be_doubles(how: str) -> None:
    case = regressor(30, 2, 2, rows(30, 20, 5, dtype=np.float64), base_values=[0.25, 0.5])
    given = dict(case.attributes)
    for name in ("nodes_values", "target_weights", "base_values"):
        values = np.array(given.pop(name), np.float64) + 1e-9
        given[f"{name}_as_tensor"] = helper.make_tensor(name, F64, values.shape, values)
    wide = Case(case.op_type, case.inputs, given)
    assert wrong_cases({"wide": wide}, "ai.onnx.ml", 3, how=how) == {}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("aggregate", range(4))
def test_linked_trees_are_as_onnx_runtime_says(aggregate: int, how: str) -> None:
    cases = {
        dtype.__name__: Case(
            "TreeEnsemble",
            [rows(seed, 30, 5, nan=seed == 1, dtype=dtype)],
            {**linked_forest(seed, 5, 4, 3, dtype, members=False), "aggregate_function": aggregate},
            outputs=(F32 if dtype is np.float32 else F64,),
        )
        for seed, dtype in enumerate((np.float32, np.float64))
    }
    assert wrong_cases(cases, "ai.onnx.ml", 5, how=how) == {}


@pytest.mark.parametrize("how", HOWS)
def test_nodes_may_ask_for_membership_in_sets(how: str) -> None:
    """ONNX Runtime takes no sets of negative or fractional values."""
    cases = {}
    for seed, dtype in enumerate((np.float32, np.float64, np.float16)):
        attributes = linked_forest(seed, 5, 4, 4, dtype, members=True)
        onnx_type = {np.float32: F32, np.float64: F64, np.float16: TensorProto.FLOAT16}[dtype]
        cases[dtype.__name__] = Case(
            "TreeEnsemble",
            [rows(seed, 40, 5, nan=True, dtype=dtype)],
            attributes,
            outputs=(onnx_type,),
            expected=lambda x, given=attributes: [linked_scores(given, x).astype(x.dtype)],
        )
    assert wrong_cases(cases, "ai.onnx.ml", 5, how=how) == {}


TABLES = """func.func @main(%x: tensor<5x3xf32>, %roots: tensor<1x9xi32>, %features: tensor<6xi32>,
    %thresholds: tensor<6xf32>, %children: tensor<6xi32>, %weights: tensor<2x1xf32>) -> tensor<5x1x1xf32> {
  %0 = "graph.tree_ensemble"(%x, %roots, %features, %thresholds, %children, %weights) {depth = 7 : i64}
      : (tensor<5x3xf32>, tensor<1x9xi32>, tensor<6xi32>, tensor<6xf32>, tensor<6xi32>, tensor<2x1xf32>)
      -> tensor<5x1x1xf32>
  return %0 : tensor<5x1x1xf32>
}"""


@pytest.mark.parametrize("claim", ["", ", checked = true"])
def test_tables_of_files_are_read_within_their_bounds(claim: str, tmp_path: Path) -> None:
    """Every root leads to the nodes 0 and 1, which lead to each other and to what does not exist. A file is
    not believed that its tables are checked."""
    (tmp_path / "m.mlir").write_text(TABLES.replace("7 : i64", f"7 : i64{claim}"))
    program = compile_program(tmp_path / "m.mlir").executable()
    x, largest = rows(34, 5, 3), np.iinfo(np.int32).max
    roots = np.array([[0, 1, 2, 3, largest, -3, -largest - 1, 100, -100]], np.int32)
    features = np.array([0, 0, largest, -1, -largest - 1, 3], np.int32)
    thresholds = np.array([np.nan, np.nan, 0, np.inf, -np.inf, 0], np.float32)
    weights = np.array([[1], [2]], np.float32)
    for children in ([-3, -2, 1, 0, largest - 1, -largest - 1], [-3, -2, 0, 0, 0, 0], [largest] * 6):
        (found,) = program(x, roots, features, thresholds, np.array(children, np.int32), weights)
        assert ((found >= 9) & (found <= 18)).all()
