"""Attention whose scores are capped, or whose softmax has one more score that no key has."""

from __future__ import annotations

import numpy as np

from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.operators.common.attention_heads import joined_heads
from mlc.frontends.onnx.operators.math.contraction import scaled, transposed
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.values import Value


def attended_in_parts(
    node: Node,
    heads: tuple[Value, Value, Value],
    mask: Value | None,
    scale: float,
    cap: float,
    sink: Value | None,
) -> Value:
    """softmax(cap * tanh(scale * q k^T / cap) + mask) v of q `[B, N, S, D]` and k, v `[B, G, T, D]`, the
    heads joined; without a tanh where `cap` is 0. `sink` `[1, N, 1, 1]` joins the scores, but no value
    belongs to it."""
    q, k, v = heads
    k, v = (_repeated(node, each, q.shape[1]) for each in (k, v))
    scores = scaled(node, node.emit("matmul", q, transposed(node, k)), scale)
    if cap:
        scores = scaled(node, node.emit("tanh", scaled(node, scores, 1 / cap)), cap)
    if mask is not None:
        scores = node.emit("add", scores, mask)
    return joined_heads(node, node.emit("matmul", _softmax(node, scores, sink), v))


def _softmax(node: Node, scores: Value, sink: Value | None) -> Value:
    if sink is None:
        return node.emit("softmax", scores, axis=3)
    *outer, keys = node.shape(scores)
    column = node.emit("expand", sink, shape=[*outer, 1])
    weights = node.emit("softmax", node.emit("concat", scores, column, axis=3), axis=3)
    return part(node, weights, 3, 0, keys)


def _repeated(node: Node, x: Value, heads: object) -> Value:
    """Each of the G heads of x for all query heads of its group."""
    (groups,) = node.static(x.shape[1:2], "the number of heads")
    if groups == heads:
        return x
    assert isinstance(heads, int)
    return node.emit("gather", x, node.constant(np.arange(heads) // (heads // groups), np.int64), axis=1)
