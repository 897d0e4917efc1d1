"""Attention and rotary position embedding, which exporters of transformers write as many ops."""

from __future__ import annotations

from mlc.dialects.graph.elements import FLOAT
from mlc.dialects.graph.shape_rules import broadcast, check_fills, merge
from mlc.dialects.graph.sizes import differ, falls_below
from mlc.dialects.graph.spec import (
    Attribute,
    Dim,
    GraphTensor,
    OpCall,
    OperandSpec,
    OpSpec,
    ShapeError,
    define,
    define_family,
)

FAMILY = define_family(
    "attention",
    "Ops that passes recognise in the front end's products, softmax and movement, and that are decomposed "
    "again where no kernel computes them as one.",
)


def _heads(call: OpCall) -> None:
    """Raises ShapeError unless the heads of k and v divide those of q."""
    query, key = call.q.shape[-3], call.k.shape[-3]
    heads = merge("k, v", key, call.v.shape[-3], f"heads of {call.k} and {call.v} differ")
    if heads is None or query == heads:
        return
    if falls_below(heads, 1) or (query is not None and differ(query % heads, 0)):
        raise ShapeError("k", f"has {heads} heads, which do not divide the {query} of q: {call.k}")


def _attention(call: OpCall) -> GraphTensor:
    q, k, v = call.q, call.k, call.v
    for name in ("q", "k", "v"):
        if call[name].rank < 3 or call[name].rank != q.rank:
            raise ShapeError(name, f"needs rank 3 or more, and q's: {call[name]}")
    _heads(call)
    merge("k", q.shape[-1], k.shape[-1], f"last dims of {q} and {k} differ")
    keys = merge("v", k.shape[-2], v.shape[-2], f"keys of {k} and {v} differ")
    batch = broadcast(q=q.shape[:-3], k=k.shape[:-3], v=v.shape[:-3])
    rows = (*batch, *q.shape[-3:-1])
    if call.mask is not None:
        _check_mask(call.mask, GraphTensor((*rows, keys), q.element))
    return GraphTensor((*rows, v.shape[-1]), q.element)


def _check_mask(mask: GraphTensor, scores: GraphTensor) -> None:
    if mask.element not in ("i1", scores.element):
        raise ShapeError("mask", f"has elements {mask.element}, neither i1 nor {scores.element} as q")
    check_fills("mask", mask, scores, "the scores")


define(
    OpSpec(
        "attention",
        FAMILY,
        "`softmax(scale * q k^T + mask) v` per head, the softmax over the keys",
        "q `[..., H, S, D]`, k `[..., G, T, D]`, v `[..., G, T, E]`, result `[..., H, S, E]` with q's "
        "elements; the leading dims broadcast. G divides H: head h of q attends to head `h / (H/G)` of k and "
        "v (grouped queries). mask broadcasts to the scores `[..., H, S, T]`: floats are added to them, and "
        "where an i1 is false the score becomes `fill`. `causal` keeps query s from keys t with "
        "`t - s > T - S`. The softmax of elements narrower than f32 is computed in f32.",
        ("Attention",),
        (
            OperandSpec("q", FLOAT),
            OperandSpec("k", FLOAT, like="q"),
            OperandSpec("v", FLOAT, like="q"),
            OperandSpec("mask", variadicity="optional"),
        ),
        _attention,
        (
            Attribute("scale", "float", "factor of the scores"),
            Attribute("causal", "bool", "the lowest finite value is added to later keys' scores", False),
            Attribute(
                "fill",
                "float",
                "the score of a key that a mask of i1 excludes, minus infinity if absent",
                None,
            ),
            Attribute("safe", "bool", "weights that are NaN (all keys excluded) count as 0", False),
        ),
    )
)


def _last(tensor: GraphTensor) -> Dim:
    return tensor.shape[-1] if tensor.shape else None


def _rotary_embedding(call: OpCall) -> GraphTensor:
    x: GraphTensor = call.x
    width = _last(x)
    if x.rank < 1 or (width is not None and differ(width % 2, 0)):
        raise ShapeError("x", f"needs an even last dim: {x}")
    for name in ("cos", "sin"):
        factor: GraphTensor = call[name]
        check_fills(name, factor, x, "x")
        merge(name, width, _last(factor), f"last dims of {x} and {factor} differ")
    return x


define(
    OpSpec(
        "rotary_embedding",
        FAMILY,
        "`x * cos + r * sin`, where r is x with each pair `(a, b)` of its last dim rotated to `(-b, a)`",
        "x `[..., D]` with an even D; cos and sin `[..., D]` broadcast to x, whose type the result has. "
        "Element i of the last dim pairs with `i + D/2`, or with its neighbour (`interleaved`).",
        ("RotaryEmbedding",),
        (OperandSpec("x", FLOAT), OperandSpec("cos", FLOAT, like="x"), OperandSpec("sin", FLOAT, like="x")),
        _rotary_embedding,
        (Attribute("interleaved", "bool", "pairs are elements 2i and 2i + 1", False),),
    )
)
