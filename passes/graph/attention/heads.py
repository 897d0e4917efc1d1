"""The heads of keys and values: as they lie in memory, transposed, or repeated for groups of queries."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.dim_names import Shape
from mlc.dialects.graph.sizes import Size
from mlc.passes.common.rewriting import defining_op


@dataclass
class Heads:
    """k or v as it will be: `source` transposed by `permutation`, then of shape `shape`."""

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
    op = defining_op(value, "graph.transpose")
    if op is not None:
        inner = graph.attribute(op, "permutation")
        value, permutation = op.operands[0], [inner[axis] for axis in permutation]
    return Heads(value, permutation, shape)


def _before_repetition(each: Heads) -> Heads | None:
    """x `[..., G, T, D]` of reshape(expand(x as [..., G, 1, T, D])) `[..., H, T, D]`: heads repeated in
    place."""
    view = defining_op(each.source, "graph.reshape")
    expand = defining_op(view.operands[0], "graph.expand") if view is not None else None
    if expand is None or each.permutation != sorted(each.permutation):
        return None
    inner, full = graph.dims_of(expand.operands[0]), graph.dims_of(expand.results[0])
    if len(full) != len(each.shape) + 1 or len(inner) != len(full) or inner[-3] != 1:
        return None
    joined = [*full[:-4], full[-4] * full[-3], *full[-2:]]
    once = [*inner[:-3], *inner[-2:]]
    if joined != each.shape or not graph.can_tell(once) or once != [*full[:-3], *full[-2:]]:
        return None
    return Heads(_before_view(expand.operands[0], once), list(range(len(once))), once)


def _before_view(value: ir.Value, shape: list[int | Size]) -> ir.Value:
    """What the value is a view of, where that has the shape; else the value."""
    op = defining_op(value)
    if op is None or op.name not in ("graph.reshape", "graph.unsqueeze"):
        return value
    return op.operands[0] if graph.dims_of(op.operands[0]) == tuple(shape) else value


def ungrouped(key: Heads, value: Heads) -> tuple[Heads, Heads]:
    """k and v without repetition of their heads, where both have it."""
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
