"""GroupQueryAttention: attention of groups of query heads, with rotary embedding and a cache of keys.

Scores may be capped, and the softmax may have one more score that belongs to no key.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, always_less, maximum
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.attention_heads import (
    attend,
    join_heads,
    positions,
    score_mask,
    split_heads,
)
from mlc.frontends.onnx.operators.common.checked_data import expect_in_range, look_up
from mlc.frontends.onnx.operators.common.dynamic_values import slice_axes
from mlc.frontends.onnx.operators.math.contraction import scale_by, transpose_last
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.operators.microsoft.attention import refuse
from mlc.frontends.onnx.operators.microsoft.rotary_embedding import rotate
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Dim, Value


def attended_in_parts(
    node: Node,
    heads: tuple[Value, Value, Value],
    mask: Value | None,
    scale: float,
    cap: float,
    sink: Value | None,
) -> Value:
    """Returns softmax(cap * tanh(scale * q k^T / cap) + mask) v of q `[B, N, S, D]` and k, v `[B, G, T, D]`,
    the heads joined.

    There is no tanh where `cap` is 0. `sink` `[1, N, 1, 1]` joins the scores, but no value belongs to it.
    """
    q, k, v = heads
    k, v = (_repeat_heads(node, value, q.shape[1]) for value in (k, v))
    scores = scale_by(node, node.emit("matmul", q, transpose_last(node, k)), scale)
    if cap:
        scores = scale_by(node, node.emit("tanh", scale_by(node, scores, 1 / cap)), cap)
    if mask is not None:
        scores = node.emit("add", scores, mask)
    return join_heads(node, node.emit("matmul", _softmax(node, scores, sink), v))


def _softmax(node: Node, scores: Value, sink: Value | None) -> Value:
    if sink is None:
        return node.emit("softmax", scores, axis=3)
    *outer, keys = node.shape(scores)
    column = node.emit("expand", sink, shape=[*outer, 1])
    weights = node.emit("softmax", node.emit("concat", scores, column, axis=3), axis=3)
    return part(node, weights, 3, 0, keys)


def _repeat_heads(node: Node, x: Value, heads: object) -> Value:
    """Repeats each of the G heads of x for all query heads of its group."""
    (groups,) = node.static(x.shape[1:2], "the number of heads")
    if groups == heads:
        return x
    assert isinstance(heads, int)
    node.reserve(heads)
    return node.emit("gather", x, node.constant(np.arange(heads) // (heads // groups), np.int64), axis=1)


@dataclass(frozen=True)
class KeyValueCache:
    """The cache and the new keys that continue it.

    `past`: the number of keys that each sequence has before the `length` new ones, an integer or i32 `[B, 1,
    1, 1]`; `total`: the largest number of keys of a sequence with them.
    """

    batch: Dim
    length: Dim
    total: Dim
    past: int | Value


@onnx_operator("GroupQueryAttention", domain=MICROSOFT)
def group_query_attention(node: Node) -> list[Value | None]:
    """Imports GroupQueryAttention.

    Inputs: queries, keys, values (or all side by side as queries), past keys and values `[B, G, P, D]`, the
    last key's position per sequence, the number of keys, tables of cosines and sines, positions, the addend
    of scores. Outputs: `[B, S, N * D]`, present keys and values.
    """
    refuse(node, [12, 13, 14, 15], ["qk_output", "sliding_window_cache", "kv_cache_bit_width"])
    q, k, v = _heads(node)
    cache = _cache(node, q)
    if node.attr("do_rotary", 0):
        tables, interleaved = (node.input(7), node.input(8)), bool(node.attr("rotary_interleaved", 0))
        position_ids = _positions(node, cache)
        rows = [look_up(node, table, position_ids, 0, negative=False) for table in tables]
        q, k = (rotate(node, value, rows, interleaved) for value in (q, k))
    keys, present = _append_to_cache(node, k, node.optional(3), cache)
    values, present_values = _append_to_cache(node, v, node.optional(4), cache)
    (size,) = node.static(q.shape[3:], "the size of a head")
    scale = float(node.attr("scale", 0.0)) or 1 / math.sqrt(size)
    cap, sink = float(node.attr("softcap", 0.0)), _sink(node, q)
    # Where every sequence has as many keys, the op itself masks those after a query.
    plain = not cap and sink is None
    causal = bool(node.attr("causal", 1)) and isinstance(cache.past, int) and plain
    mask = score_mask(node, q, _visible_keys(node, cache, causal), node.optional(10), _lowest(q))
    heads = (q, keys, values)
    if plain:
        return [attend(node, heads, mask, scale, causal=causal), present, present_values]
    return [attended_in_parts(node, heads, mask, scale, cap, sink), present, present_values]


def _sink(node: Node, q: Value) -> Value | None:
    """Returns one more score for each head, `[1, N, 1, 1]`: the input, or 0 where the softmax is to be
    smooth."""
    given = node.optional(11)
    if given is not None:
        return node.reshape(given, [1, *given.shape, 1, 1])
    if node.attr("smooth_softmax", -1) > 0:
        return node.constant(np.zeros((1, 1, 1, 1), q.dtype))
    return None


def _lowest(x: Value) -> float:
    return float(ml_dtypes.finfo(x.dtype).min)  # type: ignore[no-untyped-call]


def _heads(node: Node) -> tuple[Value, Value, Value]:
    counts = int(node.attr("num_heads")), int(node.attr("kv_num_heads"))
    q, k, v = node.input(0), node.optional(1), node.optional(2)
    if k is None or v is None:
        (hidden,) = node.static(q.shape[2:], "the hidden size")
        size = hidden // (counts[0] + 2 * counts[1])
        ends = [0, counts[0] * size, (counts[0] + counts[1]) * size, hidden]
        q, k, v = (part(node, q, 2, ends[i], ends[i + 1] - ends[i]) for i in range(3))
    return split_heads(node, q, counts[0]), split_heads(node, k, counts[1]), split_heads(node, v, counts[1])


def _cache(node: Node, q: Value) -> KeyValueCache:
    batch, _, length, _ = q.shape
    [total] = node.read_dims(node.reshape(node.cast(node.input(6), TensorProto.INT64), [1]))
    if always_less(total, length):
        raise NodeError(f"total_sequence_length {total} is less than the {length} queries")
    given = node.optional(3)
    # The cache must have the last key of each sequence, even where all have as many keys.
    room = total if given is None else maximum(total, given.shape[2])
    expect_in_range(node, node.input(5), [room], negative=False)
    if total == length or (given is None and isinstance(total, Size)):
        return KeyValueCache(batch, length, length, 0)
    past = total - length
    if batch == 1 and isinstance(past, int):
        # The number of keys is the largest of all sequences, here that of the only one.
        return KeyValueCache(batch, length, total, past)
    last = node.reshape(node.input(5), [batch, 1, 1, 1])
    return KeyValueCache(batch, length, total, node.emit("sub", last, _i32_scalar(node, length - 1)))


def _i32_scalar(node: Node, dim: Dim) -> Value:
    """Returns a dim as a scalar of i32."""
    if isinstance(dim, int):
        return node.constant(dim, "int32")
    return node.cast(node.size(dim), TensorProto.INT32)


def _positions(node: Node, cache: KeyValueCache) -> Value:
    """Returns the positions `[B, S]`, or `[1, S]` where they are equal in all sequences."""
    given = node.optional(9)
    if given is not None:
        return given
    if isinstance(cache.past, int):
        return node.cast(positions(node, cache.length, [1, cache.length], cache.past), TensorProto.INT64)
    steps = positions(node, cache.length, [1, cache.length])
    first = node.reshape(cache.past, [cache.batch, 1])
    return node.cast(node.emit("add", first, steps), TensorProto.INT64)


def _append_to_cache(node: Node, new: Value, past: Value | None, cache: KeyValueCache) -> tuple[Value, Value]:
    """Returns all keys `[B, G, total, D]`, and the cache that holds them, which is as long as the old one
    where that is longer.

    Raises NodeError without the past keys that the total needs.
    """
    if past is None:
        if cache.past != 0:
            raise NodeError(f"it has {cache.total} keys, but no past keys")
        return new, new
    room = past.shape[2]
    if isinstance(cache.past, int):
        old = [part(node, past, 2, 0, cache.past)] if cache.past else []
        keys = node.emit("concat", *old, new, axis=2) if old else new
    else:
        keys = _gather_keys(node, new, past, room, cache)
    if not always_less(cache.total, room) and not isinstance(room - cache.total, Size):
        return keys, keys
    tail = slice_axes(node, past, {2: (cache.total, maximum(room - cache.total, 0), 1)})
    return keys, node.emit("concat", keys, tail, axis=2)


def _gather_keys(node: Node, new: Value, past: Value, room: Dim, cache: KeyValueCache) -> Value:
    """Returns each sequence's past keys, followed by its new ones."""
    assert isinstance(cache.past, Value)
    both = node.emit("concat", past, new, axis=2)
    key_positions = positions(node, cache.total, [1, 1, cache.total, 1])
    is_old = node.emit("less", key_positions, cache.past)
    new_index = node.emit("add", node.emit("sub", key_positions, cache.past), _i32_scalar(node, room))
    # Shorter sequences are padded with copies of their last key, which no query attends to.
    last = _i32_scalar(node, room + cache.length - 1)
    index = node.emit("where", is_old, key_positions, node.emit("min", new_index, last))
    wide = node.expand(index, [cache.batch, new.shape[1], cache.total, new.shape[3]])
    return node.emit("gather_elements", both, wide, axis=2)


def _visible_keys(node: Node, cache: KeyValueCache, causal: bool) -> list[Value]:
    """Returns which keys a query attends to, beyond the op's causal mask."""
    kept: list[Value] = []
    keys = positions(node, cache.total, [1, 1, 1, cache.total])
    own = positions(node, cache.length, [1, 1, cache.length, 1])
    own = node.emit(
        "add", own, node.constant(cache.past, "int32") if isinstance(cache.past, int) else cache.past
    )
    if node.attr("causal", 1) and not causal:
        kept.append(node.emit("less_equal", keys, own))
    window = int(node.attr("local_window_size", -1))
    if window > 0:
        first = node.emit("sub", own, node.constant(window, "int32"))
        kept.append(node.emit("greater", keys, first))
    return kept
