"""Rules of graph-recognize-idioms for rotary position embedding (RoFormer, arXiv:2104.09864)."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op
from mlc.passes.exactness import rounding
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.terms import operand_of_negation
from mlc.passes.graph.common.values import both_orders
from mlc.passes.graph.simplify.slice_rules import Part, parts


def _width(x: ir.Value) -> int:
    """The last dim where it is known and even, else 0."""
    width = (graph.shape_of(x) or [None])[-1]
    return width if width is not None and width % 2 == 0 else 0


def _is_half(value: ir.Value, x: ir.Value, start: int, step: int) -> bool:
    """Whether the value is half of x's last dim, from `start` at distance `step`.

    Where x is a slice itself, the value may be one of the same source."""
    op, base = defining_op(value, graph.Slice.NAME), defining_op(x, graph.Slice.NAME)
    if op is None:
        return False
    *others, last = parts(op)
    half = _width(x) // 2
    if op.operands[0] == x:
        dims = graph.shape_of(x)[:-1]
        whole = all(part.is_whole(dim) for part, dim in zip(others, dims, strict=True))
        return whole and (last.start, last.step) == (start, step) and last.size in (half, -1)
    if base is None or base.operands[0] != op.operands[0]:
        return False
    *same, taken = parts(base)
    return others == same and taken.step == 1 and last == Part(taken.start + start, half, step)


def _without_unit_dim(value: ir.Value) -> ir.Value:
    """Returns `y` of a view that adds a last dim of 1 to `y`."""
    op = defining_op(value)
    if op is None or op.name not in (graph.Unsqueeze.NAME, graph.Reshape.NAME):
        return value
    added = (*graph.dims_of(graph.Reshaping(op).x), 1)
    return graph.Reshaping(op).x if added == graph.dims_of(value) else value


def _pair(value: ir.Value) -> tuple[ir.Value, ir.Value] | None:
    """The two operands of a concat along the last dim."""
    op = defining_op(value, graph.Concat.NAME)
    if op is None or len(op.operands) != 2 or graph.Concat(op).axis != graph.Concat(op).result.type.rank - 1:
        return None
    first, second = op.operands
    return first, second


def _is_pair(found: tuple[ir.Value, ir.Value] | None, x: ir.Value, distance: int, step: int) -> bool:
    """Whether the two are -b and a, where a and b are halves of x, b `distance` after a."""
    minus = operand_of_negation(found[0]) if found else None
    if found is None or minus is None:
        return False
    return _is_half(found[1], x, 0, step) and _is_half(minus, x, distance, step)


def _rotation(value: ir.Value, x: ir.Value) -> str | None:
    """Returns how the value pairs elements (a, b) of x as (-b, a): "halves" or "neighbours"; None if it does
    not."""
    op = defining_op(value)
    if op is None or not _width(x) or not graph.same_type(value, x):
        return None
    if op.name == graph.Concat.NAME:
        return "halves" if _is_pair(_pair(value), x, _width(x) // 2, 1) else None
    found = _pair(graph.Reshape(op).x) if op.name == graph.Reshape.NAME else None
    found = (_without_unit_dim(found[0]), _without_unit_dim(found[1])) if found else None
    return "neighbours" if _is_pair(found, x, 1, 2) else None


@rounding
def rotary_embedding(op: ir.Operation) -> ir.Value | None:
    """Replaces `x * cos + rotated(x) * sin`."""
    for straight, turned in both_orders(op):
        if not graph.same_type(straight, turned):
            return None
        for x, cosine in both_orders(defining_op(straight, graph.Mul.NAME)):
            for rotated, sine in both_orders(defining_op(turned, graph.Mul.NAME)):
                pairing = _rotation(rotated, x)
                if pairing and _spans(cosine, x) and _spans(sine, x):
                    attributes = {"interleaved": pairing == "neighbours"}
                    return graph.build("rotary_embedding", [x, cosine, sine], attributes)
    return None


def _spans(factor: ir.Value, x: ir.Value) -> bool:
    """Whether a factor has x's last dim, and broadcasts to x."""
    dims, shape = graph.dims_of(factor), graph.dims_of(x)
    if not dims or len(dims) > len(shape) or dims[-1] != shape[-1]:
        return False
    aligned = zip(reversed(dims), reversed(shape), strict=False)
    return all(dim in (1, wanted) for dim, wanted in aligned)


def _products(value: ir.Value, name: str) -> list[tuple[ir.Value, ir.Value]]:
    """The operands of both products of a sum or difference, in each order of the four."""
    op = defining_op(value, name)
    if op is None:
        return []
    first, second = (defining_op(operand, graph.Mul.NAME) for operand in op.operands)
    return [] if first is None or second is None else [*both_orders(first), *both_orders(second)]


@rounding
def rotary_embedding_by_halves(op: ir.Operation) -> ir.Value | None:
    """[a * cos - b * sin, b * cos + a * sin] of the halves a and b of x, with factors of half the width."""
    concat = graph.Concat(op)
    found = _pair(concat.result)
    minus = _products(found[0], graph.Sub.NAME) if found else []
    plus = _products(found[1], graph.Add.NAME) if found else []
    for a, cosine in minus[:2]:
        source = graph.Slice.defining(a)
        for b, sine in minus[2:]:
            if source is None or (b, cosine) not in plus or (a, sine) not in plus:
                continue
            x = source.x
            halves = _is_half(a, x, 0, 1) and _is_half(b, x, _width(x) // 2, 1)
            if halves and graph.same_type(x, concat.result):
                return _with_both_halves(x, a, cosine, sine)
    return None


def _with_both_halves(x: ir.Value, half: ir.Value, cosine: ir.Value, sine: ir.Value) -> ir.Value | None:
    """The op, its factors repeated for the other half."""
    if not (_spans(cosine, half) and _spans(sine, half)):
        return None
    wide = [
        graph.build("concat", [factor, factor], {"axis": factor.type.rank - 1}) for factor in (cosine, sine)
    ]
    return graph.build("rotary_embedding", [x, *wide], {"interleaved": False})


RULES: Rules = {graph.Add.NAME: (rotary_embedding,), graph.Concat.NAME: (rotary_embedding_by_halves,)}
