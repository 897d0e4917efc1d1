"""Probabilities of classes from decisions between any two of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.frontends.onnx.node import Node, NodeFailure, Unsupported
from mlc.frontends.onnx.operators.common.matrix_inverse import MOST_ROWS, columns, inverted
from mlc.frontends.onnx.values import Value


def probabilities(node: Node, scores: Value, classes: int, pairs: Sequence[tuple[int, int]]) -> Value:
    """`[N, classes]` from decisions `[N, pairs]`, by Platt's sigmoids, with prob_a and prob_b.

    Of more than two classes it is the second method of Wu, Lin and Weng (2004), solved exactly; ONNX Runtime
    iterates towards it, and stops some thousandths away.
    """
    a, b = (np.asarray(node.attr(name), np.float32).astype(scores.dtype) for name in ("prob_a", "prob_b"))
    if len(a) != len(pairs) or len(b) != len(pairs):
        raise NodeFailure(f"prob_a and prob_b must have an entry for each of {len(pairs)} pairs of classes")
    line = node.emit("add", node.emit("mul", scores, node.constant(a)), node.constant(b))
    first = node.emit("clamp", node.emit("sigmoid", node.emit("neg", line)), min=1e-7, max=1 - 1e-7)
    second = node.emit("sub", node.scalar(1, first), first)
    if classes == 2:
        return node.emit("concat", first, second, axis=1)
    if classes >= MOST_ROWS:
        raise Unsupported(f"probabilities of {MOST_ROWS} and more classes are not supported")
    return _coupled(node, _square(node, first, second, classes, pairs), classes)


def _square(node: Node, first: Value, second: Value, classes: int, pairs: Sequence[tuple[int, int]]) -> Value:
    """`[N, classes, classes]`: at i, j how probable class i is, if it is i or j; the diagonal is 0."""
    places = np.zeros((2, len(pairs), classes, classes), first.dtype)
    for pair, (i, j) in enumerate(pairs):
        places[0, pair, i, j] = places[1, pair, j, i] = 1
    upper, lower = (
        node.emit("matmul", side, node.constant(each.reshape(len(pairs), -1)))
        for side, each in zip((first, second), places, strict=True)
    )
    return node.reshape(node.emit("add", upper, lower), [first.shape[0], classes, classes])


def _coupled(node: Node, r: Value, classes: int) -> Value:
    """The p `[N, classes]` with the sum 1 for which the sum of (r_ji p_i - r_ij p_j)^2 is least: p^T Q p, so
    that (Q, 1; 1^T, 0) (p; m) = (0; 1)."""
    turned = node.emit("transpose", r, permutation=[0, 2, 1])
    squares = node.emit("reduce_sum", node.emit("mul", r, r), axes=[1], keepdims=True)
    diagonal = node.emit("mul", squares, node.constant(np.eye(classes, dtype=r.dtype)))
    matrix = node.emit("sub", diagonal, node.emit("mul", r, turned))
    bordered = node.emit("pad", matrix, low=[0] * 3, high=[0, 1, 1], mode="constant", value=0.0)
    border = np.zeros((classes + 1, classes + 1), r.dtype)
    border[-1, :-1] = border[:-1, -1] = 1
    solved = inverted(node, node.emit("add", bordered, node.constant(border)))
    last = columns(node, solved, classes, 1)
    p = node.emit("slice", last, starts=[0] * 3, sizes=[-1, classes, 1], steps=[1] * 3)
    return node.reshape(p, [r.shape[0], classes])
