"""Attention as computations on scores whose outer dim is the keys: `scores[key, query]`.

The softmax then reduces columns of vectors of queries, without sums across a vector, and any number of keys
is a number of rows, and of reduction steps of the second matmul.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.bindings import arith, ir, linalg
from mlc.dialects import graph
from mlc.passes.base import PassError
from mlc.passes.common.linalg_builders import (
    affine_map,
    broadcast_map,
    constant,
    dims,
    empty,
    full_tensor,
    generic,
    index_value,
    static_shape,
    tensor_type,
)
from mlc.passes.common.named_blocks import BLOCK_TAG
from mlc.passes.graph.attention.heads import is_grouped
from mlc.passes.graph.attention.kernel import obstacle
from mlc.passes.lowering.common.rule import rule
from mlc.passes.lowering.common.scalars import add, maximum_step, mul, sub
from mlc.passes.lowering.rules.contraction import multiply_add, permute_results, read_through_transpose
from mlc.passes.lowering.rules.normalisation import power_of
from mlc.passes.lowering.rules.reduction import lowest, reduce, sum_step


def _name(value: ir.Value, name: str) -> ir.Value:
    """Names the computation of `value` for schedules."""
    value.owner.operation.attributes[BLOCK_TAG] = ir.StringAttr.get(name)
    return value


def _contract(a: ir.Value, b: ir.Value, reads: Sequence[Sequence[int]], shape: list[int]) -> ir.Value:
    """Contracts `a` and `b`, read through transposes by the iteration dims `reads`, over the last iteration
    dim; `shape` is the result's. Outer dims of 1 broadcast."""
    count = len(shape) + 1
    sources, maps = [], []
    for value, read in zip((a, b), reads, strict=True):
        source, order = read_through_transpose(value)
        extents = static_shape(value)
        results = [
            ir.AffineExpr.get_constant(0)
            if at < len(shape) - 2 and extents[at] != shape[at]
            else dims(count)[dim]
            for at, dim in enumerate(read)
        ]
        sources.append(source)
        maps.append(affine_map(count, permute_results(results, order)))
    output = affine_map(count, dims(count)[:-1])
    start = full_tensor(shape, tensor_type(a).element_type, 0)
    return generic(sources, maps, start, output, multiply_add, reductions=[count - 1])


def _mask(attention: graph.Attention, scores: ir.Value) -> ir.Value:
    """Applies scale, mask and causal mask to the scores `[..., S, T]`, those that there are."""
    *leading, keys, queries = static_shape(scores)
    mask = [] if attention.mask is None else [attention.mask]
    scale, causal = attention.scale, attention.causal
    if not mask and not causal and scale == 1:
        return scores
    count = len(leading) + 2
    swapped = [*dims(count)[:-2], dims(count)[-1], dims(count)[-2]]
    read = broadcast_map(static_shape(mask[0]), [*leading, queries, keys]) if mask else None
    reads = (
        [affine_map(count, [result.compose(affine_map(count, swapped)) for result in read.results])]
        if read
        else []
    )

    def body(score: ir.Value, *rest: ir.Value) -> ir.Value:
        value = mul(score, constant(score.type, scale)) if scale != 1 else score
        if mask:
            value = add(value, rest[0])
        return _mask_causal(value, count, keys - queries) if causal else value

    identity = affine_map(count, dims(count))
    output = empty(static_shape(scores), tensor_type(scores).element_type)
    return generic([scores, *mask], [identity, *reads], output, identity, body)


def _mask_causal(score: ir.Value, count: int, later: int) -> ir.Value:
    """Adds the lowest finite f32 to the scores of keys after a query's last one."""
    key, query = (linalg.IndexOp(dim).result for dim in (count - 2, count - 1))
    last = arith.addi(query, index_value(later))
    masked = arith.cmpi(arith.CmpIPredicate.sgt, key, last)
    low = constant(score.type, float(np.finfo(np.float32).min))
    return arith.select(masked, add(score, low), score)


def _safe(value: ir.Value, scale: ir.Value) -> ir.Value:
    """`value`, or 0 where all weights of a query are NaN, as their sum then is."""
    nothing = arith.cmpf(arith.CmpFPredicate.UNO, scale, scale)
    return arith.select(nothing, constant(value.type, 0), value)


@rule("attention")
def lower_attention(op: ir.Operation) -> list[ir.Value]:
    """Computes scores, mask, maximum, exponentials and their sum, values, and the quotient at the end. Keys
    and values have the leading dims of the queries, or dims of 1; elements are f32. Raises PassError for
    attention that does not fit."""
    attention = graph.Attention(op)
    reason = "its heads are grouped" if is_grouped(op) else obstacle(op)
    if reason is not None:
        raise PassError(f"attention is to be taken apart by graph-decompose-attention: {reason}", op.location)
    q, k, v = attention.q, attention.k, attention.v
    *leading, queries, _ = static_shape(q)
    batches = [zip(leading, static_shape(operand), strict=False) for operand in (k, v)]
    if any(dim not in (1, whole) for pairs in batches for whole, dim in pairs):
        raise PassError("whether queries, keys and values have the same batches is not known", op.location)
    keys, rank = static_shape(k)[-2], len(static_shape(q))
    outer = list(range(rank - 2))
    first, second, third = rank - 2, rank - 1, rank
    by_key, by_query = [*outer, first, third], [*outer, second, third]
    scores = _name(_contract(k, q, [by_key, by_query], [*leading, keys, queries]), "scores")
    powers, inverse = _softmax(_mask(attention, scores))
    reads = [[*outer, third, first], [*outer, third, second]]
    values = _name(_contract(powers, v, reads, static_shape(attention.result)), "values")
    return [_scale_rows(values, inverse, attention.safe)]


def _softmax(masked: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Returns the exponentials of scores less their maximum, and the reciprocal of their sum per query."""
    rank, element = len(static_shape(masked)), tensor_type(masked).element_type
    top = _name(reduce(masked, [rank - 2], lowest(element), maximum_step, False), "top")
    column = affine_map(rank, [*dims(rank)[:-2], dims(rank)[-1]])
    identity = affine_map(rank, dims(rank))
    # Written over the scores, which nothing reads any more.
    powers = generic([top], [column], masked, identity, lambda peak, score: power_of(sub(score, peak)))
    total = _name(reduce(_name(powers, "powers"), [rank - 2], 0, sum_step, False), "total")
    inverse = linalg.reciprocal(total, outs=[empty(static_shape(total), element)])
    return powers, _name(inverse, "inverse")


def _scale_rows(values: ir.Value, inverse: ir.Value, safe: bool) -> ir.Value:
    """Multiplies the row of each query by its factor."""
    shape = static_shape(values)
    rank = len(shape)
    identity, row = affine_map(rank, dims(rank)), affine_map(rank, dims(rank)[:-1])

    def body(x: ir.Value, scale: ir.Value, _old: ir.Value) -> ir.Value:
        return _safe(mul(x, scale), scale) if safe else mul(x, scale)

    output = empty(shape, tensor_type(values).element_type)
    return generic([values, inverse], [identity, row], output, identity, body)
