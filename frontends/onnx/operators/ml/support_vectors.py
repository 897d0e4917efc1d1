"""Support vector machines: SVMRegressor and SVMClassifier, and class probabilities from pairwise
decisions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.ml import MACHINE_LEARNING
from mlc.frontends.onnx.operators.ml.feature_rows import features, rows, with_features
from mlc.frontends.onnx.operators.ml.post_transforms import (
    apply_transform,
    class_labels,
    label_of,
    label_output,
    post_transform,
    top_label,
    two_scores,
)
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# The limit of the runtime's function.
_MOST_CLASSES = 1024


def probabilities(node: Node, scores: Value, classes: int, pairs: Sequence[tuple[int, int]]) -> Value:
    """Returns `[N, classes]` from decisions `[N, pairs]`, by Platt's sigmoids, with prob_a and prob_b.

    They are coupled by the second method of Wu, Lin and Weng (2004). A function of the runtime iterates as
    LIBSVM does, which stops some thousandths before the limit, with two classes too. Raises NodeError for
    attributes that do not fit.
    """
    a, b = (np.asarray(node.attr(name), np.float32).astype(scores.dtype) for name in ("prob_a", "prob_b"))
    if len(a) != len(pairs) or len(b) != len(pairs):
        raise NodeError(f"prob_a and prob_b must have an entry for each of {len(pairs)} pairs of classes")
    line = node.emit("add", node.emit("mul", scores, node.constant(a)), node.constant(b))
    first = node.emit("clamp", node.emit("sigmoid", node.emit("neg", line)), min=1e-7, max=1 - 1e-7)
    second = node.emit("sub", node.scalar(1, first), first)
    if classes > _MOST_CLASSES:
        raise UnsupportedNodeError(f"probabilities of more than {_MOST_CLASSES} classes are not supported")
    square = node.cast(_square(node, first, second, classes, pairs), TensorProto.FLOAT)
    shape = [scores.shape[0], classes]
    values = square, node.sizes(shape)
    coupled = node.call_runtime("pairwise_coupling", *values, onnx_type=TensorProto.FLOAT, shape=shape)
    return node.cast(coupled, scores.onnx_type)


def _square(node: Node, first: Value, second: Value, classes: int, pairs: Sequence[tuple[int, int]]) -> Value:
    """Returns `[N, classes, classes]`: at i, j the probability of class i, if it is i or j; the diagonal is
    0."""
    selections = np.zeros((2, len(pairs), classes, classes), first.dtype)
    for pair, (i, j) in enumerate(pairs):
        selections[0, pair, i, j] = selections[1, pair, j, i] = 1
    upper, lower = (
        node.emit("matmul", side, node.constant(selection.reshape(len(pairs), -1)))
        for side, selection in zip((first, second), selections, strict=True)
    )
    return node.reshape(node.emit("add", upper, lower), [first.shape[0], classes, classes])


@onnx_operator("SVMRegressor", domain=MACHINE_LEARNING)
def svm_regressor(node: Node) -> Value:
    """Imports SVMRegressor: the weighted kernels with the support vectors plus rho; without support vectors a
    linear model."""
    x, count = rows(node), int(node.attr("n_supports", 0))
    coefficients, rho = _floats(node, "coefficients", x), _floats(node, "rho", x)
    vectors = _floats(node, "support_vectors", x).reshape(count, -1) if count else None
    x = with_features(node, x, coefficients.size if vectors is None else vectors.shape[1])
    if coefficients.size != (count or features(x)):
        raise NodeError(f"coefficients has {coefficients.size} entries instead of {count or features(x)}")
    base = x if vectors is None else _kernels(node, x, vectors)
    product = node.emit("matmul", base, node.constant(coefficients.reshape(-1, 1)))
    score = node.emit("add", product, node.constant(rho[:1]))
    if node.attr("one_class", 0):
        above = node.emit("greater", score, node.scalar(0, score))
        score = node.emit("where", above, node.scalar(1, score), node.scalar(-1, score))
    return node.cast(apply_transform(node, score, post_transform(node)), TensorProto.FLOAT)


@onnx_operator("SVMClassifier", domain=MACHINE_LEARNING)
def svm_classifier(node: Node) -> tuple[Value, Value]:
    """Imports SVMClassifier. Raises NodeError without labels."""
    x, labels = rows(node), class_labels(node, "classlabels_ints")
    if not labels:
        raise NodeError("it has no class labels")
    counts = list(node.attributes.get("vectors_per_class") or [])
    label, scores = _pairwise(node, x, labels, counts) if sum(counts) else _linear(node, x, labels)
    return label_output(node, label), node.cast(scores, TensorProto.FLOAT)


def _floats(node: Node, name: str, like: Value) -> np.ndarray:
    """Returns the attribute in the type of `like`."""
    return np.asarray(node.attr(name), np.float32).astype(like.dtype)


def _kernels(node: Node, x: Value, vectors: np.ndarray) -> Value:
    """Returns the kernel of each row of x `[N, F]` with each of the S vectors `[S, F]`: `[N, S]`. Raises
    NodeError."""
    kernel = node.attr("kernel_type", "LINEAR")
    gamma, offset, degree = list(node.attributes.get("kernel_params") or [0.0, 0.0, 0.0])[:3]
    x = with_features(node, x, vectors.shape[1])
    if vectors.shape[1] != features(x):
        raise NodeError(f"support vectors have {vectors.shape[1]} elements instead of {features(x)}")
    if kernel == "RBF":
        # The differences are squared directly: the expanded form would cancel.
        apart = node.emit("sub", node.emit("unsqueeze", x, axes=[1]), node.constant(vectors))
        square = node.emit("reduce_sum", node.emit("mul", apart, apart), axes=[2], keepdims=False)
        return node.emit("exp", node.emit("mul", square, node.scalar(-gamma, x)))
    product = node.emit("matmul", x, node.constant(np.ascontiguousarray(vectors.T)))
    if kernel == "LINEAR":
        return product
    line = node.emit("add", node.emit("mul", product, node.scalar(gamma, x)), node.scalar(offset, x))
    if kernel == "SIGMOID":
        return node.emit("tanh", line)
    if kernel == "POLY":
        return node.emit("pow", line, node.scalar(degree, x))
    raise NodeError(f"kernel_type must be LINEAR, POLY, RBF or SIGMOID, not {kernel!r}")


def _linear(node: Node, x: Value, labels: list[int]) -> tuple[Value, Value]:
    """Returns labels and scores of a linear model with a row of coefficients for each class."""
    coefficients = _floats(node, "coefficients", x)
    x = with_features(node, x, coefficients.size // len(labels))
    if coefficients.size != len(labels) * features(x):
        raise NodeError(f"coefficients has {coefficients.size} entries, not {features(x)} per class")
    matrix = np.ascontiguousarray(coefficients.reshape(len(labels), -1).T)
    product = node.emit("matmul", x, node.constant(matrix))
    scores = node.emit("add", product, node.constant(_floats(node, "rho", x)[:1]))
    label = top_label(node, scores, labels)
    if len(labels) == 2 and np.all(coefficients >= 0):
        # As in ONNX Runtime, which then treats the score as the second class's probability.
        top = node.emit("reduce_max", scores, axes=[1], keepdims=False)
        sure = node.emit("greater_equal", top, node.scalar(0.5, top))
        label = node.emit("where", sure, node.constant(np.int64(labels[1])), label)
    transform = post_transform(node)
    if len(labels) == 1:
        return label, two_scores(node, scores, transform, sum_is_one=True)
    return label, apply_transform(node, scores, transform)


def _pairwise(node: Node, x: Value, labels: list[int], counts: list[int]) -> tuple[Value, Value]:
    """Returns labels and scores of decisions between any two classes.

    The label is the class that wins most of them, the first of equal ones.
    """
    total, classes = sum(counts), len(counts)
    if classes != len(labels) or classes < 2:
        raise NodeError(f"vectors_per_class has {classes} entries for {len(labels)} labels")
    vectors = _floats(node, "support_vectors", x).reshape(total, -1)
    pairs = list(combinations(range(classes), 2))
    rho = _floats(node, "rho", x)
    if len(rho) != len(pairs):
        raise NodeError(f"rho has {len(rho)} entries instead of {len(pairs)}")
    matrix = _pair_matrix(_floats(node, "coefficients", x).reshape(-1, total), counts, pairs)
    product = node.emit("matmul", _kernels(node, x, vectors), node.constant(matrix))
    scores = node.emit("add", product, node.constant(rho))
    winner = label_of(node, _winner(node, scores, classes, pairs), labels)
    transform = post_transform(node)
    if node.attributes.get("prob_a"):
        return winner, apply_transform(node, probabilities(node, scores, classes, pairs), transform)
    if classes > 2:
        return winner, apply_transform(node, scores, transform)
    # As in ONNX Runtime, where transforms treat the score as a probability.
    return winner, two_scores(node, scores, transform, sum_is_one=transform != "NONE")


def _pair_matrix(coefficients: np.ndarray, counts: list[int], pairs: list[tuple[int, int]]) -> np.ndarray:
    """Returns `[S, pairs]`: the weight of each support vector in each decision.

    Class i's vectors have a row of coefficients for each other class: row j - 1 for a later class j, row j
    for an earlier one.
    """
    starts = np.cumsum([0, *counts])
    matrix = np.zeros((starts[-1], len(pairs)), coefficients.dtype)
    for column, (i, j) in enumerate(pairs):
        first, second = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
        matrix[first, column] = coefficients[j - 1, first]
        matrix[second, column] = coefficients[i, second]
    return matrix


def _winner(node: Node, scores: Value, classes: int, pairs: list[tuple[int, int]]) -> Value:
    """Returns the class with most votes, as i64 `[N]`; a positive score votes for the first class of its
    pair."""
    votes = np.zeros((2, len(pairs), classes), scores.dtype)
    for column, (i, j) in enumerate(pairs):
        votes[0, column, i] = votes[1, column, j] = 1
    won = node.cast(node.emit("greater", scores, node.scalar(0, scores)), scores.onnx_type)
    gained = node.emit("matmul", won, node.constant(votes[0] - votes[1]))
    total = node.emit("add", gained, node.constant(votes[1].sum(0)))
    return node.emit("arg_max", total, axis=1, keepdims=False, select_last_index=False)
