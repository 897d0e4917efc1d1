"""ONNX's Attention where `graph.attention` expresses it; all other calls import the body of ONNX's schema."""

from __future__ import annotations

import math

from mlc.frontends.onnx.node import Node, TakesBody
from mlc.frontends.onnx.operators.common.attention_heads import join_heads, split_heads
from mlc.frontends.onnx.registry import onnx_operator
from mlc.frontends.onnx.values import Value

# The optional inputs, and the outputs after the result.
_MORE_INPUTS, _MORE_OUTPUTS = range(3, 7), range(1, 4)
# The attributes that are read here; future opsets may have others.
_KNOWN = {
    *("is_causal", "kv_num_heads", "q_num_heads", "qk_matmul_output_mode", "scale", "softcap"),
    "softmax_precision",
}


@onnx_operator("Attention", since=23)
def attention(node: Node) -> Value:
    """Imports Attention of static sizes, `[B, N, S, D]`, or `[B, S, N * D]` with the number of heads.

    Raises TakesBody for masks other than a causal one of as many queries as keys.
    """
    if not _is_plain(node):
        raise TakesBody
    q, k, v = (node.input(index) for index in range(3))
    joined = q.rank == 3
    if joined:
        counts = [int(node.attr(name)) for name in ("q_num_heads", "kv_num_heads", "kv_num_heads")]
        q, k, v = (split_heads(node, value, count) for value, count in zip((q, k, v), counts, strict=True))
    causal = bool(node.attr("is_causal", 0))
    if causal and q.shape[2] != k.shape[2]:
        raise TakesBody
    scale = node.attr("scale", None)
    if scale is None:
        [size] = node.static([q.shape[3]], "the size of keys")
        scale = 1 / math.sqrt(size)
    result = node.emit("attention", q, k, v, scale=float(scale), causal=causal)
    return join_heads(node, result) if joined else result


def _is_plain(node: Node) -> bool:
    given = [node.input(index) for index in range(3)]
    sizes_known = all(isinstance(dim, int) and dim > 0 for value in given for dim in value.shape)
    equal_ranks = len({value.rank for value in given}) == 1 and given[0].rank in (3, 4)
    heads = given[0].rank == 4 or all(node.attr(name, 0) for name in ("q_num_heads", "kv_num_heads"))
    alone = all(node.optional(index) is None for index in _MORE_INPUTS)
    one_result = not any(node.wants(output) for output in _MORE_OUTPUTS)
    usual = not node.attr("softcap", 0.0) and node.attr("softmax_precision", 1) in (0, 1)
    known = _KNOWN.issuperset(node.attributes)
    return sizes_known and equal_ranks and heads and alone and one_result and usual and known
