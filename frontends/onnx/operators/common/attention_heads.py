"""Heads of attention: splitting and joining them, and masks as ONNX Runtime gives them."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import TensorProto

from mlc.dialects.graph.sizes import surely_less
from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.dynamic_values import counted, sliced
from mlc.frontends.onnx.values import Dim, Value


def split_heads(node: Node, x: Value, count: int) -> Value:
    """`[B, S, N * D]` as `[B, N, S, D]`."""
    batch, length, width = x.shape
    [hidden] = node.static([width], "the hidden size")
    if count < 1 or hidden % count:
        raise NodeError(f"{count} heads do not divide the hidden size {hidden}")
    apart = node.reshape(x, [batch, length, count, hidden // count])
    return node.emit("transpose", apart, permutation=[0, 2, 1, 3])


def joined_heads(node: Node, x: Value) -> Value:
    """`[B, N, S, D]` as `[B, S, N * D]`."""
    batch, heads, length, width = x.shape
    count, size = node.static([heads, width], "the hidden size")
    moved = node.emit("transpose", x, permutation=[0, 2, 1, 3])
    return node.reshape(moved, [batch, length, count * size])


def positions(node: Node, count: Dim, shape: Sequence[Dim], start: int = 0) -> Value:
    """start, ..., start + count - 1 as i32 in a shape."""
    steps = node.reshape(counted(node, count, TensorProto.INT32), list(shape))
    return node.emit("add", steps, node.constant(start, "int32")) if start else steps


def kept_keys(node: Node, mask: Value, keys: Dim) -> Value:
    """Which keys count, as truth values that broadcast to scores `[B, N, S, T]`.

    A mask is how many keys of each sequence count, `[B]`; these and then the first that counts, `[2 B]`; or 0
    for what does not, `[B, T]`, `[B, S, T]` or `[B, 1, S, T]`.
    """
    mask = node.cast(mask, TensorProto.INT32)
    if mask.rank == 1:
        return _within(node, mask, keys)
    if mask.rank == 4 and surely_less(mask.shape[3], mask.shape[2]):
        raise UnsupportedNodeError("masks [B, 1, max, max] of more than the sequence are not supported")
    axes = {2: [1, 2], 3: [1], 4: []}[mask.rank]
    wide = node.emit("unsqueeze", mask, axes=axes) if axes else mask
    return node.emit("greater", wide, node.constant(0, "int32"))


def _within(node: Node, bounds: Value, keys: Dim) -> Value:
    """[:B] ends, and behind them starts."""
    (count,), batch = bounds.shape, node.input(0).shape[0]
    if count not in (batch, 2 * batch):
        raise UnsupportedNodeError(f"a mask of {count} numbers for {batch} sequences is not supported")
    places = positions(node, keys, [1, 1, 1, keys])

    def column(start: Dim) -> Value:
        part = bounds if count == batch else sliced(node, bounds, {0: (start, batch, 1)})
        return node.reshape(part, [batch, 1, 1, 1])

    before_end = node.emit("less", places, column(0))
    if count == batch:
        return before_end
    return node.emit("and", before_end, node.emit("greater_equal", places, column(batch)))


def score_mask(
    node: Node, like: Value, kept: Sequence[Value], added: Value | None, excluded: float
) -> Value | None:
    """What is added to scores: `excluded` where any of `kept` is false, and `added` (of like's type)."""
    total = added
    for each in kept:
        numbers = node.emit("where", each, node.scalar(0, like), node.scalar(excluded, like))
        total = numbers if total is None else node.emit("add", total, numbers)
    return total


def attended(
    node: Node,
    heads: tuple[Value, Value, Value],
    mask: Value | None,
    scale: float,
    causal: bool = False,
) -> Value:
    """Attention of q `[B, N, S, D]` to k and v `[B, G, T, D]`, the heads joined: `[B, S, N * D]`."""
    masks = [] if mask is None else [mask]
    return joined_heads(node, node.emit("attention", *heads, *masks, scale=scale, causal=causal))
