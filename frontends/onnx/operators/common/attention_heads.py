"""Attention heads: splitting and joining them, and masks in ONNX Runtime's forms."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import TensorProto

from mlc.dialects.graph.sizes import always_less
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.dynamic_values import iota, slice_axes
from mlc.frontends.onnx.values import Dim, Value


def split_heads(node: Node, x: Value, count: int) -> Value:
    """Reshapes and transposes `[B, S, N * D]` to `[B, N, S, D]`. Raises NodeError if `count` heads do not
    divide the hidden size."""
    batch, length, width = x.shape
    [hidden] = node.static([width], "the hidden size")
    if count < 1 or hidden % count:
        raise NodeError(f"{count} heads do not divide the hidden size {hidden}")
    apart = node.reshape(x, [batch, length, count, hidden // count])
    return node.emit("transpose", apart, permutation=[0, 2, 1, 3])


def join_heads(node: Node, x: Value) -> Value:
    """Transposes and reshapes `[B, N, S, D]` to `[B, S, N * D]`."""
    batch, heads, length, width = x.shape
    count, size = node.static([heads, width], "the hidden size")
    moved = node.emit("transpose", x, permutation=[0, 2, 1, 3])
    return node.reshape(moved, [batch, length, count * size])


def positions(node: Node, count: Dim, shape: Sequence[Dim], start: int = 0) -> Value:
    """Returns `start`, ..., `start + count - 1` as i32 in the shape `shape`."""
    steps = node.reshape(iota(node, count, TensorProto.INT32), list(shape))
    return node.emit("add", steps, node.constant(start, "int32")) if start else steps


def kept_keys(node: Node, mask: Value, keys: Dim) -> Value:
    """Returns which keys take part, as booleans that broadcast to scores `[B, N, S, T]`.

    A mask holds the number of keys of each sequence, `[B]`; these and then the first key of each, `[2 B]`; or
    0 for excluded keys, `[B, T]`, `[B, S, T]` or `[B, 1, S, T]`. Raises UnsupportedNodeError for other masks.
    """
    mask = node.cast(mask, TensorProto.INT32)
    if mask.rank == 1:
        return _within(node, mask, keys)
    if mask.rank == 4 and always_less(mask.shape[3], mask.shape[2]):
        raise UnsupportedNodeError("masks [B, 1, max, max] of more than the sequence are not supported")
    axes = {2: [1, 2], 3: [1], 4: []}[mask.rank]
    wide = node.emit("unsqueeze", mask, axes=axes) if axes else mask
    return node.emit("greater", wide, node.constant(0, "int32"))


def _within(node: Node, bounds: Value, keys: Dim) -> Value:
    """Returns which keys are within `bounds`: `[:B]` are ends, `[B:]` starts where there are any."""
    (count,), batch = bounds.shape, node.input(0).shape[0]
    if count not in (batch, 2 * batch):
        raise UnsupportedNodeError(f"a mask of {count} elements for {batch} sequences is not supported")
    key_positions = positions(node, keys, [1, 1, 1, keys])

    def column(start: Dim) -> Value:
        """Returns one bound per sequence, `[batch, 1, 1, 1]`."""
        part = bounds if count == batch else slice_axes(node, bounds, {0: (start, batch, 1)})
        return node.reshape(part, [batch, 1, 1, 1])

    before_end = node.emit("less", key_positions, column(0))
    if count == batch:
        return before_end
    return node.emit("and", before_end, node.emit("greater_equal", key_positions, column(batch)))


def score_mask(
    node: Node, like: Value, kept: Sequence[Value], added: Value | None, excluded: float
) -> Value | None:
    """Returns the value that is added to scores: `excluded` where any of `kept` is false, and `added` (of
    like's type).

    None where there is neither.
    """
    total = added
    for flags in kept:
        bias = node.emit("where", flags, node.scalar(0, like), node.scalar(excluded, like))
        total = bias if total is None else node.emit("add", total, bias)
    return total


def attend(
    node: Node,
    heads: tuple[Value, Value, Value],
    mask: Value | None,
    scale: float,
    causal: bool = False,
) -> Value:
    """Returns the attention of q `[B, N, S, D]` to k and v `[B, G, T, D]` with the heads joined: `[B, S, N *
    D]`."""
    masks = [] if mask is None else [mask]
    return join_heads(node, node.emit("attention", *heads, *masks, scale=scale, causal=causal))
