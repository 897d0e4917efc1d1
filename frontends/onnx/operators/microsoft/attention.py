"""Attention, MultiHeadAttention and QAttention of com.microsoft."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlc.frontends.onnx.node import Node, NodeError, UnsupportedNodeError
from mlc.frontends.onnx.operators.common.attention_heads import attend, kept_keys, score_mask, split_heads
from mlc.frontends.onnx.operators.microsoft import MICROSOFT
from mlc.frontends.onnx.operators.microsoft.activations import part
from mlc.frontends.onnx.operators.microsoft.quantised import integer_product
from mlc.frontends.onnx.operators.nn.normalisation import affine
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value


@onnx_operator("QAttention", domain=MICROSOFT)
def quantised_attention(node: Node) -> list[Value | None]:
    """Imports QAttention, whose projection is a product of integers.

    Inputs: x, weights, bias of floats, scales of x and weights, mask, their zero points, past.
    """
    refuse(node, [], ["do_rotary", "past_present_share_buffer"])
    zeros, scales = (node.optional(6), node.optional(7)), (node.input(3), node.input(4))
    product = integer_product(node, node.input(0), node.input(1), zeros, scales)
    projected = affine(node, product, None, node.input(2))
    return self_attention(node, projected, mask=node.optional(5), past=node.optional(8), added=None)


# The value that is added to excluded scores.
EXCLUDED = -10000.0


def refuse(node: Node, inputs: Sequence[int], attributes: Sequence[str]) -> None:
    """Raises UnsupportedNodeError where one of these inputs is given, or one of these attributes is not 0."""
    names = [name for name in attributes if node.attr(name, 0)]
    if names or any(node.optional(i) is not None for i in inputs):
        given = names or [f"input {i}" for i in inputs if node.optional(i) is not None]
        raise UnsupportedNodeError(f"{' and '.join(given)} is not supported")


@onnx_operator("Attention", domain=MICROSOFT)
def attention(node: Node) -> list[Value | None]:
    """Imports Attention.

    Inputs: x `[B, S, D]`, weights of queries, keys and values side by side, their bias, mask, past `[2, B, N,
    P, H]`, the addend of scores. Outputs: `[B, S, hidden]`, present.
    """
    refuse(node, [6], ["do_rotary", "past_present_share_buffer", "rotary_embedding_dim"])
    weights = node.input(1)
    whole = affine(node, node.emit("matmul", node.input(0), weights), None, node.optional(2))
    return self_attention(node, whole, mask=node.optional(3), past=node.optional(4), added=node.optional(5))


def self_attention(
    node: Node, projected: Value, mask: Value | None, past: Value | None, added: Value | None
) -> list[Value | None]:
    """Returns the result and present of attention of `[B, S, queries, keys, values]`, the last three side by
    side.

    The attributes are those of `Attention`. Raises NodeError for hidden sizes that do not fit.
    """
    count = int(node.attr("num_heads"))
    (total,) = node.static(projected.shape[2:], "the hidden size")
    sizes = [int(size) for size in node.attr("qkv_hidden_sizes", ())] or [total // 3] * 3
    if sum(sizes) != total:
        raise NodeError(f"hidden sizes {sizes} are not the {total} columns of the weights")
    starts = [0, sizes[0], sizes[0] + sizes[1]]
    parts = [part(node, projected, 2, start, size) for start, size in zip(starts, sizes, strict=True)]
    q, k, v = (split_heads(node, projection, count) for projection in parts)
    if past is not None:
        pasts = [node.emit("squeeze", part(node, past, 0, i, 1), axes=[0]) for i in (0, 1)]
        k, v = (node.emit("concat", old, new, axis=2) for old, new in zip(pasts, (k, v), strict=True))
    present = None
    if node.wants(1):
        present = node.emit("concat", *(node.emit("unsqueeze", value, axes=[0]) for value in (k, v)), axis=0)
    return [masked_attention(node, (q, k, v), mask, added), present]


def masked_attention(
    node: Node, heads: tuple[Value, Value, Value], mask: Value | None, added: Value | None
) -> Value:
    """Returns attention with the attributes scale, mask_filter_value and unidirectional."""
    q, k, _ = heads
    [size] = node.static([q.shape[3]], "the size of keys")
    excluded = float(node.attr("mask_filter_value", EXCLUDED))
    kept = [] if mask is None else [kept_keys(node, mask, k.shape[2])]
    scale = float(node.attr("scale", 0.0)) or 1 / math.sqrt(size)
    bias = score_mask(node, q, kept, added, excluded)
    return attend(node, heads, bias, scale, causal=bool(node.attr("unidirectional", 0)))


@onnx_operator("MultiHeadAttention", domain=MICROSOFT)
def multi_head_attention(node: Node) -> list[Value | None]:
    """Imports MultiHeadAttention.

    Inputs: queries, keys, values, bias, key mask, the addend of scores, past keys and values. Outputs: `[B,
    S, hidden]`, present keys and values.
    """
    refuse(node, [8, 9], [])
    if node.wants(3):
        raise UnsupportedNodeError("the output qk is not supported")
    q, k, v = _heads(node)
    pasts = [node.optional(i) for i in (6, 7)]
    if pasts[0] is not None and pasts[1] is not None:
        k, v = node.emit("concat", pasts[0], k, axis=2), node.emit("concat", pasts[1], v, axis=2)
    return [masked_attention(node, (q, k, v), node.optional(4), node.optional(5)), k, v]


def _heads(node: Node) -> tuple[Value, Value, Value]:
    """Returns queries, keys and values, `[B, N, S, D]`, from all accepted forms.

    These are three tensors `[B, S, N * D]`, keys and values as heads already, keys with values `[B, T, N, 2,
    D]`, or all in one `[B, S, N, 3, D]`.
    """
    count = int(node.attr("num_heads"))
    given = [x for x in (node.input(0), node.optional(1), node.optional(2)) if x is not None]
    packed = next((x for x in given if x.rank == 5), None)
    if packed is not None:
        [count_of_parts] = node.static(packed.shape[3:4], "how many tensors are packed")
        parts = [_packed_part(node, packed, i) for i in range(count_of_parts)]
        given = parts if packed is given[0] else [node.input(0), *parts]
    else:
        given = [node.input(i) for i in range(3)]
    bias = node.optional(3)
    start, heads = 0, []
    for x in given:
        if x.rank == 4:
            heads.append(x)
            continue
        (hidden,) = node.static(x.shape[2:], "the hidden size")
        biased = x if bias is None else node.emit("add", x, part(node, bias, 0, start, hidden))
        heads.append(split_heads(node, biased, count))
        start += hidden
    return heads[0], heads[1], heads[2]


def _packed_part(node: Node, packed: Value, index: int) -> Value:
    """Returns part `index` of `[B, S, N, count, D]` as `[B, S, N * D]`."""
    batch, length, heads, _, size = packed.shape
    return node.reshape(part(node, packed, 3, index, 1), [batch, length, heads * size])
