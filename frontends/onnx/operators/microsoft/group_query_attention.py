"""GroupQueryAttention: attention of groups of query heads, with rotary embedding and a cache of keys.

Attention whose scores are capped, or whose softmax has one more score that no key has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from onnx import TensorProto

from mlc.dialects.graph.sizes import Size, maximum, surely_less
from mlc.frontends.onnx.node import Node, NodeError
from mlc.frontends.onnx.operators.common.attention_heads import (
    attended,
    joined_heads,
    positions,
    score_mask,
    split_heads,
)
from mlc.frontends.onnx.operators.common.dynamic_values import sliced
from mlc.frontends.onnx.operators.math.contraction import scaled, transposed
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.operators.microsoft.attention import refuse
from mlc.frontends.onnx.operators.microsoft.rotary_embedding import rotated
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


@dataclass(frozen=True)
class Cache:
    """How the new keys continue those of the cache. `past`: how many keys each sequence has before the
    `length` new ones, a number or i32 `[B, 1, 1, 1]`; `total`: the most keys that a sequence then has."""

    batch: Dim
    length: Dim
    total: Dim
    past: int | Value


@onnx_operator("GroupQueryAttention", domain=MICROSOFT)
def group_query_attention(node: Node) -> list[Value | None]:
    """Inputs: queries, keys, values (or all side by side as queries), past keys and values `[B, G, P, D]`,
    the last key's place per sequence, the number of keys, tables of cosines and sines, positions, what is
    added to scores. Outputs: `[B, S, N * D]`, present keys and values."""
    refuse(node, [12, 13, 14, 15], ["qk_output", "sliding_window_cache", "kv_cache_bit_width"])
    q, k, v = _heads(node)
    cache = _cache(node, q)
    if node.attr("do_rotary", 0):
        tables, interleaved = (node.input(7), node.input(8)), bool(node.attr("rotary_interleaved", 0))
        places = _positions(node, cache)
        q, k = (rotated(node, each, places, tables, interleaved) for each in (q, k))
    keys, present = _continued(node, k, node.optional(3), cache)
    values, present_values = _continued(node, v, node.optional(4), cache)
    (size,) = node.static(q.shape[3:], "the size of a head")
    scale = float(node.attr("scale", 0.0)) or 1 / math.sqrt(size)
    cap, sink = float(node.attr("softcap", 0.0)), _sink(node, q)
    # Where every sequence has as many keys, the op itself leaves out those behind a query.
    plain = not cap and sink is None
    causal = bool(node.attr("causal", 1)) and isinstance(cache.past, int) and plain
    mask = score_mask(node, q, _kept(node, cache, causal), node.optional(10), _lowest(q))
    heads = (q, keys, values)
    if plain:
        return [attended(node, heads, mask, scale, causal=causal), present, present_values]
    return [attended_in_parts(node, heads, mask, scale, cap, sink), present, present_values]


def _sink(node: Node, q: Value) -> Value | None:
    """One more score for each head, `[1, N, 1, 1]`: the input, or 0 where the softmax is to be smooth."""
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


def _cache(node: Node, q: Value) -> Cache:
    batch, _, length, _ = q.shape
    [total] = node.read_dims(node.reshape(node.cast(node.input(6), TensorProto.INT64), [1]))
    if surely_less(total, length):
        raise NodeError(f"total_sequence_length {total} is less than the {length} queries")
    if total == length or (node.optional(3) is None and isinstance(total, Size)):
        return Cache(batch, length, length, 0)
    past = total - length
    if batch == 1 and isinstance(past, int):
        # The number of keys is the largest of all sequences: that of the only one.
        return Cache(batch, length, total, past)
    last = node.reshape(node.input(5), [batch, 1, 1, 1])
    return Cache(batch, length, total, node.emit("sub", last, _number(node, length - 1)))


def _number(node: Node, dim: Dim) -> Value:
    """A dim as a scalar of i32."""
    if isinstance(dim, int):
        return node.constant(dim, "int32")
    return node.cast(node.size(dim), TensorProto.INT32)


def _positions(node: Node, cache: Cache) -> Value:
    """`[B, S]`, or `[1, S]` where all sequences are alike."""
    given = node.optional(9)
    if given is not None:
        return given
    if isinstance(cache.past, int):
        return node.cast(positions(node, cache.length, [1, cache.length], cache.past), TensorProto.INT64)
    steps = positions(node, cache.length, [1, cache.length])
    first = node.reshape(cache.past, [cache.batch, 1])
    return node.cast(node.emit("add", first, steps), TensorProto.INT64)


def _continued(node: Node, new: Value, past: Value | None, cache: Cache) -> tuple[Value, Value]:
    """All keys `[B, G, total, D]`, and the cache that holds them: as long as the old one where that is
    longer."""
    if past is None:
        if cache.past != 0:
            raise NodeError(f"it has {cache.total} keys, but no past keys")
        return new, new
    room = past.shape[2]
    if isinstance(cache.past, int):
        old = [part(node, past, 2, 0, cache.past)] if cache.past else []
        keys = node.emit("concat", *old, new, axis=2) if old else new
    else:
        keys = _gathered(node, new, past, room, cache)
    if not surely_less(cache.total, room) and not isinstance(room - cache.total, Size):
        return keys, keys
    tail = sliced(node, past, {2: (cache.total, maximum(room - cache.total, 0), 1)})
    return keys, node.emit("concat", keys, tail, axis=2)


def _gathered(node: Node, new: Value, past: Value, room: Dim, cache: Cache) -> Value:
    """Each sequence's past keys, then its new ones: places in both side by side."""
    assert isinstance(cache.past, Value)
    both = node.emit("concat", past, new, axis=2)
    places = positions(node, cache.total, [1, 1, cache.total, 1])
    is_old = node.emit("less", places, cache.past)
    behind = node.emit("add", node.emit("sub", places, cache.past), _number(node, room))
    # Shorter sequences end in copies of their last key, which no query sees.
    last = _number(node, room + cache.length - 1)
    index = node.emit("where", is_old, places, node.emit("min", behind, last))
    wide = node.expand(index, [cache.batch, new.shape[1], cache.total, new.shape[3]])
    return node.emit("gather_elements", both, wide, axis=2)


def _kept(node: Node, cache: Cache, causal: bool) -> list[Value]:
    """Which keys a query sees, beside what the op's own causal mask leaves out."""
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
