"""Affine index arithmetic of loop nests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from mlc.bindings import affine, arith, ir
from mlc.kernels.nest.nest_state import AffineIndex, NestBuilder
from mlc.passes.common.affine import AffineForm, expression_form
from mlc.passes.common.computation import dims_read

# An index: affine, a Python int, or a dynamic integer.
Indexer: TypeAlias = AffineIndex | int | ir.Value


def affine_of(value: Any) -> ir.AffineExpr | None:
    """Returns `value` as an affine expression, or None."""
    if isinstance(value, AffineIndex):
        return value.affine
    if isinstance(value, int) and not isinstance(value, bool):
        return ir.AffineExpr.get_constant(value)
    return None


def combine(name: str, a: Any, b: Any) -> AffineIndex | None:
    """Returns `a name b` where that is affine, else None."""
    if not (isinstance(a, AffineIndex) or isinstance(b, AffineIndex)):
        return None
    left, right = affine_of(a), affine_of(b)
    if left is None or right is None:
        return None
    if name in "+-":
        return AffineIndex(left + right if name == "+" else left - right)
    if name == "*" and (isinstance(a, int) or isinstance(b, int)):
        return AffineIndex(left * right)
    if name in ("//", "%") and isinstance(b, int) and b > 0:
        make = ir.AffineExpr.get_floor_div if name == "//" else ir.AffineExpr.get_mod
        return AffineIndex(make(left, right))
    return None


def map_of(expressions: Sequence[ir.AffineExpr], nest: NestBuilder) -> tuple[ir.AffineMap, list[ir.Value]]:
    """Returns the map that computes `expressions`, and its operands: only those loop variables that it
    reads."""
    count = len(nest.loops)
    used = sorted(dims_read(ir.AffineMap.get(count, 0, list(expressions))))
    positions = {old: new for new, old in enumerate(used)}
    zero = ir.AffineExpr.get_constant(0)
    renaming = ir.AffineMap.get(
        len(used),
        0,
        [ir.AffineExpr.get_dim(positions[old]) if old in positions else zero for old in range(count)],
    )
    renamed = [expression.compose(renaming) for expression in expressions]
    return ir.AffineMap.get(len(used), 0, renamed), [nest.loops[old] for old in used]


def materialize(index: AffineIndex, nest: NestBuilder) -> ir.Value:
    """Builds the index as a value."""
    mapping, operands = map_of([index.affine], nest)
    if len(operands) == 1 and mapping.results[0] == ir.AffineExpr.get_dim(0):
        return operands[0]
    return affine.AffineApplyOp(mapping, operands).result


def index_value(value: Indexer, nest: NestBuilder) -> ir.Value:
    """Builds any index as a value of type `index`."""
    type_ = ir.IndexType.get()
    if isinstance(value, AffineIndex):
        return materialize(value, nest)
    if isinstance(value, int):
        return arith.ConstantOp(type_, ir.IntegerAttr.get(type_, value)).result
    return value if value.type == type_ else arith.index_cast(type_, value)


def value_range(expression: ir.AffineExpr, nest: NestBuilder) -> tuple[int, int] | None:
    """Returns the smallest and the largest value of an affine expression, or None if it has quotients or
    remainders, or depends on loops with dynamic bounds."""
    form = expression_form(expression, [AffineForm.of(position) for position in range(len(nest.loops))])
    return None if form is None else form.value_range(lambda position: nest.ranges[position])
