"""TreeEnsembleClassifier and TreeEnsembleRegressor; `tree_ensemble` has what came after them."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeFailure
from mlc.frontends.onnx.operators.ml.feature_rows import rows
from mlc.frontends.onnx.operators.ml.post_transforms import (
    class_labels,
    label_output,
    post_transform,
    sign_label,
    top_label,
    transformed,
    two_scores,
)
from mlc.frontends.onnx.operators.ml.tree_attributes import Forest, numbers, read_forest
from mlc.frontends.onnx.operators.ml.tree_tables import score
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

MACHINE_LEARNING = "ai.onnx.ml"
_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")


@onnx_operator("TreeEnsembleRegressor", domain=MACHINE_LEARNING)
def tree_ensemble_regressor(node: Node) -> Value:
    aggregate = node.attr("aggregate_function", "SUM")
    if aggregate not in _AGGREGATES:
        raise NodeFailure(f"aggregate_function must be one of {', '.join(_AGGREGATES)}, not {aggregate!r}")
    forest, targets = read_forest(node, "target"), int(node.attr("n_targets"))
    scores = based(node, score(node, rows(node), forest, targets, aggregate), targets)
    return node.cast(transformed(node, scores, post_transform(node)), TensorProto.FLOAT)


def based(node: Node, scores: Value, targets: int) -> Value:
    """`scores` `[N, targets]` plus base_values; one number is the first target's."""
    base = numbers(node, "base_values")
    if base is None:
        return scores
    if len(base) == 1:
        base = np.concatenate([base, np.zeros(targets - 1, base.dtype)])
    if len(base) != targets:
        raise NodeFailure(f"base_values has {len(base)} entries instead of {targets}")
    return node.emit("add", scores, node.constant(base.astype(scores.dtype)))


@onnx_operator("TreeEnsembleClassifier", domain=MACHINE_LEARNING)
def tree_ensemble_classifier(node: Node) -> tuple[Value, Value]:
    labels, forest = class_labels(node, "classlabels_int64s"), read_forest(node, "class")
    if not labels:
        raise NodeFailure("it has no class labels")
    scores = based(node, score(node, rows(node), forest, len(labels), "SUM"), len(labels))
    label, final = _classified(node, scores, forest, labels)
    return label_output(node, label), node.cast(final, TensorProto.FLOAT)


def _classified(node: Node, scores: Value, forest: Forest, labels: list[int]) -> tuple[Value, Value]:
    """Labels and scores. The weights of two classes may all be one class's: its score then decides."""
    transform, classes = post_transform(node), np.unique(forest.weight_targets)
    if len(labels) == 1:
        return sign_label(node, scores, 0, [0, 1]), transformed(node, scores, transform)
    if len(labels) > 2 or len(classes) != 1:
        return top_label(node, scores, labels), transformed(node, scores, transform)
    positive = bool(np.all(forest.weights >= 0))
    chosen = int(classes[0])
    one = node.emit("slice", scores, starts=[0, chosen], sizes=[-1, 1], steps=[1, 1])
    label = sign_label(node, one, 0.5 if positive else 0, labels)
    base = numbers(node, "base_values")
    if chosen == 1 or (base is not None and len(base) == 2):
        return label, transformed(node, scores, transform)
    return label, two_scores(node, one, transform, sum_is_one=positive)
