"""The heads of keys and values: as they are stored, transposed, or repeated for groups of queries.

Grouped heads as a separate dim: the queries of a group then read one head of keys and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.dim_names import Shape
from mlc.dialects.graph.sizes import Size
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
    """The value with two dims, of `sizes`, instead of the one of heads. Before a transpose: after it, a
    reshape would stand between it and its reader."""
    axis = value.type.rank - 3
    op = graph.Transpose.defining(value)
    if op is None:
        return _with_dims(value, axis, sizes)
    order = list(op.permutation)
    source = _with_dims(op.x, order[axis], sizes)
    moved = [index + (index > order[axis]) for index in order]
    moved.insert(axis + 1, moved[axis] + 1)
    return graph.build("transpose", [source], {"permutation": moved})


def _with_dims(value: ir.Value, axis: int, sizes: Sequence[int]) -> ir.Value:
    shape = graph.dims_of(value)
    return graph.reshape_to(value, [*shape[:axis], *sizes, *shape[axis + 1 :]])


@dataclass
class Heads:
    """The keys or values of attention: `source` transposed by `permutation`, then of shape `shape`."""

    source: ir.Value
    permutation: list[int]
    shape: list[int | Size]

    def build(self) -> ir.Value:
        """The value itself."""
        value = self.source
        if self.permutation != sorted(self.permutation):
            value = graph.build("transpose", [value], {"permutation": self.permutation})
        return graph.reshape_to(value, self.shape)


def heads(value: ir.Value, transposed: bool) -> Heads:
    """The value, or it with its last two dims exchanged, as one transpose of what it is a transpose of."""
    rank, shape = value.type.rank, list(graph.dims_of(value))
    if not transposed:
        return Heads(value, list(range(rank)), shape)
    permutation = [*range(rank - 2), rank - 1, rank - 2]
    shape = [shape[axis] for axis in permutation]
    op = graph.Transpose.defining(value)
    if op is not None:
        inner = list(op.permutation)
        value, permutation = op.x, [inner[axis] for axis in permutation]
    return Heads(value, permutation, shape)


def _before_repetition(heads: Heads) -> Heads | None:
    """Returns `x [..., G, T, D]` of `reshape(expand(x as [..., G, 1, T, D]))` `[..., H, T, D]`: heads
    repeated in place."""
    view = graph.Reshape.defining(heads.source)
    expand = defining_op(view.x, graph.Expand.NAME) if view is not None else None
    if expand is None or heads.permutation != sorted(heads.permutation):
        return None
    inner, full = graph.dims_of(expand.operands[0]), graph.dims_of(expand.results[0])
    if len(full) != len(heads.shape) + 1 or len(inner) != len(full) or inner[-3] != 1:
        return None
    joined = [*full[:-4], full[-4] * full[-3], *full[-2:]]
    once = [*inner[:-3], *inner[-2:]]
    if joined != heads.shape or not graph.can_compute_dims(once) or once != [*full[:-3], *full[-2:]]:
        return None
    return Heads(_before_view(expand.operands[0], once), list(range(len(once))), once)


def _before_view(value: ir.Value, shape: list[int | Size]) -> ir.Value:
    """Returns the operand of the view that makes the value, where it has the shape; else the value."""
    op = defining_op(value)
    if op is None or op.name not in (graph.Reshape.NAME, graph.Unsqueeze.NAME):
        return value
    return graph.Reshaping(op).x if graph.dims_of(graph.Reshaping(op).x) == tuple(shape) else value


def without_repetition(key: Heads, value: Heads) -> tuple[Heads, Heads]:
    """Returns keys and values without repetition of their heads, where both are repeated."""
    k, v = _before_repetition(key), _before_repetition(value)
    return (key, value) if k is None or v is None or k.shape[-3] != v.shape[-3] else (k, v)


def fits(query: Shape, key: Heads, value: Heads) -> bool:
    """Whether ranks and heads are attention's."""
    if len({len(query), len(key.shape), len(value.shape)}) != 1 or len(query) < 3:
        return False
    q, k, v = query[-3], key.shape[-3], value.shape[-3]
    if isinstance(q, Size) and q == k == v:
        return True
    return isinstance(q, int) and isinstance(k, int) and k == v and k > 0 and q % k == 0
