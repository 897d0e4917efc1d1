"""graph-simplify-broadcasts: values no larger than they need be.

Rules for reductions over dims along which a value is expanded.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.exactness import exactness_option, rounding
from mlc.passes.graph.common.rules import Rules, apply_rules
from mlc.passes.graph.common.values import broadcast_like, dtype, is_float, is_static
from mlc.passes.graph.simplify.broadcast_rules import RULES as BROADCASTS
from mlc.passes.graph.simplify.broadcast_rules import before_expansion
from mlc.passes.remarks import report_missed


def _count(reduction: ir.Operation) -> int:
    """The number of elements that an element of the result is reduced from."""
    shape = graph.shape_of(reduction.operands[0])
    return prod(shape[axis] for axis in graph.attribute(reduction, "axes"))


def _drop_expansion(op: ir.Operation) -> ir.Value | None:
    """Returns the operand of a reduction over expanded dims alone, in the result's shape, else None."""
    x, whole = before_expansion(op.operands[0]), op.operands[0]
    if x is None or not (is_static(whole) and is_static(x)) or not _count(op):
        return None
    shape, axes = [1] * (whole.type.rank - x.type.rank) + x.type.shape, graph.attribute(op, "axes")
    if any(shape[axis] != 1 for axis in axes):
        return None
    kept = [dim for axis, dim in enumerate(shape) if graph.attribute(op, "keepdims") or axis not in axes]
    small = x if list(x.type.shape) == kept else graph.build("reshape", [x], {"shape": kept})
    return broadcast_like(small, op.results[0])


def extreme_of_expanded(op: ir.Operation) -> ir.Value | None:
    """The largest or smallest of copies of one element."""
    return _drop_expansion(op)


@rounding
def mean_of_expanded(op: ir.Operation) -> ir.Value | None:
    """The mean of copies of one element."""
    return _drop_expansion(op) if is_float(graph.ReduceMean(op).x) else None


@rounding
def sum_of_expanded(op: ir.Operation) -> ir.Value | None:
    """The sum of copies of one element: it times their count, which of integers wraps as their sum does."""
    value = _drop_expansion(op)
    if value is None:
        return None
    with np.errstate(over="ignore"):
        count = np.asarray(_count(op)).astype(dtype(value))
    if not np.isfinite(count):
        report_missed(op, "sum_of_expanded", f"{graph.element_type(value)} cannot hold the number of copies")
        return None
    return graph.build("mul", [value, graph.build("constant", [], {"value": count})])


EXPANDED_REDUCTIONS: Rules = {
    **dict.fromkeys((graph.ReduceMax.NAME, graph.ReduceMin.NAME), (extreme_of_expanded,)),
    graph.ReduceMean.NAME: (mean_of_expanded,),
    graph.ReduceSum.NAME: (sum_of_expanded,),
}


RULES: Rules = {**BROADCASTS, **EXPANDED_REDUCTIONS}


@dataclass(frozen=True)
class SimplifyBroadcasts(Pass):
    """Leave broadcasting to the ops that do it by themselves, and compute before expanding.

    expand, tile of dims of 1 and views with leading dims of 1 before elementwise ops and in batch dims
    of matmul go; constants of equal elements become a scalar; elementwise ops of expanded values move
    before the expansion; reductions over expanded dims are views, or products.
    """

    name: ClassVar[str] = "graph-simplify-broadcasts"
    exactness: ClassVar[str] = "rounding"

    limit: str = exactness_option()

    def run(self, op: ir.Operation) -> bool:
        return apply_rules(op, RULES, self.limit)
