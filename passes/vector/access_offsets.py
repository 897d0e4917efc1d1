"""Where in a buffer an access lies: a constant, and a constant for each step of each loop variable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.passes.common.constants import constant_value
from mlc.passes.common.rewriting import defining_op


@dataclass(frozen=True)
class Sum:
    """constant + the sum of factor * variable, over `factors`."""

    constant: int
    factors: dict[ir.Value, int]

    def plus(self, other: Sum, times: int = 1) -> Sum:
        factors = dict(self.factors)
        for variable, factor in other.factors.items():
            factors[variable] = factors.get(variable, 0) + times * factor
        return Sum(self.constant + times * other.constant, factors)

    def factor(self, variable: ir.Value) -> int:
        return self.factors.get(variable, 0)


ZERO = Sum(0, {})


@dataclass(frozen=True)
class Place:
    """An element of a buffer, counted from its first one along its strides."""

    buffer: ir.Value
    element: Sum


def place_of(buffer: ir.Value, indices: Sequence[ir.Value]) -> Place | None:
    """The place that `indices` name in `buffer`, or in what `buffer` is a view of; None where an index is no
    sum of variables times constants, or a stride is unknown."""
    kind = ir.MemRefType(buffer.type)
    strides, _ = kind.get_strides_and_offset()
    view = defining_op(buffer, "memref.subview")
    if any(stride == ir.ShapedType.get_dynamic_stride_or_offset() for stride in strides):
        return None
    element = _element(indices, strides)
    if view is None or element is None:
        return None if element is None else Place(buffer, element)
    if any(stride != 1 for stride in view.attributes["static_strides"]):
        return None
    before = place_of(view.operands[0], _offsets(view))
    return None if before is None else Place(before.buffer, before.element.plus(element))


def _element(indices: Sequence[ir.Value | int], strides: Sequence[int]) -> Sum | None:
    total = ZERO
    for index, stride in zip(indices, strides, strict=True):
        term = Sum(index, {}) if isinstance(index, int) else sum_of(index)
        if term is None:
            return None
        total = total.plus(term, stride)
    return total


def _offsets(view: ir.Operation) -> list[ir.Value | int]:
    unknown = ir.ShapedType.get_dynamic_size()
    dynamic = iter(list(view.operands)[1:])
    return [next(dynamic) if each == unknown else each for each in view.attributes["static_offsets"]]


def sum_of(index: ir.Value) -> Sum | None:
    """What an index is made of; None where that is no sum of variables times constants."""
    op = defining_op(index)
    if op is None:
        return Sum(0, {index: 1})
    number = constant_value(index)
    if number is not None:
        return Sum(number, {})
    if op.name == "arith.addi":
        left, right = map(sum_of, op.operands)
        return None if left is None or right is None else left.plus(right)
    if op.name == "affine.apply":
        [expression] = op.attributes["map"].value.results
        return _evaluated(expression, list(op.operands), op.attributes["map"].value.n_dims)
    return None


def _evaluated(expression: ir.AffineExpr, operands: Sequence[ir.Value], dims: int) -> Sum | None:
    """An affine expression of `operands`, of which `dims` are dims and the others symbols."""
    if isinstance(expression, ir.AffineConstantExpr):
        return Sum(ir.AffineConstantExpr(expression).value, {})
    if isinstance(expression, ir.AffineDimExpr):
        return sum_of(operands[ir.AffineDimExpr(expression).position])
    if isinstance(expression, ir.AffineSymbolExpr):
        return sum_of(operands[dims + ir.AffineSymbolExpr(expression).position])
    if not isinstance(expression, (ir.AffineAddExpr, ir.AffineMulExpr)):
        return None
    left, right = (_evaluated(each, operands, dims) for each in (expression.lhs, expression.rhs))
    if left is None or right is None:
        return None
    if isinstance(expression, ir.AffineAddExpr):
        return left.plus(right)
    if right.factors:
        return None
    return ZERO.plus(left, right.constant)
