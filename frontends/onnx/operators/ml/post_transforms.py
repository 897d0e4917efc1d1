"""The final steps of classifiers and regressors: `post_transform`, and scores of two classes.

Where the specification leaves a choice, it is ONNX Runtime's: a single score is transformed by PROBIT only,
and for the score of one of two classes only LOGISTIC and PROBIT apply.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.values import Value

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def post_transform(node: Node) -> str:
    """Returns the attribute's name in capitals; TreeEnsemble stores its index. Raises NodeError for
    others."""
    value = node.attr("post_transform", "NONE")
    name = TRANSFORMS[value] if isinstance(value, int) and 0 <= value < len(TRANSFORMS) else value
    if name not in TRANSFORMS:
        raise NodeError(f"post_transform must be one of {', '.join(TRANSFORMS)}, not {value!r}")
    return str(name)


def apply_transform(node: Node, scores: Value, transform: str) -> Value:
    """Transforms `scores` `[N, C]` row by row."""
    if transform == "PROBIT":
        return probit(node, scores)
    if transform == "NONE" or scores.shape[1] == 1:
        return scores
    if transform == "LOGISTIC":
        return node.emit("sigmoid", scores)
    return node.emit("softmax", scores, axis=1) if transform == "SOFTMAX" else _softmax_zero(node, scores)


def two_scores(node: Node, score: Value, transform: str, sum_is_one: bool) -> Value:
    """Returns `[N, 2]` from the score of the second class, `[N, 1]`: the first's is `1 - score`, or
    `-score`."""
    other = node.emit("neg", score)
    if transform == "LOGISTIC":
        return node.emit("sigmoid", node.emit("concat", other, score, axis=1))
    if sum_is_one:
        other = node.emit("add", other, node.scalar(1, score))
    both = node.emit("concat", other, score, axis=1)
    return probit(node, both) if transform == "PROBIT" else both


def _softmax_zero(node: Node, scores: Value) -> Value:
    """Returns the softmax in which scores near zero stay near zero."""
    top = node.emit("reduce_max", scores, axes=[1], keepdims=True)
    small = node.emit("less_equal", node.emit("abs", scores), node.scalar(1e-7, scores))
    kept = node.emit("mul", scores, node.emit("exp", node.emit("neg", top)))
    weights = node.emit("where", small, kept, node.emit("exp", node.emit("sub", scores, top)))
    return node.emit("div", weights, node.emit("reduce_sum", weights, axes=[1], keepdims=True))


def probit(node: Node, scores: Value) -> Value:
    """Returns the inverse of the normal distribution.

    It is Winitzki's approximation of the inverse of erf (2008) with a = 0.147, as in ONNX Runtime and onnx's
    evaluator.
    """
    one = node.scalar(1, scores)
    x = node.emit("sub", node.emit("mul", node.scalar(2, scores), scores), one)
    rest = node.emit("mul", node.emit("sub", one, x), node.emit("add", one, x))
    log = node.emit("log", rest)
    half = node.emit("mul", node.scalar(0.5, scores), log)
    v = node.emit("add", node.scalar(2 / (np.pi * 0.147), scores), half)
    inner = node.emit("sub", node.emit("mul", v, v), node.emit("mul", node.scalar(1 / 0.147, scores), log))
    size = node.emit("sqrt", node.emit("sub", node.emit("sqrt", inner), v))
    sign = node.emit("where", node.emit("less", x, node.scalar(0, x)), node.scalar(-1, x), one)
    return node.emit("mul", node.scalar(1.41421356, scores), node.emit("mul", sign, size))


def label_of(node: Node, index: Value, labels: Sequence[int]) -> Value:
    """Returns `labels[index]` for i64 indices `[N]`."""
    if list(labels) == list(range(len(labels))):
        return index
    return node.emit("gather", node.constant(np.asarray(labels, np.int64)), index, axis=0)


def top_label(node: Node, scores: Value, labels: Sequence[int]) -> Value:
    """Returns the label of the largest score of each row, the first of equal ones."""
    index = node.emit("arg_max", scores, axis=1, keepdims=False, select_last_index=False)
    return label_of(node, index, labels)


def sign_label(node: Node, score: Value, threshold: float, labels: Sequence[int]) -> Value:
    """Returns `labels[1]` where the score `[N, 1]` is above the threshold, else `labels[0]`."""
    above = node.emit("greater", node.reshape(score, [score.shape[0]]), node.scalar(threshold, score))
    pair = [node.constant(np.int64(label)) for label in labels]
    return node.emit("where", above, pair[1], pair[0])


def class_labels(node: Node, name: str) -> list[int]:
    """Returns the attribute `name`, the integer labels; for labels that are strings, their indices."""
    text = node.attributes.get("classlabels_strings")
    return list(range(len(text))) if text else list(node.attributes.get(name) or [])


def label_output(node: Node, label: Value) -> Value:
    """Returns the output of labels; labels that are strings are gathered from their ids."""
    text = node.attributes.get("classlabels_strings")
    if not text:
        return label
    return node.strings_of(node.emit("gather", node.constant(node.string_ids(text)), label, axis=0))
