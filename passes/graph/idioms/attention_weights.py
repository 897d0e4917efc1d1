"""The softmax of attention, from the product with the values inwards."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.common.rewriting import defining_op, has_one_use, users
from mlc.passes.graph.common.terms import without_casts
from mlc.passes.graph.common.values import splat


@dataclass
class Weights:
    """What multiplies v: softmax(scores), with zeros for NaN where `safe`."""

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
    """What the left operand of the product with v is, where it is a softmax of rows."""
    guarded = _guarded(value)
    inner = without_casts(value if guarded is None else guarded)
    op = defining_op(inner, "graph.softmax")
    if op is None or graph.attribute(op, "axis") != op.results[0].type.rank - 1:
        return None
    for each in (value, inner) if guarded is None else (value,):
        only(each, "the softmax has another use")
    return Weights(
        without_casts(only(op.operands[0], "the masked scores have another use")), guarded is not None
    )


def _guarded(value: ir.Value) -> ir.Value | None:
    """p of where(is_nan(p), 0, p), where nothing else reads p."""
    op = defining_op(value, "graph.where")
    test = defining_op(op.operands[0], "graph.is_nan") if op is not None else None
    if op is None or test is None or splat(op.operands[1]) != 0:
        return None
    p = op.operands[2]
    return p if test.operands[0] == p and len(users(p)) == 2 else None


def without_empty_rows(value: ir.Value) -> tuple[ir.Value | None, ir.Value]:
    """c and p of where(c, 0, p), where c chooses rows, whose products are 0 as well."""
    op = defining_op(without_casts(value), "graph.where")
    if op is None or splat(op.operands[1]) != 0 or _guarded(op.results[0]) is not None:
        return None, value
    condition, _, kept = op.operands
    if not condition.type.rank or graph.shape_of(condition)[-1] != 1:
        return None, value
    if not graph.same_type(kept, op.results[0]):
        return None, value
    for each in (value, op.results[0]):
        only(each, "the softmax has another use")
    return condition, kept
