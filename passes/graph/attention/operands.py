"""Operands of attention as its kernel takes them: f32, and numbers to add as mask."""

from __future__ import annotations

import ml_dtypes

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.graph.common.terms import like_type
from mlc.passes.graph.common.values import dtype, scalar_constant


def in_f32(op: ir.Operation) -> ir.Value | None:
    """The op on f32, where its elements are narrower: they are rounded once, not at each step."""
    kind = graph.element_type(op.results[0])
    if dtype(op.results[0]).itemsize >= 4:
        return None
    f32 = ir.F32Type.get(op.context)
    wide = [x if str(graph.element_type(x)) == "i1" else like_type(x, f32) for x in op.operands]
    attributes = {name: graph.attribute(op, name) for name in ("scale", "causal", "fill", "safe")}
    return like_type(graph.build("attention", wide, attributes), kind)


def with_numbers(op: ir.Operation) -> ir.Value | None:
    """The op with 0 and `fill` as mask, where adding a number as low is to replace by it."""
    q, k, v, *masks = list(op.operands)
    if not masks or str(graph.element_type(masks[0])) != "i1":
        return None
    fill = graph.attribute(op, "fill")
    number = float("-inf") if fill is None else fill
    if number > ml_dtypes.finfo(dtype(q)).min / 2:  # type: ignore[no-untyped-call]
        return None
    numbers = graph.build("where", [masks[0], scalar_constant(0, q), scalar_constant(number, q)])
    attributes = {name: graph.attribute(op, name) for name in ("scale", "causal", "safe")}
    return graph.build("attention", [q, k, v, numbers], attributes)
