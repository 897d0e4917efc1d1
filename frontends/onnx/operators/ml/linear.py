"""Linear models: LinearRegressor and LinearClassifier."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.operators.ml.feature_rows import features, rows, with_features
from mlc.frontends.onnx.operators.ml.post_transforms import (
    apply_transform,
    class_labels,
    label_output,
    post_transform,
    sign_label,
    top_label,
    two_scores,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("LinearRegressor", domain=MACHINE_LEARNING)
def linear_regressor(node: Node) -> Value:
    """Imports LinearRegressor."""
    targets = int(node.attr("targets", 1))
    x = with_features(node, rows(node), len(node.attr("coefficients")) // max(1, targets))
    scores = _scores(node, x, targets)
    return node.cast(apply_transform(node, scores, post_transform(node)), TensorProto.FLOAT)


@onnx_operator("LinearClassifier", domain=MACHINE_LEARNING)
def linear_classifier(node: Node) -> tuple[Value, Value]:
    """Imports LinearClassifier."""
    # Where the number of features is dynamic, it follows from the number of intercepts.
    classes = max(1, len(node.attributes.get("intercepts") or []))
    x = with_features(node, rows(node), len(node.attr("coefficients")) // classes)
    label, scores = _classify(node, class_labels(node, "classlabels_ints"), x)
    return label_output(node, label), node.cast(scores, TensorProto.FLOAT)


def _classify(node: Node, labels: list[int], x: Value) -> tuple[Value, Value]:
    """Returns labels and scores. Each class has a row of coefficients; two may share one, whose score decides
    by its sign."""
    classes = len(node.attr("coefficients")) // max(1, features(x))
    scores, transform = _scores(node, x, classes), post_transform(node)
    if classes > 1:
        if len(labels) < classes:
            raise NodeError(f"it has {len(labels)} labels for {classes} classes")
        return top_label(node, scores, labels), apply_transform(node, scores, transform)
    if not labels:
        return sign_label(node, scores, 0, [0, 1]), apply_transform(node, scores, transform)
    if len(labels) != 2:
        raise NodeError(f"it has {len(labels)} labels for one row of coefficients, not 2")
    return sign_label(node, scores, 0, labels), two_scores(node, scores, transform, sum_is_one=True)


def _scores(node: Node, x: Value, targets: int) -> Value:
    """Returns x coefficients^T + intercepts: `[N, targets]` in x's type. Raises NodeError for lengths that
    do not fit."""
    coefficients = np.asarray(node.attr("coefficients"), np.float32).astype(x.dtype)
    if targets < 1 or coefficients.size != targets * features(x):
        raise NodeError(
            f"coefficients has {coefficients.size} entries, not {targets} for each of {features(x)} features"
        )
    matrix = np.ascontiguousarray(coefficients.reshape(targets, features(x)).T)
    product = node.emit("matmul", x, node.constant(matrix))
    intercepts = np.asarray(node.attributes.get("intercepts") or [0.0], np.float32).astype(x.dtype)
    if len(intercepts) not in (1, targets):
        raise NodeError(f"intercepts has {len(intercepts)} entries instead of {targets}")
    return node.emit("add", product, node.constant(intercepts)) if intercepts.any() else product
