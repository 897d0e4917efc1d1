"""RotaryEmbedding of com.microsoft: positions are rows of tables of cosines and sines."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import TensorProto

from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.attention_heads import join_heads, split_heads
from mlc.frontends.onnx.operators.common.checked_data import look_up
from mlc.frontends.onnx.operators.common.dynamic_values import iota
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("RotaryEmbedding", domain=MICROSOFT)
def rotary_embedding(node: Node) -> Value:
    """Imports RotaryEmbedding.

    x is `[B, S, N * D]` or `[B, N, S, D]`; positions `[B, S]`, or the first, `[1]`; tables `[max, D/2]`.
    Raises NodeError for other ranks and scales.
    """
    x, width = node.input(0), int(node.attr("rotary_embedding_dim", 0))
    if x.rank not in (3, 4):
        raise NodeError(f"the input has rank {x.rank}, neither 3 nor 4")
    cos, sin = node.input(2), node.input_of_shape(3, node.input(2).shape)
    heads = x if x.rank == 4 else split_heads(node, x, _head_count(node, x, width, cos))
    positions = _positions(node, heads)
    rows = [look_up(node, table, positions, 0, negative=False) for table in (cos, sin)]
    result = rotate(node, heads, rows, bool(node.attr("interleaved", 0)))
    factor = node.attr("scale", 1.0)
    if factor != 1.0:
        raise NodeError(f"scale must be 1, not {factor}")
    return result if x.rank == 4 else join_heads(node, result)


def _head_count(node: Node, x: Value, width: int, cos: Value) -> int:
    """Returns num_heads, which goes with rotary_embedding_dim; else heads are as wide as the tables
    require."""
    count = int(node.attr("num_heads", 0))
    if width and not count:
        raise NodeError("rotary_embedding_dim needs num_heads")
    if count:
        return count
    hidden, half = node.static([x.shape[2], cos.shape[1]], "the hidden size")
    return hidden // (2 * half)


def _positions(node: Node, heads: Value) -> Value:
    """Returns the positions `[B, S]`, or `[1, S]` where all sequences begin at one position."""
    given = node.cast(node.input(1), TensorProto.INT64)
    if given.rank == 2:
        return given
    length = heads.shape[2]
    steps = node.reshape(iota(node, length, TensorProto.INT64), [1, length])
    return node.emit("add", node.reshape(given, [1, 1]), steps)


def rotate(node: Node, x: Value, rows: Sequence[Value], interleaved: bool) -> Value:
    """Rotates the first elements of each head of x `[B, N, S, D]`, twice as many as `rows` has columns: the
    cosines and the sines of each position, `[B, S, columns]`.

    Raises NodeError for rows that are too wide.
    """
    (half,) = node.static(rows[0].shape[-1:], "the tables' width")
    factors = [node.emit("unsqueeze", _double(node, row, interleaved), axes=[1]) for row in rows]
    (whole,) = node.static(x.shape[3:], "the size of a head")
    if 2 * half > whole:
        raise NodeError(f"the tables have {half} columns, more than half of a head of {whole}")
    result = node.emit("rotary_embedding", part(node, x, 3, 0, 2 * half), *factors, interleaved=interleaved)
    if 2 * half == whole:
        return result
    return node.emit("concat", result, part(node, x, 3, 2 * half, whole - 2 * half), axis=3)


def _double(node: Node, row: Value, interleaved: bool) -> Value:
    """Repeats `[..., D/2]` to `[..., D]`: one factor for both elements of a pair."""
    if not interleaved:
        return node.emit("concat", row, row, axis=row.rank - 1)
    wide = node.emit("unsqueeze", row, axes=[row.rank])
    pairs = node.emit("concat", wide, wide, axis=row.rank)
    return node.reshape(pairs, [*row.shape[:-1], 2 * row.shape[-1]])
