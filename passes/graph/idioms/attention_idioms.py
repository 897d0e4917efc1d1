"""Rules of graph-recognize-idioms for attention: softmax(scale * q k^T + mask) v.

The softmax of attention, from the product with the values inwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use, users
from mlc.passes.exactness import rounding
from mlc.passes.graph.attention.heads import fits, heads, without_repetition
from mlc.passes.graph.common.rules import Rules
from mlc.passes.graph.common.terms import without_casts
from mlc.passes.graph.common.values import constant_and_other, has_result_type, scalar_constant, splat
from mlc.passes.graph.idioms.attention_masks import MaskChoice, Masks, lowest, simplify_masks
from mlc.passes.remarks import report_missed


@dataclass
class Weights:
    """The left operand of the matmul with v: `softmax(scores)`, with zeros for NaN where `safe`."""

    scores: ir.Value
    safe: bool


class Shared(Exception):
    """A value inside the idiom that something else reads, too."""


def only(value: ir.Value, what: str) -> ir.Value:
    """The value, which must have one use."""
    if not has_one_use(value):
        raise Shared(what)
    return value


def weights_of(value: ir.Value) -> Weights | None:
    """Matches the left operand of the matmul with v, where it is a softmax of rows."""
    guarded = _match_guard(value)
    inner = without_casts(value if guarded is None else guarded)
    op = graph.Softmax.defining(inner)
    if op is None or op.axis != op.result.type.rank - 1:
        return None
    for softmax in (value, inner) if guarded is None else (value,):
        only(softmax, "the softmax has another use")
    return Weights(without_casts(only(op.x, "the masked scores have another use")), guarded is not None)


def _match_guard(value: ir.Value) -> ir.Value | None:
    """Returns `p` of `where(is_nan(p), 0, p)`, where nothing else reads `p`."""
    op = graph.Where.defining(value)
    test = defining_op(op.condition, graph.IsNan.NAME) if op is not None else None
    if op is None or test is None or splat(op.x) != 0:
        return None
    p = op.y
    return p if test.operands[0] == p and len(users(p)) == 2 else None


def without_empty_rows(value: ir.Value) -> tuple[ir.Value | None, ir.Value]:
    """Returns `c` and `p` of `where(c, 0, p)`, where `c` chooses rows, whose products are 0 as well."""
    op = defining_op(without_casts(value), graph.Where.NAME)
    if op is None or splat(graph.Where(op).x) != 0 or _match_guard(graph.Where(op).result) is not None:
        return None, value
    condition, _, kept = op.operands
    if not condition.type.rank or graph.shape_of(condition)[-1] != 1:
        return None, value
    if not graph.same_type(kept, graph.Where(op).result):
        return None, value
    for softmax in (value, graph.Where(op).result):
        only(softmax, "the softmax has another use")
    return condition, kept


@dataclass
class Scores:
    """The scores `scale * (query x keys)`, keys transposed, and their masks."""

    query: ir.Value
    keys: ir.Value
    scale: float
    masks: Masks


def _scores(value: ir.Value, depth: int = 8) -> Scores | None:
    """Masks, scale and product, from the softmax's operand inwards."""
    op = defining_op(value)
    step = _STEPS.get(op.name) if op is not None else None
    return step(op, depth - 1) if step is not None and op is not None and depth else None


def _match_added_mask(op: ir.Operation, depth: int) -> Scores | None:
    """Matches `scores + mask`."""
    for position in (0, 1):
        inner = op.operands[position]
        found = _scores(inner, depth) if graph.same_type(inner, graph.Add(op).result) else None
        if found is not None:
            only(inner, "the scores have another use")
            found.masks.added_last |= bool(found.masks.chosen)
            found.masks.added.append(op.operands[1 - position])
            return found
    return None


def _match_chosen_mask(op: ir.Operation, depth: int) -> Scores | None:
    """where(mask, scores, number), and with the last two exchanged."""
    condition, kept, dropped = op.operands
    negative = splat(kept) is not None
    inner, constant = (dropped, kept) if negative else (kept, dropped)
    fill = splat(constant)
    whole = fill is not None and graph.same_type(inner, graph.Where(op).result)
    found = _scores(inner, depth) if whole else None
    if found is None or fill is None:
        return None
    only(inner, "the scores have another use")
    found.masks.chosen.append(MaskChoice(condition, float(fill), negative))
    return found


def _match_scale(op: ir.Operation, depth: int) -> Scores | None:
    """Matches `scores * c` or `scores / c` for a constant `c`, before any mask."""
    inner, factor = _split_factor(op)
    found = _scores(inner, depth) if inner is not None else None
    if inner is None or found is None or found.masks.added or found.masks.chosen:
        return None
    only(inner, "the scores have another use")
    found.scale *= factor
    return found


def _split_factor(op: ir.Operation) -> tuple[ir.Value | None, float]:
    """Returns `x` and `c` of `x * c`; `x / d` counts as `x * (1 / d)`."""
    if op.name == graph.Mul.NAME:
        found = constant_and_other(op)
        return (found[0], float(found[1])) if found else (None, 1.0)
    constant = splat(graph.Div(op).b) if op.name == graph.Div.NAME else None
    return (op.operands[0], 1.0 / float(constant)) if constant else (None, 1.0)


def _product(op: ir.Operation, _depth: int) -> Scores | None:
    """Matches `query x keys`, both of which may be scaled."""
    matmul = graph.Matmul(op)
    query, first = _without_scale(matmul.a)
    keys, second = _without_scale(matmul.b)
    return Scores(query, keys, first * second, Masks())


def _without_scale(value: ir.Value) -> tuple[ir.Value, float]:
    """Returns `x` and `c` of `x * c` that nothing else reads."""
    op = defining_op(value)
    if op is None or op.name not in (graph.Mul.NAME, graph.Div.NAME) or not has_one_use(value):
        return value, 1.0
    inner, factor = _split_factor(op)
    return (value, 1.0) if inner is None or not has_result_type(op, inner) else (inner, factor)


_STEPS = {
    graph.Add.NAME: _match_added_mask,
    graph.Where.NAME: _match_chosen_mask,
    graph.Mul.NAME: _match_scale,
    graph.Div.NAME: _match_scale,
    graph.Matmul.NAME: _product,
}


def _mask_operand(masks: Masks) -> tuple[list[ir.Value], float | None]:
    """The mask as operand (or none), and what replaces excluded scores. `masks` are at most one of each
    category."""
    if not masks.chosen:
        return masks.added, None
    choice = masks.chosen[0]
    truth = graph.build("not", [choice.mask]) if choice.negative else choice.mask
    if not masks.added:
        return [truth], choice.fill
    added = masks.added[0]
    fill = scalar_constant(choice.fill, added)
    # A key that both exclude has less weight than one that either excludes: a query may have no other keys.
    excluded = graph.build("add", [added, fill]) if masks.added_last else fill
    return [graph.build("where", [truth, added, excluded])], None


def _is_one_mask(masks: Masks) -> bool:
    """Whether the masks are one, or two that can be one without growing to the size of all scores."""
    if len(masks.chosen) > 1 or len(masks.added) > 1:
        return False
    if not (masks.chosen and masks.added):
        return True
    shapes = [graph.shape_of(masks.chosen[0].mask), graph.shape_of(masks.added[0])]
    return masks.chosen[0].fill <= lowest(masks.added[0]) and all(
        len(shape) < 3 or shape[-3] == 1 for shape in shapes
    )


@rounding
def attention(op: ir.Operation) -> ir.Value | None:
    """softmax(scale * q k^T + mask) v, scaled and masked in any of the exporters' ways."""
    if op.operands[0].type.rank < 3:
        return None
    try:
        empty, kept = without_empty_rows(op.operands[0])
        weights = weights_of(kept)
        found = _scores(weights.scores) if weights is not None else None
    except Shared as reason:
        report_missed(op, "attention", str(reason))
        return None
    result = _attention(op, found, weights.safe) if found is not None and weights is not None else None
    if result is None or empty is None:
        return result
    return graph.build("where", [empty, scalar_constant(0, result), result])


def _attention(op: ir.Operation, found: Scores, safe: bool) -> ir.Value | None:
    """The op for what was found, unless its shapes or masks are beyond it."""
    if graph.element_type(found.query) != graph.element_type(op.operands[1]):
        report_missed(op, "attention", "scores and values are computed in different element types")
        return None
    query = graph.dims_of(found.query)
    key, value = without_repetition(
        heads(found.keys, transposed=True), heads(op.operands[1], transposed=False)
    )
    if not fits(query, key, value):
        report_missed(op, "attention", "the heads of keys and values do not divide those of the queries")
        return None
    masks = simplify_masks(found.masks, found.query, query[-2], key.shape[-2])
    if not _is_one_mask(masks):
        report_missed(op, "attention", "it has several masks")
        return None
    mask, fill = _mask_operand(masks)
    attributes = {"scale": found.scale, "causal": masks.causal, "fill": fill, "safe": safe}
    return graph.build("attention", [found.query, key.build(), value.build(), *mask], attributes)


RULES: Rules = {graph.Matmul.NAME: (attention,)}
