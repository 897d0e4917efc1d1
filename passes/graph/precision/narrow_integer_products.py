"""graph-narrow-integer-products: products of integers of 8 bits, which matrix units multiply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.passes.base import Pass
from mlc.passes.common.rewriting import apply_patterns, replace_op
from mlc.passes.graph.common.rematerialization import mark
from mlc.passes.graph.common.values import is_constant, is_static, on_ranked, scalar_constant
from mlc.passes.graph.precision.narrow_integer_factors import Factor, factor_of, less, simplify_factor

# The axes of the reduction, from the back.
_REDUCED = (-1, -2)


def sums(factor: Factor, operand: int) -> ir.Value:
    """Returns the sums of an operand's elements along the reduction."""
    wide = factor.wide if is_constant(factor.elements) else mark(factor.wide)
    axis = factor.elements.type.rank + _REDUCED[operand]
    return graph.build("reduce_sum", [wide], {"axes": [axis], "keepdims": True})


def narrow_product(op: ir.Operation) -> bool:
    """matmul(a - x, b - y) -> matmul(a, b) - y * sums(a) - x * (sums(b) - K * y), where a and b are of 8
    bits, and x and y zero points."""
    found = [factor_of(op.operands[operand], _REDUCED[operand : operand + 1]) for operand in range(2)]
    if None in found or not all(map(is_static, (*op.operands, *op.results))):
        return False
    a, b = (simplify_factor(factor) for factor in found if factor is not None)
    result = graph.build("matmul", [mark(a.wide), mark(b.wide)])
    if b.zero is not None:
        result = less(result, sums(a, 0), b.zero)
    if a.zero is not None:
        columns = sums(b, 1)
        if b.zero is not None:
            columns = less(columns, scalar_constant(a.elements.type.shape[-1], columns), b.zero)
        result = less(result, columns, a.zero)
    replace_op(op, result)
    return True


@dataclass(frozen=True)
class NarrowIntegerProducts(Pass):
    """Have products of i32, whose operands are integers of 8 bits less zero points, multiply these integers:
    their conversion to i32 belongs to the product (`graph.rematerialize`), which matrix units of GPUs do with
    sums of i32. What zero points add is subtracted after it: they are multiplied by sums of the other
    operand's rows or columns. Those of weights are work for @prepare. Exact, modulo 2^32 as all sums of i32
    are.

    Zero points may differ for rows of the left operand and for columns of the right one.
    """

    name: ClassVar[str] = "graph-narrow-integer-products"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> bool:
        return apply_patterns(op, {graph.Matmul.NAME: on_ranked(narrow_product)})
