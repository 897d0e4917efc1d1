"""Operators whose function bodies compute something for operands that the operators do not allow."""

from __future__ import annotations

from mlc.frontends.onnx.node import Node, TakesBody, check_rank, check_shape
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", since=12)
def loss(node: Node) -> Value:
    """Checks the labels `[N, D...]` and weights `[C]` of scores `[N, C, D...]`. Raises TakesBody, or
    NodeError."""
    scores = node.input(0)
    check_rank(scores, 2, "input 0")
    check_shape(node.input(1), [scores.shape[0], *scores.shape[2:]], "input 1")
    weights = node.optional(2)
    if weights is not None:
        check_shape(weights, scores.shape[1:2], "input 2")
    raise TakesBody


@onnx_operator("RotaryEmbedding", since=23)
def rotary_embedding(node: Node) -> Value:
    """Checks that the tables of cosines and sines have one shape, and a column for each pair of elements that
    is rotated. Raises TakesBody, or NodeError."""
    x, cosines = node.input(0), node.input(1)
    heads = node.attr("num_heads", 0) if x.rank == 3 else 1
    rotated = node.attr("rotary_embedding_dim", 0)
    pairs = rotated // 2 if rotated else None
    if not rotated and x.rank >= 3 and heads:
        pairs = x.shape[-1] // (2 * heads)
    if pairs is not None:
        node.of_shape(cosines, [*cosines.shape[:-1], pairs], "input 1")
    node.input_of_shape(2, cosines.shape)
    raise TakesBody
