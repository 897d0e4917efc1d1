"""Affine index arithmetic of loop nests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from mlc.bindings import affine, arith, ir
from mlc.kernels.nest.nest_state import Index, Nest
from mlc.passes.common.computation import dims_read

# A value that indexes: affine, a number, or an integer that only the running kernel knows.
Indexer: TypeAlias = Index | int | ir.Value


def affine_of(value: Any) -> ir.AffineExpr | None:
    """`value` as an affine expression, or None."""
    if isinstance(value, Index):
        return value.affine
    if isinstance(value, int) and not isinstance(value, bool):
        return ir.AffineExpr.get_constant(value)
    return None


def combine(name: str, a: Any, b: Any) -> Index | None:
    """`a name b` where that is affine, else None."""
    if not (isinstance(a, Index) or isinstance(b, Index)):
        return None
    left, right = affine_of(a), affine_of(b)
    if left is None or right is None:
        return None
    if name in "+-":
        return Index(left + right if name == "+" else left - right)
    if name == "*" and (isinstance(a, int) or isinstance(b, int)):
        return Index(left * right)
    if name in ("//", "%") and isinstance(b, int) and b > 0:
        make = ir.AffineExpr.get_floor_div if name == "//" else ir.AffineExpr.get_mod
        return Index(make(left, right))
    return None


def map_of(expressions: Sequence[ir.AffineExpr], nest: Nest) -> tuple[ir.AffineMap, list[ir.Value]]:
    """The map that computes `expressions`, and its operands: only those loop variables that it reads."""
    count = len(nest.loops)
    used = sorted(dims_read(ir.AffineMap.get(count, 0, list(expressions))))
    places = {old: new for new, old in enumerate(used)}
    zero = ir.AffineExpr.get_constant(0)
    renaming = ir.AffineMap.get(
        len(used), 0, [ir.AffineExpr.get_dim(places[old]) if old in places else zero for old in range(count)]
    )
    renamed = [each.compose(renaming) for each in expressions]
    return ir.AffineMap.get(len(used), 0, renamed), [nest.loops[old] for old in used]


def materialize(index: Index, nest: Nest) -> ir.Value:
    """The index as a value."""
    mapping, operands = map_of([index.affine], nest)
    if len(operands) == 1 and mapping.results[0] == ir.AffineExpr.get_dim(0):
        return operands[0]
    return affine.AffineApplyOp(mapping, operands).result


def index_value(value: Indexer, nest: Nest) -> ir.Value:
    """Any index as a value of type `index`."""
    kind = ir.IndexType.get()
    if isinstance(value, Index):
        return materialize(value, nest)
    if isinstance(value, int):
        return arith.ConstantOp(kind, ir.IntegerAttr.get(kind, value)).result
    return value if value.type == kind else arith.index_cast(kind, value)


def value_range(expression: ir.AffineExpr, nest: Nest) -> tuple[int, int] | None:
    """The lowest and highest value of a linear expression; None where loops or divisions hide them."""
    terms = _linear(expression)
    if terms is None:
        return None
    low = high = terms.pop(None, 0)
    for position, factor in terms.items():
        bounds = nest.ranges[position] if position is not None else None
        if bounds is None:
            return None
        ends = (factor * bounds[0], factor * bounds[1])
        low, high = low + min(ends), high + max(ends)
    return low, high


def _linear(expression: ir.AffineExpr) -> dict[int | None, int] | None:
    """Factor by loop variable, and the constant under None; None for what is not linear."""
    expression = expression.maybe_downcast()
    if isinstance(expression, ir.AffineConstantExpr):
        return {None: expression.value}
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position: 1}
    if not isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        return None
    left, right = _linear(expression.lhs), _linear(expression.rhs)
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return {each: left.get(each, 0) + right.get(each, 0) for each in {**left, **right}}
    factor, terms = (left, right) if set(left) == {None} else (right, left)
    return {each: value * factor[None] for each, value in terms.items()}
