"""Rules of graph-recognize-idioms for rotary position embedding (RoFormer, arXiv:2104.09864)."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.exactness import rounding
from mlc.passes.graph.idiom_terms import both_orders, negated
from mlc.passes.graph.rules import Rules
from mlc.passes.graph.slice_rules import parts
from mlc.passes.rewriting import defining_op


def _part_of(value: ir.Value, start: int, step: int) -> ir.Value | None:
    """x of a slice of half of x's last dim from `start` at distance `step`, other dims whole."""
    op = defining_op(value, "graph.slice")
    if op is None:
        return None
    *others, last = parts(op)
    *dims, width = graph.shape_of(op.operands[0])
    halved = width is not None and width % 2 == 0 and last.size in (width // 2, -1)
    whole = all(part.is_whole(dim) for part, dim in zip(others, dims, strict=True))
    taken = (last.start, last.step) == (start, step)
    return op.operands[0] if halved and whole and taken else None


def _pair(op: ir.Operation | None, first: tuple[int, int], second: tuple[int, int]) -> ir.Value | None:
    """x of concat(-x[second], x[first]) along the last dim; each is (start, step)."""
    if op is None or op.name != "graph.concat" or len(op.operands) != 2:
        return None
    b, a = (_without_unit_dim(value) for value in op.operands)
    if graph.attribute(op, "axis") != op.results[0].type.rank - 1:
        return None
    minus = negated(b)
    x = _part_of(a, *first)
    return x if x is not None and minus is not None and _part_of(minus, *second) == x else None


def _without_unit_dim(value: ir.Value) -> ir.Value:
    """y of a view that adds a last dim of 1 to y."""
    op = defining_op(value)
    if op is None or op.name not in ("graph.unsqueeze", "graph.reshape"):
        return value
    added = [*graph.shape_of(op.operands[0]), 1]
    return op.operands[0] if added == graph.shape_of(value) and added.count(None) <= 1 else value


def _rotated(value: ir.Value) -> tuple[ir.Value, bool] | None:
    """x of x with each pair (a, b) as (-b, a), and whether pairs are neighbours."""
    op = defining_op(value)
    if op is None or op.name not in ("graph.concat", "graph.reshape"):
        return None
    width = graph.shape_of(value)[-1]
    if width is None or width % 2:
        return None
    if op.name == "graph.concat":
        x, interleaved = _pair(op, (0, 1), (width // 2, 1)), False
    else:
        x, interleaved = _pair(defining_op(op.operands[0]), (0, 2), (1, 2)), True
    return (x, interleaved) if x is not None and x.type == value.type else None


@rounding
def rotary_embedding(op: ir.Operation) -> ir.Value | None:
    """x * cos + rotated(x) * sin."""
    for straight, turned in both_orders(op):
        for rotated, sine in both_orders(defining_op(turned, "graph.mul")):
            found = _rotated(rotated)
            if found is None:
                continue
            x, interleaved = found
            factors = [b for a, b in both_orders(defining_op(straight, "graph.mul")) if a == x]
            if factors and all(_spans(factor, x) for factor in (factors[0], sine)):
                return graph.build("rotary_embedding", [x, factors[0], sine], {"interleaved": interleaved})
    return None


def _spans(factor: ir.Value, x: ir.Value) -> bool:
    """Whether a factor has x's last dim, and broadcasts to x."""
    dims, shape = graph.shape_of(factor), graph.shape_of(x)
    if not dims or len(dims) > len(shape) or dims[-1] != shape[-1]:
        return False
    aligned = zip(reversed(dims), reversed(shape), strict=False)
    return all(dim in (1, wanted) for dim, wanted in aligned)


RULES: Rules = {"graph.add": (rotary_embedding,)}
