"""Grouped heads as a dim of their own: the queries of a group then read one head of keys and values."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op


def is_grouped(op: ir.Operation) -> bool:
    """Whether several heads of queries share one of several heads of keys and values."""
    query, key = (graph.shape_of(operand)[-3] for operand in list(op.operands)[:2])
    return key not in (1, query)


def split_groups(op: ir.Operation) -> ir.Value:
    """Attention of known shape with queries `[..., G, H/G, S, D]`, and with keys and values
    `[..., G, 1, T, D]`."""
    q, k, v, *masks = list(op.operands)
    heads, groups = graph.shape_of(q)[-3], graph.shape_of(k)[-3]
    sizes = [groups, heads // groups]
    operands = [_split(q, sizes), _split(k, [groups, 1]), _split(v, [groups, 1])]
    for mask in masks:
        shape = graph.shape_of(mask)
        operands.append(mask if len(shape) < 3 else _split(mask, [1, 1] if shape[-3] == 1 else sizes))
    attributes = {name: graph.attribute(op, name) for name in ("scale", "causal", "fill", "safe")}
    split = graph.build("attention", operands, attributes)
    return graph.reshape_to(split, graph.dims_of(op.results[0]))


def _split(value: ir.Value, sizes: Sequence[int]) -> ir.Value:
    """The value with two dims, of `sizes`, in place of the one of heads. Before a transpose: behind it, a
    reshape would stand between it and its reader."""
    axis = value.type.rank - 3
    op = defining_op(value, "graph.transpose")
    if op is None:
        return _with_dims(value, axis, sizes)
    order = graph.attribute(op, "permutation")
    source = _with_dims(op.operands[0], order[axis], sizes)
    moved = [place + (place > order[axis]) for place in order]
    moved.insert(axis + 1, moved[axis] + 1)
    return graph.build("transpose", [source], {"permutation": moved})


def _with_dims(value: ir.Value, axis: int, sizes: Sequence[int]) -> ir.Value:
    shape = graph.dims_of(value)
    return graph.reshape_to(value, [*shape[:axis], *sizes, *shape[axis + 1 :]])
